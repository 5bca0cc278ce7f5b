import Gateway
import Glibc
import SQLCipher

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
            guard try ring.kept() != nil else { throw Failure.configuration("\(file): no such file") }
            return ring
        }
        let standard = path + "/database.key"
        let ring = KeyFileRing(path: standard)
        if try ring.kept() != nil { return ring }
        guard access(path + "/simplex_v1_chat.db", F_OK) != 0, access(path + "/simplex_v1_agent.db", F_OK) != 0 else {
            throw Failure(code: 3, message: "there is a database in \(path), and no \(standard): give its key with --database-key-file")
        }
        do throws(KeyFileRingError) { try ring.create() } catch { throw Failure(code: 1, message: error.description) }
        return ring
    }
}

extension KeyFileRing {
    /// The key in the file; what is wrong with it ends the program.
    func kept() throws -> DatabaseKey? { try exiting { () throws(KeyFileRingError) in try read() } }

    /// The key that was prepared, when a change of the key was cut off.
    func keptPrepared() throws -> DatabaseKey? { try exiting { () throws(KeyFileRingError) in try readPrepared() } }

    private func exiting<T>(_ body: () throws(KeyFileRingError) -> T) throws -> T {
        do throws(KeyFileRingError) { return try body() } catch {
            if case .file = error { throw Failure(code: 1, message: error.description) }
            throw Failure.configuration(error.description)
        }
    }
}
