internal import ChatCore
internal import SimpleXCrypto

#if canImport(Glibc)
internal import Glibc
#endif

/// The folder `stores`, with a folder for each store by its id.
///
/// A folder has the id of a store as its name exactly while that store is there, entirely: a new store is made under another name and gets its own
/// by one rename, a deleted one loses it by one. What the process leaves under other names when it ends in between is finished or removed
/// by ``recover()``, before anything is served.
struct StoreFolders: Sendable {
    let path: String
    /// The folder of the first store, which is elsewhere and holds more than that.
    var first: StoreFolder?
    /// Told before each step that changes the disk. Tests look at the disk then, as a crash would leave it.
    var onStep: @Sendable (String) -> Void = { _ in }

    private enum Prefix {
        static let making = ".making-"
        static let replacing = ".replacing-"
        static let deleted = ".deleted-"
    }

    private static let letters = Array("abcdefghijkmnpqrstuvwxyz23456789".utf8)

    /// 15 letters and digits, 75 random bits; nothing that looks like an option or a path.
    static func newID() -> String {
        String(decoding: RandomBytes.make(count: 15).map { letters[Int($0 & 31)] }, as: UTF8.self)
    }

    static func isID(_ text: String) -> Bool { text.utf8.count == 15 && text.utf8.allSatisfy(letters.contains) }

    func folder(_ id: String) -> StoreFolder {
        if id == Stores.first, let first { return first }
        return StoreFolder(path: path + "/" + id)
    }
    func draft(_ id: String) -> StoreFolder { StoreFolder(path: path + "/" + Prefix.making + id) }

    var requests: StoreRequests { StoreRequests(path: path + "/.requests") }

    /// The ids of the stores that are there.
    func ids() -> [String] { DiskFiles.entries(path).filter(Self.isID).sorted() }

    func begin(_ id: String) throws(FileError) {
        if mkdir(path, 0o700) != 0, errno != EEXIST { throw FileError(path: path, code: errno) }
        onStep("make the folder")
        try draft(id).make()
    }

    /// The draft becomes the store.
    func publish(_ id: String) throws(FileError) {
        sync(draft(id).path)
        onStep("give the new store its name")
        try move(draft(id).path, folder(id).path)
        onStep("the store is there")
    }

    func discardDraft(_ id: String) {
        if access(draft(id).path, F_OK) == 0 { requests.discard(id) }
        draft(id).remove()
    }

    /// The store is gone when this returns.
    func delete(_ id: String) throws(FileError) {
        let gone = StoreFolder(path: path + "/" + Prefix.deleted + id + "-" + Self.newID())
        onStep("take the name from the store")
        try move(folder(id).path, gone.path)
        onStep("destroy the keys")
        gone.destroyKeys()
        onStep("remove the files")
        gone.remove()
        onStep("the store is gone")
    }

    /// The draft takes the place of the store; from the first rename on there is no way back. Its keys are destroyed when this returns.
    /// - Returns: the folder of the old store, to be removed.
    func replace(_ id: String) throws(FileError) -> StoreFolder {
        sync(draft(id).path)
        let next = StoreFolder(path: path + "/" + Prefix.replacing + id)
        onStep("decide on the new store")
        try move(draft(id).path, next.path)
        return try finishReplacing(id, next)
    }

    private func finishReplacing(_ id: String, _ next: StoreFolder) throws(FileError) -> StoreFolder {
        let gone = StoreFolder(path: path + "/" + Prefix.deleted + id + "-" + Self.newID())
        if id == Stores.first, let first {
            try finishReplacing(first, next, gone)
            return gone
        }
        onStep("destroy the keys of the old store")
        folder(id).destroyKeys()
        onStep("take the name from the old store")
        if access(folder(id).path, F_OK) == 0 { try move(folder(id).path, gone.path) }
        onStep("give the new store the name")
        try move(next.path, folder(id).path)
        onStep("the store is another one")
        return gone
    }

    /// The folder of the first store stays, with what does not belong to it. As long as the passwords are in the new folder, all that is in the
    /// first store's is of the old one.
    private func finishReplacing(_ first: StoreFolder, _ next: StoreFolder, _ gone: StoreFolder) throws(FileError) {
        if access(next.passwords, F_OK) == 0 {
            onStep("destroy the keys of the old store")
            first.destroyKeys()
            onStep("take away what the old store has")
            first.moveContents(to: gone)
            onStep("give the new store its record")
            if access(next.record, F_OK) == 0 { try move(next.record, first.record) }
            onStep("give the new store its passwords")
            try move(next.passwords, first.passwords)
        }
        onStep("remove the draft")
        next.remove()
        onStep("the store is another one")
    }

    /// Finishes what the process was at when it ended.
    func recover() throws(FileError) {
        for name in DiskFiles.entries(path) {
            let folder = StoreFolder(path: path + "/" + name)
            if name == Prefix.replacing + Stores.first, first == nil { continue }
            if name.hasPrefix(Prefix.replacing) {
                try finishReplacing(String(name.dropFirst(Prefix.replacing.count)), folder).remove()
            } else if name.hasPrefix(Prefix.making) || name.hasPrefix(Prefix.deleted) {
                if name.hasPrefix(Prefix.making) { requests.discard(String(name.dropFirst(Prefix.making.count))) }
                folder.destroyKeys()
                folder.remove()
            }
        }
    }

    private func move(_ from: String, _ to: String) throws(FileError) {
        guard rename(from, to) == 0 else { throw FileError(path: from, code: errno) }
        sync(path)
        if let first, to.hasPrefix(first.path), !to.hasPrefix(path) { sync(first.path) }
    }

    /// Waits until the names in a folder are on the disk.
    private func sync(_ folder: String) { SecureFile.synchronizeFolder(of: folder + "/.") }
}
