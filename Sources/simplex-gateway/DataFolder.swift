import Gateway
import Glibc

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

    /// The first store, whose folder it is.
    func store(keyFile: String?) throws -> FirstStore {
        do throws(FirstStoreError) { return try FirstStore(folder: path, keyFile: keyFile) } catch { throw Failure(error) }
    }
}

extension Failure {
    init(_ error: FirstStoreError) {
        switch error {
        case .keyIsGone: self.init(code: 3, message: error.description)
        case .key(.file): self.init(code: 1, message: error.description)
        case .key, .noKeyFile: self = .configuration(error.description)
        }
    }
}
