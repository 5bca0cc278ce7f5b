extension KeyFile {
    /// Finds the file with the API keys of a store other than the first. Returns `nil` when the data folder does not
    /// have this store.
    package init?(store: String, in folder: String) {
        let folder = StoreFolders(path: folder + "/stores").makeStoreFolder(store)
        guard StoreID.isID(store), folder.readRecord() != nil else { return nil }
        self.init(folder: folder.path, store: store)
    }
}
