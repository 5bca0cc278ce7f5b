import Files
import Gateway
import Glibc

/// The folder with all data of the gateway. It is locked while this value exists, and only one process at a time can
/// lock it. Commands that manage keys need no lock of the folder.
struct DataFolder: ~Copyable {
    let path: String
    private let lock: FileLock

    /// Returns the default path of the data folder: `~/.local/share/simplex-gateway`, or below `XDG_DATA_HOME` if that
    /// is set.
    static func findStandardPath() -> String {
        if let data = getenv("XDG_DATA_HOME") { return String(cString: data) + "/simplex-gateway" }
        let home = getenv("HOME").map { String(cString: $0) } ?? "."
        return home + "/.local/share/simplex-gateway"
    }

    /// Switches a process of root to the user who owns the folder, so that this user can read new files.
    static func switchUserToOwner(of folder: String) {
        var status = stat()
        guard geteuid() == 0, stat(folder, &status) == 0, status.st_uid != 0 else { return }
        _ = setegid(status.st_gid)
        _ = seteuid(status.st_uid)
    }

    /// Makes the folder (mode 0700) if it does not exist, and locks the folder.
    init(_ path: String) throws {
        let taken: FileLock?
        do throws(FileSystemError) {
            try DiskFiles.makeFolder(path)
            taken = try FileLock.tryAcquire(path + "/.lock")
        } catch {
            throw Failure(exitCode: 1, message: error.description)
        }
        guard let taken else { throw Failure(exitCode: 4, message: "another process uses the data folder \(path)") }
        lock = taken
        self.path = path
    }

    /// Opens the first store, whose files are in this folder.
    func openStore(keyFile: String?) throws -> FirstStore {
        do throws(FirstStoreError) { return try FirstStore(folder: path, keyFile: keyFile) } catch {
            // If the configured key file is a folder or belongs to another user, the configuration is wrong, and not
            // the data folder.
            if keyFile != nil, case .keyFileError(.file) = error {
                throw Failure.configurationFailure(error.description)
            }
            throw Failure(error)
        }
    }
}

extension Failure {
    init(_ error: FirstStoreError) {
        switch error {
        case .keyMissing: self.init(exitCode: 3, message: error.description)
        case .keyFileError(.file): self.init(exitCode: 1, message: error.description)
        case .keyFileError, .noKeyFile: self = .configurationFailure(error.description)
        }
    }
}
