internal import Files
internal import JSON
internal import SimpleXCrypto

/// A replacement of all databases and files of a store. The replacement happens completely or not at all, even if the
/// process ends at any moment.
///
/// The new databases and files are prepared in a folder beside the databases. When the folder is complete and on the
/// disk, the file `commit` is written into the folder. Without the file `commit`, the next opening of the databases
/// deletes the folder. With this file, the next opening completes the replacement that the file describes. The
/// databases must be closed during the replacement.
struct StoreReplacement {
    /// The common beginning of the paths of the databases, without `_chat.db` and `_agent.db`.
    let prefix: String

    var folder: String { prefix + "_replacement" }
    var chatPath: String { folder + "/chat.db" }
    var agentPath: String { folder + "/agent.db" }
    /// The paths of the databases of an archive. These databases are only read, and never become databases of the
    /// store.
    var foreignChatPath: String { folder + "/foreign_chat.db" }
    var foreignAgentPath: String { folder + "/foreign_agent.db" }
    var filesFolder: String { folder + "/files" }
    var assetsFolder: String { folder + "/assets" }
    /// The path of a file with the keys of the objects of the replaced databases, one key in each line. The file is
    /// missing if the objects are kept.
    var objectListPath: String { folder + "/objects" }
    /// The path of the list of objects after the replacement. The file stays until the new database has recorded that
    /// the listed objects must be deleted.
    var objectsToDeletePath: String { prefix + "_objects" }
    /// The path of an empty file that marks a store without databases: a new store, or a store whose databases were
    /// deleted.
    var emptyStoreMarkPath: String { ChatConfiguration.emptyStoreMarkPath(prefix: prefix) }
    private var commitFilePath: String { folder + "/commit" }
    /// The path of a file that names the temporary folder of ``makeDraftFolder(beside:)``, so that the folder can be
    /// removed after a crash.
    private var exportFilePath: String { folder + "/export" }

    /// Creates the empty folder in which the replacement is prepared.
    func createFolder() throws(FileSystemError) {
        cancel()
        do throws(FileSystemError) {
            for made in [folder, filesFolder, assetsFolder] { try DiskFiles.makeFolder(made) }
        } catch {
            cancel()
            throw error
        }
    }

    func cancel() {
        // The file `export` may contain any path, such as the path of a folder of a client. So the folder is deleted
        // only if its name has the prefix of draft folders.
        if let path = (try? DiskFiles.readFile(exportFilePath)).flatMap({ String(validating: $0, as: UTF8.self) }),
            Self.isDraftFolder(path)
        {
            DiskFiles.removeTree(path)
        }
        DiskFiles.removeTree(folder)
    }

    /// Creates a temporary folder next to the archive. The path of the folder is recorded first, so that ``cancel()``,
    /// or the next opening after a crash, removes the folder.
    func makeDraftFolder(beside path: String) throws(FileSystemError) -> String {
        let draft = FilePaths.parentFolder(of: path) + "/" + Self.draftPrefix + Hex.encode(RandomBytes.make(count: 12))
        try DiskFiles.replaceFile(exportFilePath, with: Array(draft.utf8))
        try DiskFiles.syncEntry(folder)
        try DiskFiles.makeNewFolder(draft)
        return draft
    }

    private static let draftPrefix = ".simplex-export-"

    private static func isDraftFolder(_ path: String) -> Bool {
        path.hasPrefix("/")
            && path[path.index(after: path.lastIndex(of: "/") ?? path.startIndex)...].hasPrefix(draftPrefix)
    }

    /// Makes the replacement final. If `what` is `removed`, the databases are deleted, even if no new databases replace
    /// them.
    /// - Parameter forgetsSeals: whether all seals, which permit file paths outside of the store's folders, become
    ///   invalid.
    func commit(_ what: FileTreatment, folders: LocalFolders.Paths, forgetsSeals: Bool = false) throws(FileSystemError)
    {
        for path in [filesFolder, assetsFolder] { try DiskFiles.syncEntry(path) }
        for path in [chatPath, agentPath] where DiskFiles.exists(path) { try DiskFiles.syncEntry(path) }
        try DiskFiles.syncEntry(folder)
        let order: JSONValue = [
            "replaced": .string(what.rawValue), "files": .string(folders.filesFolder),
            "assets": .string(folders.assetsFolder),
            "hasDatabases": .bool(DiskFiles.exists(agentPath)),
            "forgetsSeals": .bool(forgetsSeals),
        ]
        try DiskFiles.replaceFile(commitFilePath, with: order.encodeText())
    }

    /// Whether the replacement is final.
    var isCommitted: Bool { DiskFiles.exists(commitFilePath) }

    /// Completes a committed replacement, or removes the remains of an uncommitted replacement. Must be called before
    /// the databases are opened.
    /// - Parameter folders: the folders of the store if the store is a copy; otherwise nil. A copy does not use the
    ///   folders in its file `commit`, because they are the folders of the original.
    func finish(in folders: LocalFolders.Paths? = nil) throws {
        guard DiskFiles.exists(folder) else { return }
        guard let order = try DiskFiles.readFile(commitFilePath) else {
            return folders == nil ? cancel() : DiskFiles.removeTree(folder)
        }
        let json = try JSONValue(parsing: order)
        if json["forgetsSeals"]?.boolValue == true { PathSeals(prefix: prefix).invalidateAll() }
        let removes =
            json["replaced"]?.stringValue == FileTreatment.removed.rawValue && json["hasDatabases"]?.boolValue != true
        for (new, suffix) in [(chatPath, "_chat.db"), (agentPath, "_agent.db")] {
            let path = prefix + suffix
            guard DiskFiles.exists(new) || removes else { continue }
            // The logs of the replaced file are removed, because SQLite would apply them to the new file.
            for journal in ["-wal", "-shm", "-journal"] { DiskFiles.removeTree(path + journal) }
            if removes { DiskFiles.removeTree(path) } else { try DiskFiles.moveFile(new, to: path) }
        }
        let targets = (
            files: folders?.filesFolder ?? json["files"]?.stringValue,
            assets: folders?.assetsFolder ?? json["assets"]?.stringValue
        )
        if json["replaced"]?.stringValue == FileTreatment.removed.rawValue {
            if let path = targets.files { deleteFiles(path) }
            if let path = targets.assets {
                deleteFiles(path + "/wallpapers")
                deleteFiles(path)
            }
        } else {
            if let path = targets.files { try moveFiles(filesFolder, to: path) }
            if let path = targets.assets { try moveFiles(assetsFolder, to: path + "/wallpapers") }
        }
        if let gone = try DiskFiles.readFile(objectListPath, limit: StoredObject.maxListBytes) {
            // The keys in `gone` are appended to an existing list. After a crash, the same keys may be appended again.
            try DiskFiles.replaceFile(
                objectsToDeletePath,
                with: (DiskFiles.readFile(objectsToDeletePath, limit: StoredObject.maxListBytes) ?? []) + gone
            )
        }
        try DiskFiles.syncEntry(FilePaths.parentFolder(of: prefix))
        // The file `commit` is removed first, since the other files are ignored without it.
        DiskFiles.removeTree(commitFilePath)
        DiskFiles.removeTree(folder)
    }

    func markStoreEmpty() throws(FileSystemError) { try DiskFiles.replaceFile(emptyStoreMarkPath, with: []) }

    /// Removes the mark of a store without databases, after databases were created.
    func removeEmptyStoreMark() {
        guard DiskFiles.exists(emptyStoreMarkPath) else { return }
        DiskFiles.removeFile(emptyStoreMarkPath)
        DiskFiles.syncParentFolder(of: emptyStoreMarkPath)
    }

    /// Deletes the files directly in the folder, and the folder if it is then empty. Subfolders are kept, since a
    /// client chose the folder.
    private func deleteFiles(_ path: String) {
        for name in DiskFiles.listFiles(path) { DiskFiles.removeTree(path + "/" + name) }
        DiskFiles.removeEmptyFolder(path)
    }

    private func moveFiles(_ source: String, to target: String) throws(FileSystemError) {
        let names = DiskFiles.listFiles(source)
        guard !names.isEmpty else { return }
        try DiskFiles.makeFolder(target)
        for name in names { try DiskFiles.moveFile(source + "/" + name, to: target + "/" + name) }
    }
}
