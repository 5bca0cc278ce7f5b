internal import ChatCore
internal import ChatStore
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

    /// Maximal number of answers.
    static let most = 1_000
    /// Maximal number of answers to requests of one key, so that one key cannot use up the places of other keys.
    static let share = most / 2

    private struct Kept {
        let store: String
        /// The id of the key that has sent the request.
        let owner: String
        /// The end of the day for which the answer is kept, in seconds since 1970.
        let until: Int64
        let box: [UInt8]

        init?(_ content: [UInt8]) {
            guard let json = try? JSONValue(parsing: content), let store = json["store"]?.stringValue,
                let until = json["until"]?.timeValue,
                let box = json["box"]?.stringValue.flatMap({ try? Base64URL.decode($0) })
            else { return nil }
            (self.store, self.until, self.box) = (store, until, box)
            owner = json["owner"]?.stringValue ?? ""
        }
    }

    /// Lock for the folder. Without it, one request would remove the unfinished file of another request.
    private static let turns = Mutex(())

    private func file(_ request: SealedRequest) -> String { path + "/" + Base64URL.encode(request.key, padding: false) }

    private func readKept(_ file: String) throws(FileSystemError) -> Kept? {
        try DiskFiles.read(file).flatMap(Kept.init)
    }

    /// Returns the box with the answer to a request; nil when no answer is kept.
    /// - Parameter owner: the id of the key that has sent the request.
    /// - Throws: `tooManyRequests` when no answer is kept and the limit of kept answers is reached.
    func box(of request: SealedRequest, for owner: String) throws -> [UInt8]? {
        let now = WallClock.seconds()
        if let kept = try readKept(file(request)), kept.until > now { return kept.box }
        let files = DiskFiles.entries(path)
        // The files are read only when the limit may be reached.
        guard files.count >= Self.share else { return nil }
        let all = files.compactMap { (try? readKept(path + "/" + $0)) ?? nil }.filter { $0.until > now }
        guard all.count < Self.most, all.count(where: { $0.owner == owner }) < Self.share else {
            throw ProblemDetails(.tooManyRequests, "Too many answers to requests with Idempotency-Key are kept.")
        }
        return nil
    }

    /// - Parameter owner: the id of the key that has sent the request.
    func keep(_ answer: [UInt8], to request: SealedRequest, of store: String, for owner: String) throws {
        let now = WallClock.seconds()
        let json: JSONValue = [
            "store": .string(store), "owner": .string(owner), "until": .integer(now + RequestClaim.lifetime),
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
            if isLeft((try? readKept(file)) ?? nil) { DiskFiles.removeFile(file) }
        }
    }
}
