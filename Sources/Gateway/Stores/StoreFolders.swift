internal import ChatCore
internal import Files

/// The folder `stores`. It has a subfolder for each store, named by the id of the store.
///
/// A subfolder has the id of a store as its name only while the complete store exists. A new store is prepared under
/// another name (its draft) and then renamed. The deletion of a store begins with a rename of its subfolder. If the
/// process ends between these steps, ``completeUnfinishedSteps()`` completes or removes the folders with other names
/// before any request is served.
struct StoreFolders: Sendable {
    let path: String
    /// The folder of the first store. It is not in the folder `stores`, and also contains files of other kinds.
    var firstStoreFolder: StoreFolder?
    /// The name of the node, if several nodes share the folder; nil for a single node.
    var nodeName: String?
    /// A function that is called before each step that changes the disk. In tests, this function checks the state of
    /// the disk that a crash before the step would leave.
    var onStep: @Sendable (String) -> Void = { _ in }

    private enum Prefix {
        static let making = ".making-"
        static let replacing = ".replacing-"
        static let deleted = ".deleted-"
    }

    /// The prefix of the folders in which this node prepares new stores. The name of a node contains no dots, so the
    /// prefixes of different nodes are different.
    private var draftPrefix: String { nodeName.map { "." + $0 + Prefix.making } ?? Prefix.making }
    /// The prefix of the folders of deleted or replaced stores, which this node removes.
    private var deletedPrefix: String { nodeName.map { "." + $0 + Prefix.deleted } ?? Prefix.deleted }

    func makeStoreFolder(_ id: String) -> StoreFolder {
        if id == StoreID.firstStore, let firstStoreFolder { return firstStoreFolder }
        return StoreFolder(path: path + "/" + id)
    }
    func makeDraftFolder(_ id: String) -> StoreFolder { StoreFolder(path: path + "/" + draftPrefix + id) }

    var storeRequestAnswers: StoreRequestAnswers { StoreRequestAnswers(path: path + "/.requests") }

    /// Returns the ids of the complete stores.
    func listIDs() throws(FileSystemError) -> [String] {
        try DiskFiles.listNames(in: path).filter(StoreID.isID).sorted()
    }

    /// Returns the paths of the complete stores, and of the stored answers to requests that created stores. Stores that
    /// are being created or deleted are left out.
    func listPublishedPaths() throws(FileSystemError) -> Set<String> {
        let stores = try DiskFiles.listNames(in: path).filter {
            !$0.hasPrefix(draftPrefix) && !$0.hasPrefix(deletedPrefix)
        }
        return Set(
            stores.map { path + "/" + $0 }
                + (try DiskFiles.listNames(in: storeRequestAnswers.path)).map { storeRequestAnswers.path + "/" + $0 }
        )
    }

    func makeDraft(_ id: String) throws(FileSystemError) {
        try DiskFiles.makeFolder(path)
        onStep("make the folder")
        try makeDraftFolder(id).makeFolders()
    }

    /// Publishes the draft of a store: from now on, the folder is the complete store with this id.
    func publishDraft(_ id: String) throws(FileSystemError) {
        syncFolder(makeDraftFolder(id).path)
        onStep("give the new store its name")
        try moveFolder(makeDraftFolder(id).path, makeStoreFolder(id).path)
        onStep("the store is there")
    }

    /// Publishes a draft as the store with the given id.
    func publishDraft(_ draft: StoreFolder, as id: String) throws(FileSystemError) {
        syncFolder(draft.path)
        onStep("give the restored store its name")
        try moveFolder(draft.path, makeStoreFolder(id).path)
        onStep("the store is there")
    }

    func discardDraft(_ id: String) {
        if DiskFiles.exists(makeDraftFolder(id).path) { storeRequestAnswers.discardAnswer(id) }
        makeDraftFolder(id).removeFolder()
    }

    /// Deletes a store. On return, the store is deleted completely.
    func deleteStore(_ id: String) throws(FileSystemError) {
        let gone = StoreFolder(path: path + "/" + deletedPrefix + id + "-" + StoreID.make())
        onStep("take the name from the store")
        try moveFolder(makeStoreFolder(id).path, gone.path)
        onStep("destroy the keys")
        gone.destroyKeys()
        onStep("remove the files")
        gone.removeFolder()
        onStep("the store is gone")
    }

    /// Replaces the store by its draft. The replacement is final after the first rename. On return, the old keys are
    /// destroyed.
    /// - Returns: the folder of the old store, which the caller has to remove.
    func replaceWithDraft(_ id: String) throws(FileSystemError) -> StoreFolder {
        syncFolder(makeDraftFolder(id).path)
        let next = StoreFolder(path: path + "/" + Prefix.replacing + id)
        onStep("decide on the new store")
        try moveFolder(makeDraftFolder(id).path, next.path)
        return try finishReplacement(id, next)
    }

    private func finishReplacement(_ id: String, _ next: StoreFolder) throws(FileSystemError) -> StoreFolder {
        let gone = StoreFolder(path: path + "/" + deletedPrefix + id + "-" + StoreID.make())
        if id == StoreID.firstStore, let firstStoreFolder {
            try finishFirstReplacement(firstStoreFolder, next, gone)
            return gone
        }
        onStep("destroy the keys of the old store")
        makeStoreFolder(id).destroyKeys()
        onStep("take the name from the old store")
        if DiskFiles.exists(makeStoreFolder(id).path) { try moveFolder(makeStoreFolder(id).path, gone.path) }
        onStep("give the new store the name")
        try moveFolder(next.path, makeStoreFolder(id).path)
        onStep("the store is another one")
        return gone
    }

    /// Replaces the first store. The data folder is kept, with the files that do not belong to the store. The passwords
    /// are moved from the draft last. While the draft still has passwords, all databases, keys and content folders in
    /// the data folder belong to the old store. The record may already belong to the new store.
    private func finishFirstReplacement(
        _ first: StoreFolder,
        _ next: StoreFolder,
        _ gone: StoreFolder
    ) throws(FileSystemError) {
        if DiskFiles.exists(next.passwordsPath) {
            onStep("destroy the keys of the old store")
            first.destroyKeys()
            onStep("take away what the old store has")
            first.moveContents(to: gone)
            try first.markStoreEmpty()
            onStep("give the new store its record")
            if DiskFiles.exists(next.recordPath) { try moveFolder(next.recordPath, first.recordPath) }
            onStep("give the new store its passwords")
            try moveFolder(next.passwordsPath, first.passwordsPath)
        }
        onStep("remove the draft")
        next.removeFolder()
        onStep("the store is another one")
    }

    /// Completes the steps that the previous process of the gateway had begun when it ended.
    func completeUnfinishedSteps() throws(FileSystemError) {
        for name in try DiskFiles.listNames(in: path) {
            let folder = StoreFolder(path: path + "/" + name)
            if name == Prefix.replacing + StoreID.firstStore, firstStoreFolder == nil { continue }
            if name.hasPrefix(Prefix.replacing) {
                // If several nodes share the stores, the node that acquires the store completes the replacement. So the
                // replacement is skipped at the start.
                if nodeName != nil, name != Prefix.replacing + StoreID.firstStore { continue }
                try finishReplacement(String(name.dropFirst(Prefix.replacing.count)), folder).removeFolder()
            } else if name.hasPrefix(draftPrefix) || name.hasPrefix(deletedPrefix) {
                if name.hasPrefix(draftPrefix) {
                    storeRequestAnswers.discardAnswer(String(name.dropFirst(draftPrefix.count)))
                }
                folder.destroyKeys()
                folder.removeFolder()
            }
        }
    }

    /// Completes the replacement of a store that this node has acquired.
    /// - Returns: whether an unfinished replacement existed.
    func finishReplacement(_ id: String) throws(FileSystemError) -> Bool {
        let next = StoreFolder(path: path + "/" + Prefix.replacing + id)
        guard DiskFiles.isFolder(next.path) else { return false }
        try finishReplacement(id, next).removeFolder()
        return true
    }

    private func moveFolder(_ from: String, _ to: String) throws(FileSystemError) {
        try DiskFiles.rename(from, to: to)
        syncFolder(path)
        if let firstStoreFolder, to.hasPrefix(firstStoreFolder.path), !to.hasPrefix(path) {
            syncFolder(firstStoreFolder.path)
        }
    }

    /// Waits until the names in a folder are on the disk. An error is ignored.
    private func syncFolder(_ folder: String) { try? DiskFiles.syncEntry(folder) }
}
