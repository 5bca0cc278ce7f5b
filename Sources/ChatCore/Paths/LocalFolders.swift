internal import ChatAPI
internal import Files
import Synchronization

/// The folders for files. The default folders are beside the databases. A folder that a client sets is used until the
/// core is closed.
final class LocalFolders: Sendable {
    struct Paths: Sendable {
        /// The folder for archives and other files with names chosen by clients. The folder is created at the first
        /// use.
        let clientFolder: String
        var filesFolder: String
        var temporaryFolder: String
        var assetsFolder: String
        var remoteHostsFolder: String
        /// Whether a client wants received files to be stored encrypted; nil if no client has set this.
        var wantsEncryption: Bool?
        /// Whether received files are stored encrypted.
        var encryptsFiles: Bool { wantsEncryption ?? true }
        /// Whether the names of received and forwarded files get a random part on the disk. If false, a number is added
        /// to a name that is already used. Such a number would reveal that another file has the name.
        let hidesFileNames: Bool
        let databasesFolder: String
        /// Whether no client has set the folder for wallpapers.
        var hasDefaultAssetsFolder: Bool { assetsFolder == databasesFolder + "/assets" }
        let pathSeals: PathSeals
    }

    /// The absolute path of the folder with the databases.
    let dataDirectory: String
    private let state: Mutex<Paths>

    /// - Parameters:
    ///   - prefix: the common beginning of the paths of the databases; nil for the default.
    ///   - hidesNames: whether the names of received and forwarded files get a random part on the disk.
    init(dataDirectory: String, prefix: String? = nil, hidesNames: Bool = false) {
        let dataDirectory = FilePaths.absolutePath(dataDirectory)
        self.dataDirectory = dataDirectory
        state = Mutex(
            Paths(
                clientFolder: dataDirectory + "/space",
                filesFolder: dataDirectory + "/files",
                temporaryFolder: dataDirectory + "/temp",
                assetsFolder: dataDirectory + "/assets",
                remoteHostsFolder: dataDirectory + "/remote_hosts",
                hidesFileNames: hidesNames,
                databasesFolder: dataDirectory,
                pathSeals: PathSeals(prefix: prefix ?? dataDirectory + "/simplex_v1")
            )
        )
    }

    var paths: Paths { state.withLock { $0 } }

    /// Sets a folder, and creates it if it is missing.
    func setFolder(_ path: String, as folder: WritableKeyPath<Paths, String>) throws {
        try Self.makeFolder(path)
        state.withLock { $0[keyPath: folder] = path }
    }

    func setFileEncryption(_ encrypts: Bool) { state.withLock { $0.wantsEncryption = encrypts } }

    /// Creates a folder.
    /// - Throws: `commandError` for a relative path; `exception` if the operating system refuses.
    static func makeFolder(_ path: String) throws {
        guard path.hasPrefix("/"), !path.contains("\0") else {
            throw ChatFailure.commandError("the path is not absolute")
        }
        do { try DiskFiles.makeFolder(path) } catch { throw error.chatFailure() }
    }
}

extension LocalFolders.Paths {
    /// The folders that may contain the files whose paths the databases store.
    var fileRoots: FileRoots {
        FileRoots(
            files: filesFolder,
            others: [clientFolder, temporaryFolder, assetsFolder, remoteHostsFolder],
            databases: databasesFolder
        ) {
            [pathSeals] path, seal in pathSeals.isValid(seal, of: path)
        }
    }

    /// Returns the file for a path in the database.
    func makeStoreFile(_ path: StoredPath) -> StoreFile { StoreFile(path, in: fileRoots) }

    /// Returns the form in which the database stores the path that a command contains. A path outside of the store's
    /// folders gets a seal. The seal confirms that a client with the right to use such paths has given this path.
    /// Blocks the thread.
    func makeStoredPath(_ path: String) throws -> StoredPath {
        let roots = fileRoots
        return roots.contains(path)
            ? StoredPath(path) : StoredPath(path, seal: try pathSeals.seal(roots.absolutePath(path)))
    }

    /// Returns a path in the form that clients see. The location of the folder for archives on this machine is removed.
    func shownPath(_ path: String) -> String {
        path.hasPrefix(clientFolder + "/") ? String(path.dropFirst(clientFolder.count + 1)) : path
    }

    /// Returns the stored form of a path. A file in the folder for files is stored by its name, so that it has one
    /// stored form. Blocks the thread.
    func storedPath(_ path: String) -> String {
        guard let file = FilePaths.canonicalPath(path), let folder = FilePaths.canonicalPath(filesFolder),
            FilePaths.isBelow(file, folder)
        else { return path }
        return String(file.dropFirst(folder.count + 1))
    }
}
