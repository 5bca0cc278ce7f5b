internal import Files

/// Copies as they are found.
public enum FolderCopies {
    /// In the data folder of a node of several: what it is known by. In no copy, which would be taken for the node.
    public static let nodeFile = "/node.id"

    /// Whether a copy, a folder or an encrypted file, is of one store.
    public static func isOfStore(_ path: String) -> Bool {
        DiskFiles.isFolder(path) ? DiskFiles.isFile(path + FolderBackup.storeRecord) : BackupReader.kind(of: path) == .store
    }

    /// Marks the stores of a data folder as copies, as copies of earlier versions are not: their journals get new epochs when they are opened.
    public static func markStores(of folder: String) throws {
        for store in stores(of: folder) where store.hasDatabases { try DiskFiles.replace(store.copyMark, with: []) }
    }

    /// Overwrites what opens the databases of a copy, before it is removed.
    /// - Parameter first: whether its first store is removed as well.
    public static func destroyKeys(of folder: String, first: Bool = true) { for store in stores(of: folder) where first || store.path != folder { store.destroyKeys() } }

    private static func stores(of folder: String) -> [StoreFolder] {
        ([folder] + DiskFiles.entries(folder + "/stores").map { folder + "/stores/" + $0 }).map { StoreFolder(path: $0) }
    }
}
