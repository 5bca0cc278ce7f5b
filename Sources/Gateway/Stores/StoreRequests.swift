internal import ChatCore
internal import Files
internal import JSON
internal import SimpleXCrypto
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#endif

/// The answers to requests that create, restore, move or back up stores. Each answer is kept for a day in a file, in a
/// folder beside the stores. It cannot be kept in a database: the first store may be locked, and a new store does not
/// exist yet.
///
/// The file of a new store is written before the store is renamed to its id, and becomes valid by that rename. If the
/// store was never completed, its file is removed with the store's draft. Other answers are written after the effect.
struct StoreRequests: Sendable {
    let path: String

    private struct Kept {
        let store: String
        /// The end of the day for which the answer is kept, in seconds since 1970.
        let until: Int64
        let box: [UInt8]

        init?(_ content: [UInt8]) {
            guard let json = try? JSONValue(parsing: content), let store = json["store"]?.stringValue,
                let until = json["until"]?.timeValue,
                let box = json["box"]?.stringValue.flatMap({ try? Base64URL.decode($0) })
            else { return nil }
            (self.store, self.until, self.box) = (store, until, box)
        }
    }

    /// Lock for the folder. Without it, one request would remove the unfinished file of another request.
    private static let turns = Mutex(())

    private func file(_ request: SealedRequest) -> String { path + "/" + Base64URL.encode(request.key, padding: false) }

    private func kept(_ file: String) throws(FileSystemError) -> Kept? { try DiskFiles.read(file).flatMap(Kept.init) }

    /// Returns the box with the answer to a request; nil when no answer is kept.
    func box(of request: SealedRequest) throws(FileSystemError) -> [UInt8]? {
        guard let kept = try kept(file(request)), kept.until > WallClock.seconds() else { return nil }
        return kept.box
    }

    func keep(_ answer: [UInt8], to request: SealedRequest, of store: String) throws {
        let now = WallClock.seconds()
        let json: JSONValue = [
            "store": .string(store), "until": .integer(now + RequestClaim.lifetime),
            "box": .string(Base64URL.encode(try request.seal(answer))),
        ]
        try Self.turns.withLock { _ in
            try DiskFiles.makeFolder(path)
            remove { $0.map { $0.until <= now } ?? true }
            try DiskFiles.replace(file(request), with: json.encoded())
        }
    }

    /// Removes the answer for a store that was never completed.
    func discard(_ store: String) { Self.turns.withLock { _ in remove { $0?.store == store } } }

    private func remove(where isLeft: (Kept?) -> Bool) {
        for name in DiskFiles.entries(path) {
            let file = path + "/" + name
            if isLeft((try? kept(file)) ?? nil) { DiskFiles.removeFile(file) }
        }
    }
}
