internal import ChatAPI
internal import Files
import Synchronization

/// The folders for files. Paths set by a client are valid until the core is closed; the defaults are beside the databases.
final class LocalFolders: Sendable {
    struct Paths: Sendable {
        /// For archives and other files that clients name; made when it is named first.
        let space: String
        var files: String
        var temporary: String
        var assets: String
        var remoteHosts: String
        /// Whether files that are received are encrypted where they are kept.
        var encryptsFiles = true
        let databases: String
        let seals: PathSeals
    }

    /// Where the databases are; absolute.
    let dataDirectory: String
    private let state: Mutex<Paths>

    /// - Parameter prefix: of the databases' paths; nil for the usual one.
    init(dataDirectory: String, prefix: String? = nil) {
        let dataDirectory = FilePaths.absolute(dataDirectory)
        self.dataDirectory = dataDirectory
        state = Mutex(
            Paths(
                space: dataDirectory + "/space", files: dataDirectory + "/files", temporary: dataDirectory + "/temp", assets: dataDirectory + "/assets",
                remoteHosts: dataDirectory + "/remote_hosts", databases: dataDirectory, seals: PathSeals(prefix: prefix ?? dataDirectory + "/simplex_v1")))
    }

    var paths: Paths { state.withLock { $0 } }

    /// Uses a folder, which is made when it is not there.
    func use(_ path: String, as folder: WritableKeyPath<Paths, String>) throws {
        try Self.make(path)
        state.withLock { $0[keyPath: folder] = path }
    }

    func encryptFiles(_ encrypts: Bool) { state.withLock { $0.encryptsFiles = encrypts } }

    /// - Throws: `commandError` for a path that depends on where the program was started, `exception` when the system refuses.
    static func make(_ path: String) throws {
        guard path.hasPrefix("/"), !path.contains("\0") else { throw ChatFailure.command("the path is not absolute") }
        do { try DiskFiles.makeFolder(path) } catch { throw error.chatFailure() }
    }
}

extension LocalFolders.Paths {
    /// Where the files are that the databases name.
    var roots: FileRoots {
        FileRoots(files: files, others: [space, temporary, assets, remoteHosts], databases: databases) { [seals] path, seal in seals.isValid(seal, of: path) }
    }

    /// A file that the database names.
    func file(_ path: StoredPath) -> StoreFile { StoreFile(path, in: roots) }

    /// The path of a command as the database has it. The command was admitted: a path outside of the store's folders is sealed. It blocks.
    func named(_ path: String) throws -> StoredPath {
        let roots = roots
        return roots.contains(path) ? StoredPath(path) : StoredPath(path, seal: try seals.seal(roots.absolute(path)))
    }
}
