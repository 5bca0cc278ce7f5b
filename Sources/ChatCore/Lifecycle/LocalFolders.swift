internal import ChatAPI
internal import Files
import Synchronization

/// The folders for files. Paths set by a client are valid until the core is closed; the defaults are beside the
/// databases.
final class LocalFolders: Sendable {
    struct Paths: Sendable {
        /// The folder for archives and other files that clients name; created at the first use.
        let space: String
        var files: String
        var temporary: String
        var assets: String
        var remoteHosts: String
        /// Whether received files are stored encrypted.
        var encryptsFiles = true
        let databases: String
        let seals: PathSeals
    }

    /// The absolute path of the databases' folder.
    let dataDirectory: String
    private let state: Mutex<Paths>

    /// - Parameter prefix: the prefix of the databases' paths; nil for the usual one.
    init(dataDirectory: String, prefix: String? = nil) {
        let dataDirectory = FilePaths.absolute(dataDirectory)
        self.dataDirectory = dataDirectory
        state = Mutex(
            Paths(
                space: dataDirectory + "/space",
                files: dataDirectory + "/files",
                temporary: dataDirectory + "/temp",
                assets: dataDirectory + "/assets",
                remoteHosts: dataDirectory + "/remote_hosts",
                databases: dataDirectory,
                seals: PathSeals(prefix: prefix ?? dataDirectory + "/simplex_v1")
            )
        )
    }

    var paths: Paths { state.withLock { $0 } }

    /// Uses a folder, and creates it if it is missing.
    func use(_ path: String, as folder: WritableKeyPath<Paths, String>) throws {
        try Self.make(path)
        state.withLock { $0[keyPath: folder] = path }
    }

    func encryptFiles(_ encrypts: Bool) { state.withLock { $0.encryptsFiles = encrypts } }

    /// Creates a folder.
    /// - Throws: `commandError` for a relative path, `exception` when the system refuses.
    static func make(_ path: String) throws {
        guard path.hasPrefix("/"), !path.contains("\0") else { throw ChatFailure.command("the path is not absolute") }
        do { try DiskFiles.makeFolder(path) } catch { throw error.chatFailure() }
    }
}

extension LocalFolders.Paths {
    /// The folders of the files that the databases name.
    var roots: FileRoots {
        FileRoots(files: files, others: [space, temporary, assets, remoteHosts], databases: databases) {
            [seals] path, seal in seals.isValid(seal, of: path)
        }
    }

    /// A file that the database names.
    func file(_ path: StoredPath) -> StoreFile { StoreFile(path, in: roots) }

    /// The stored form of a command's path. The command was admitted, so a path outside of the store's folders gets a
    /// seal. Blocks.
    func named(_ path: String) throws -> StoredPath {
        let roots = roots
        return roots.contains(path) ? StoredPath(path) : StoredPath(path, seal: try seals.seal(roots.absolute(path)))
    }
}
