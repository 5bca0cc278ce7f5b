import Gateway
import Glibc
import SQLCipher
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

    /// The key of the databases: what `file` holds, else `database.key` in the folder, which is made on the first start. A database whose key
    /// is gone is never replaced by a new one.
    func databaseKey(file: String?) throws -> DatabaseKey {
        if let file {
            guard let content = try read(file) else { throw Failure.configuration("\(file): no such file") }
            return try Self.key(content, file)
        }
        let standard = path + "/database.key"
        if let content = try read(standard) { return try Self.key(content, standard) }
        guard access(path + "/simplex_v1_chat.db", F_OK) != 0, access(path + "/simplex_v1_agent.db", F_OK) != 0 else {
            throw Failure(code: 3, message: "there is a database in \(path), and no \(standard): give its key with --database-key-file")
        }
        let key = RandomBytes.make(count: 32)
        let digits = Array("0123456789abcdef".utf8)
        do throws(FileError) {
            try SecureFile.create(standard, key.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] } + [UInt8(ascii: "\n")])
        } catch { throw Failure(code: 1, message: error.description) }
        return .raw(key)
    }

    private func read(_ file: String) throws -> [UInt8]? {
        do throws(FileError) { return try SecureFile.read(file) } catch { throw Failure(code: 1, message: error.description) }
    }

    /// 64 hexadecimal digits are a key as it is, anything else is a passphrase. White space at the end does not count.
    private static func key(_ content: [UInt8], _ file: String) throws -> DatabaseKey {
        guard var text = String(validating: content, as: UTF8.self) else { throw Failure.configuration("\(file) is not text") }
        while text.last?.isWhitespace == true { text.removeLast() }
        guard !text.isEmpty else { throw Failure.configuration("\(file) is empty") }
        let digits = text.compactMap(\.hexDigitValue)
        guard text.utf8.count == 64, digits.count == 64 else { return .passphrase(text) }
        return .raw(stride(from: 0, to: 64, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
    }
}
