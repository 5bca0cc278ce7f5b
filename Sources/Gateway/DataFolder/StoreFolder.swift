internal import ChatCore
internal import Files
internal import SimpleXCrypto

#if canImport(Glibc)
    internal import Glibc
#endif

/// The folder of one store, and the files in it.
struct StoreFolder: Sendable {
    let path: String
    /// The key file of the databases, if the file is outside of the folder and not managed by the store.
    var outsideKeyPath: String?

    var recordPath: String { path + "/store.json" }
    var databaseKeyPath: String { outsideKeyPath ?? path + "/database.key" }
    var passwordsPath: String { path + "/passwords.json" }
    /// The file with the fencing token of the node that has the store, if there are several nodes.
    var fencePath: String { path + "/fence" }
    /// An empty file that marks a copy of a store. It is removed when the copy is opened for the first time.
    var copyMarkPath: String { path + "/copied" }
    var crashCount: CrashCount { CrashCount(path: path + "/openings") }
    /// Folder for files that clients name: archives, and folders for received files. The core restricts clients to this
    /// folder and the folders in ``contentFolders``. Only keys of the first store with the scopes `admin` and `stores`
    /// have no restriction.
    var clientFolderPath: String { path + "/space" }
    /// A file that marks the folder after its databases were deleted, until new databases are made.
    private var emptyStoreMarkPath: String { ChatConfiguration.emptyStoreMarkPath(prefix: path + "/simplex_v1") }
    /// Size of a database page in bytes.
    private static let databasePageSize: Int64 = 4096
    private var ownKeyPath: String { path + "/database.key" }
    private var ownDatabasePaths: [String] { [path + "/simplex_v1_chat.db", path + "/simplex_v1_agent.db"] }
    /// The databases of a store that was restored from a copy. These databases exist until their rows are copied into
    /// the store's own databases.
    var copiedDatabases: CopiedDatabases { CopiedDatabases(folder: path) }
    var databasePaths: [String] { copiedDatabases.hasFiles ? copiedDatabases.databasePaths : ownDatabasePaths }

    /// The files of the record, the keys and the passwords, and prepared files that may replace them.
    var keyFilePaths: [String] { [recordPath, databaseKeyPath, passwordsPath].flatMap { [$0, $0 + ".new"] } }

    /// Whether a file name belongs to a database, to a file beside an open database, or to a prepared replacement of a
    /// database.
    static func isDatabaseFile(_ name: String) -> Bool {
        ["simplex_v1_chat.db", "simplex_v1_agent.db", "simplex_v1_replacement", "simplex_v1_empty"].contains(
            where: name.hasPrefix
        )
    }

    /// The folder of a migration to or from another device. Backups leave out this folder.
    static let migrationFolder = "simplex_v1_migration"

    /// Whether the key of the databases is in a file, so that the store needs no password.
    var hasKeyFile: Bool { !DiskFiles.exists(passwordsPath) && readRecord()?.protection != .passphrase }

    /// Whether a database exists. Empty files are not counted.
    var hasDatabases: Bool { databasePaths.contains(where: DiskFiles.hasBytes) }

    /// A fault of the databases that is visible without their key: a database is missing or truncated.
    var faultVisibleWithoutKey: String? {
        for database in databasePaths {
            guard let size = DiskFiles.fileSize(database) else { return "there is no \(database)" }
            // Without a write-ahead log, the size of a database must be a multiple of the page size. With a log, the
            // last page of the database may be incomplete.
            guard size > 0 && size % Self.databasePageSize == 0 || DiskFiles.exists(database + "-wal") else {
                return "\(database) was cut off"
            }
        }
        return nil
    }

    /// Whether the store has no databases on purpose: they were deleted, or not made yet.
    var isEmpty: Bool { !hasDatabases && DiskFiles.exists(emptyStoreMarkPath) }

    func makeFolders() throws(FileSystemError) {
        for folder in [path, clientFolderPath] { try DiskFiles.makeNewFolder(folder) }
    }

    /// The reason why ``readRecord()`` returns nil; nil when it returns the record.
    var recordFault: String? {
        do throws(FileSystemError) {
            guard let content = try DiskFiles.readFile(recordPath) else { return "\(recordPath) is missing" }
            return StoreRecord(content) == nil ? "\(recordPath) is not the record of a store" : nil
        } catch { return error.description }
    }

    func readRecord() -> StoreRecord? { (try? DiskFiles.readFile(recordPath))?.flatMap(StoreRecord.init) }
    func writeRecord(_ value: StoreRecord) throws(FileSystemError) {
        try DiskFiles.replaceFile(recordPath, with: value.encodedJSON)
    }

    /// Overwrites the keys of the databases, and the salts in the first pages of the databases. After that, nobody can
    /// decrypt the other data of the store on the disk. (A file system that never writes in place, or a disk that
    /// remaps blocks, may keep the old bytes.)
    func destroyKeys() {
        for file in [passwordsPath, passwordsPath + ".new", ownKeyPath, ownKeyPath + ".new"] {
            Self.overwriteFile(file, count: nil)
        }
        for database in ownDatabasePaths + copiedDatabases.databasePaths {
            Self.overwriteFile(database, count: Int(Self.databasePageSize))
            Self.overwriteFile(database + "-wal", count: Int(Self.databasePageSize))
        }
    }

    /// Marks the folder as empty, so that databases are made when the store is opened.
    func markStoreEmpty() throws(FileSystemError) { try DiskFiles.replaceFile(emptyStoreMarkPath, with: []) }

    /// Writes the password vault, and overwrites the previous vault on the disk.
    func writeVault(_ vault: PasswordVault) throws(FileSystemError) {
        let old = try? OpenFile(passwordsPath, O_WRONLY | O_NOFOLLOW)
        try DiskFiles.replaceFile(passwordsPath, with: vault.encodedJSON)
        if let old { Self.overwriteFile(old, count: nil) }
    }

    func destroyPasswords() {
        Self.overwriteFile(passwordsPath, count: nil)
        DiskFiles.removeFile(passwordsPath)
        DiskFiles.syncParentFolder(of: passwordsPath)
    }

    func destroyKeyFile() {
        for file in [ownKeyPath, ownKeyPath + ".new"] {
            Self.overwriteFile(file, count: nil)
            DiskFiles.removeFile(file)
        }
        DiskFiles.syncParentFolder(of: ownKeyPath)
    }

    func writeKeyFile(_ key: KeyMaterial) throws(FileKeyringError) {
        destroyKeyFile()
        try FileKeyring(path: ownKeyPath).createKeyFile(key)
    }

    private static func overwriteFile(_ path: String, count: Int?) {
        guard let file = try? OpenFile(path, O_WRONLY | O_NOFOLLOW) else { return }
        overwriteFile(file, count: count)
    }

    private static func overwriteFile(_ file: borrowing OpenFile, count: Int?) {
        guard let size = try? file.readSize() else { return }
        try? file.write(RandomBytes.make(count: min(Int(clamping: size), count ?? 1 << 16)))
        try? file.sync()
    }

    func removeFolder() { DiskFiles.removeTree(path) }

    /// Moves a store's content, except its record, keys and passwords, to another folder. Content that cannot be moved
    /// is removed. Used for the first store, whose folder also contains other files.
    func moveContents(to other: StoreFolder) {
        try? DiskFiles.makeFolder(other.path)
        for name in DiskFiles.listEntries(path)
        where Self.contentFolders.contains(name) || name.hasPrefix("simplex_v1_") {
            do throws(FileSystemError) { try DiskFiles.rename(path + "/" + name, to: other.path + "/" + name) } catch {
                DiskFiles.removeTree(path + "/" + name)
            }
        }
        DiskFiles.syncParentFolder(of: recordPath)
    }

    /// The folders that the core makes beside its databases, unless a client chooses other folders.
    static let contentFolders: Set<String> = ["space", "files", "temp", "assets", "remote_hosts"]
}
