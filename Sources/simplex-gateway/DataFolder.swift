import Gateway
import Glibc
import SimpleXCrypto

/// The folder that holds all that the program keeps. One process at a time has it.
struct DataFolder: ~Copyable {
    let path: String
    private let lock: Int32

    /// `~/.local/share/simplex-gateway`, or as the XDG directory specification has it.
    static func standardPath() -> String {
        if let data = getenv("XDG_DATA_HOME") { return String(cString: data) + "/simplex-gateway" }
        let home = getenv("HOME").map { String(cString: $0) } ?? "."
        return home + "/.local/share/simplex-gateway"
    }

    /// Makes the folder (mode 0700) when it is not there, and locks it.
    init(_ path: String) throws {
        try Self.create(path)
        lock = try Self.locked(path)
        self.path = path
    }

    private static func locked(_ path: String) throws -> Int32 {
        let lock = open(path + "/.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw Failure(code: 1, message: "\(path): \(String(cString: strerror(errno)))") }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            close(lock)
            throw Failure(code: 4, message: "another process uses the data folder \(path)")
        }
        return lock
    }

    deinit { close(lock) }

    private static func create(_ path: String) throws {
        var partial = ""
        for part in path.split(separator: "/", omittingEmptySubsequences: false) {
            partial += part + "/"
            if partial == "/" || partial == "./" { continue }
            guard mkdir(partial, 0o700) == 0 || errno == EEXIST else {
                throw Failure(code: 1, message: "\(partial): \(String(cString: strerror(errno)))")
            }
        }
    }

    /// The file of the databases' key: `file`, else `database.key` in the folder, which is made on the first start. A database whose key
    /// is gone is never replaced by a new one.
    func keyring(file: String?) throws -> KeyFileRing {
        if let file {
            let ring = KeyFileRing(path: file)
            guard try ring.read() != nil else { throw Failure.configuration("\(file): no such file") }
            return ring
        }
        let standard = path + "/database.key"
        let ring = KeyFileRing(path: standard)
        if try ring.read() != nil { return ring }
        guard access(path + "/simplex_v1_chat.db", F_OK) != 0, access(path + "/simplex_v1_agent.db", F_OK) != 0 else {
            throw Failure(code: 3, message: "there is a database in \(path), and no \(standard): give its key with --database-key-file")
        }
        let key = RandomBytes.make(count: 32)
        let digits = Array("0123456789abcdef".utf8)
        do throws(FileError) {
            try SecureFile.create(standard, key.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] } + [UInt8(ascii: "\n")])
        } catch { throw Failure(code: 1, message: error.description) }
        return ring
    }
}
