internal import Files

/// Functions for backup copies that exist already.
package enum FolderCopies {
    /// The file in the data folder that identifies one of several nodes. Copies lack the file, so that a gateway with a
    /// copy counts as another node.
    package static let nodeIDFile = "/node.id"

    /// Whether a copy (a folder or an encrypted file) contains one store.
    package static func isStoreCopy(_ path: String) -> Bool {
        DiskFiles.isFolder(path)
            ? DiskFiles.isFile(path + FolderBackup.storeRecordName) : BackupReader.readKind(of: path) == .store
    }

    /// Marks the stores of a data folder as copies, because copies that earlier versions of the gateway have made have
    /// no marks. When a marked store is opened, it gets a journal with a new epoch.
    package static func markStoresAsCopies(of folder: String) throws {
        for store in listStoreFolders(of: folder) where store.hasDatabases {
            try DiskFiles.replaceFile(store.copyMarkPath, with: [])
        }
    }

    /// Overwrites the keys that open the databases of a copy, before the copy is removed.
    /// - Parameter first: whether the keys of the first store are overwritten too.
    package static func destroyKeys(of folder: String, first: Bool = true) {
        for store in listStoreFolders(of: folder) where first || store.path != folder { store.destroyKeys() }
    }

    private static func listStoreFolders(of folder: String) -> [StoreFolder] {
        ([folder] + DiskFiles.listEntries(folder + "/stores").map { folder + "/stores/" + $0 }).map {
            StoreFolder(path: $0)
        }
    }
}
