internal import ChatCore
internal import ChatStore
internal import Clocks
internal import Files
internal import JSON
internal import SimpleXCrypto
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#endif

/// The answers to requests that create, restore, move or back up stores. Each answer is kept for a day in a file, in a
/// folder beside the stores. An answer cannot be kept in a database: the first store may be locked, and a new store
/// does not exist yet.
///
/// The answer for a new store is written before the folder of the store gets its final name. The renaming of the folder
/// makes the answer valid. If the store is never completed, the answer is removed together with the unfinished folder
/// of the store. Other answers are written after the effect.
struct StoreRequestAnswers: Sendable {
    let path: String

    /// Maximal number of kept answers.
    static let maxAnswers = 1_000
    /// Maximal number of answers to requests of one key, so that one key cannot use up the places of other keys.
    static let maxAnswersPerKey = maxAnswers / 2

    private struct KeptAnswer {
        let storeID: String
        /// The id of the key that has sent the request.
        let ownerKeyID: String
        /// The time until which the answer is kept, in seconds since 1970.
        let keptUntilSeconds: Int64
        let box: [UInt8]

        init?(_ content: [UInt8]) {
            guard let json = try? JSONValue(parsing: content), let store = json["store"]?.stringValue,
                let until = json["until"]?.clampedTime,
                let box = json["box"]?.stringValue.flatMap({ try? Base64URL.decode($0) })
            else { return nil }
            (self.storeID, self.keptUntilSeconds, self.box) = (store, until, box)
            ownerKeyID = json["owner"]?.stringValue ?? ""
        }
    }

    /// Lock for the folder. Without this lock, one request would remove the unfinished file of another request.
    private static let folderLock = Mutex(())

    private func filePath(_ request: SealedAnswerRequest) -> String {
        path + "/" + Base64URL.encode(request.keyHash, padding: false)
    }

    private func readKeptAnswer(_ file: String) throws(FileSystemError) -> KeptAnswer? {
        try DiskFiles.readFile(file).flatMap(KeptAnswer.init)
    }

    /// Returns the box (the encrypted answer) that is kept for a request; nil when no answer is kept.
    /// - Parameter owner: the id of the key that has sent the request.
    /// - Throws: `tooManyRequests` when no answer is kept and the limit of kept answers is reached.
    func findAnswerBox(of request: SealedAnswerRequest, for owner: String) throws -> [UInt8]? {
        let now = WallClock.seconds()
        if let kept = try readKeptAnswer(filePath(request)), kept.keptUntilSeconds > now { return kept.box }
        let files = DiskFiles.listEntries(path)
        // The files are read only when the limit may be reached.
        guard files.count >= Self.maxAnswersPerKey else { return nil }
        let all = files.compactMap { (try? readKeptAnswer(path + "/" + $0)) ?? nil }.filter {
            $0.keptUntilSeconds > now
        }
        guard all.count < Self.maxAnswers, all.count(where: { $0.ownerKeyID == owner }) < Self.maxAnswersPerKey else {
            throw ProblemDetails(.tooManyRequests, "Too many answers to requests with Idempotency-Key are kept.")
        }
        return nil
    }

    /// - Parameter owner: the id of the key that has sent the request.
    func keepAnswer(_ answer: [UInt8], to request: SealedAnswerRequest, of store: String, for owner: String) throws {
        let now = WallClock.seconds()
        let json: JSONValue = [
            "store": .string(store), "owner": .string(owner), "until": .integer(now + RequestClaim.lifetimeSeconds),
            "box": .string(Base64URL.encode(try request.sealAnswer(answer))),
        ]
        try Self.folderLock.withLock { _ in
            try DiskFiles.makeFolder(path)
            removeAnswers { $0.map { $0.keptUntilSeconds <= now } ?? true }
            try DiskFiles.replaceFile(filePath(request), with: json.encodeText())
        }
    }

    /// Removes the kept answer to the request for a new store that was never completed.
    /// - Parameter store: the id of the unfinished store.
    func discardAnswer(_ store: String) { Self.folderLock.withLock { _ in removeAnswers { $0?.storeID == store } } }

    private func removeAnswers(where isLeft: (KeptAnswer?) -> Bool) {
        for name in DiskFiles.listEntries(path) {
            let file = path + "/" + name
            if isLeft((try? readKeptAnswer(file)) ?? nil) { DiskFiles.removeFile(file) }
        }
    }
}
