package import ChatCore
internal import ChatStore
internal import Files
internal import JSON
internal import SimpleXCrypto

/// The file `keys.json` in the folder of a store: the list of keys, and encrypted answers to requests. An answer is
/// kept for a day if its request had an idempotency key and made or rotated a key. Each change replaces the whole file
/// under a lock, so a key and its answer are written together.
package struct KeyFile: Sendable {
    package let path: String
    let clock: GatewayClock
    /// The store to which the keys belong; nil for the first store.
    private let storeID: String?

    package init(folder: String) { self.init(folder: folder, clock: .system) }

    init(folder: String, store: String? = nil, clock: GatewayClock = .system) {
        path = "\(folder)/keys.json"
        self.storeID = store
        self.clock = clock
    }

    /// Whether a text can be the name of a key: 1 to 100 characters, not only white space. Control characters and
    /// characters that change the direction of text are refused, because they could falsify the display of a list.
    package static func isName(_ text: String) -> Bool {
        (1...100).contains(text.count) && !text.allSatisfy(\.isWhitespace)
            && !text.unicodeScalars.contains {
                $0.properties.generalCategory == .control || $0.properties.isBidiControl
            }
    }

    /// The encrypted answer to a request that made or rotated a key and had an idempotency key.
    struct SealedAnswer: Sendable {
        /// The hash that identifies the request. It equals ``RequestClaim/requestID``.
        let requestHash: [UInt8]
        let box: [UInt8]
        /// The time until which the answer is kept, in seconds since 1970.
        let keptUntilSeconds: Int64
        /// The id of the key that has sent the request.
        fileprivate(set) var ownerKeyID = ""

        fileprivate init?(json: JSONValue) {
            guard let request = json["request"]?.stringValue.flatMap({ try? Base64URL.decode($0) }),
                let box = json["box"]?.stringValue.flatMap({ try? Base64URL.decode($0) }),
                let until = json["until"]?.clampedTime
            else { return nil }
            (self.requestHash, self.box, self.keptUntilSeconds) = (request, box, until)
            ownerKeyID = json["owner"]?.stringValue ?? ""
        }

        fileprivate var json: JSONValue {
            [
                "request": .string(Base64URL.encode(requestHash, padding: false)), "until": .integer(keptUntilSeconds),
                "box": .string(Base64URL.encode(box, padding: false)), "owner": .string(ownerKeyID),
            ]
        }
    }

    /// Maximal number of kept answers to requests that made or rotated a key within the last day.
    static let maxAnswers = 1_000
    /// Maximal number of answers to requests of one key, so that one key cannot use up the limit for all keys.
    static let maxAnswersPerKey = maxAnswers / 2

    private func readAnswers() throws(KeyFileError) -> [SealedAnswer] {
        let content = try wrapFileErrors { () throws(FileSystemError) in try DiskFiles.readFile(path) }
        let json = content.flatMap { try? JSONValue(parsing: $0) }
        let now = clock.seconds()
        return (json?["answers"]?.arrayValue ?? []).compactMap { SealedAnswer(json: $0) }.filter {
            $0.keptUntilSeconds > now
        }
    }

    /// Returns the encrypted answer to a request; nil when no answer is kept.
    /// - Parameter owner: the id of the key that has sent the request.
    /// - Throws: `tooManyRequests` when no answer is kept and the limit of kept answers is reached.
    func findAnswerBox(of request: [UInt8], for owner: String) throws -> [UInt8]? {
        let answers = try readAnswers()
        if let known = answers.first(where: { $0.requestHash == request }) { return known.box }
        guard answers.count < Self.maxAnswers, answers.count(where: { $0.ownerKeyID == owner }) < Self.maxAnswersPerKey
        else {
            throw ProblemDetails(.tooManyRequests, "Too many answers to requests with Idempotency-Key are kept.")
        }
        return nil
    }

    /// Reads the keys. If the file is missing, the list is empty.
    /// - Throws: `missing` if the file is missing although the store has databases; `malformed` if the file is not a
    ///   list of keys.
    package func loadKeys() throws(KeyFileError) -> [KeyRecord] {
        guard let content = try wrapFileErrors({ () throws(FileSystemError) in try DiskFiles.readFile(path) }) else {
            guard !StoreFolder(path: FilePaths.parentFolder(of: path)).hasDatabases else { throw .missing(path: path) }
            return []
        }
        guard let json = try? JSONValue(parsing: content), let list = json["keys"]?.arrayValue else {
            throw .malformed(path: path)
        }
        var records: [KeyRecord] = []
        for item in list {
            guard let record = KeyRecord(json: item) else { throw .malformed(path: path) }
            records.append(record)
        }
        guard Set(records.map(\.id)).count == records.count else { throw .malformed(path: path) }
        let now = clock.seconds()
        return records.filter { !$0.isUnclaimed(at: now) }
    }

    /// Writes a file with an empty list of keys if the file is missing.
    func createIfMissing() throws(KeyFileError) {
        let lock = try wrapFileErrors { () throws(FileSystemError) in try FileLock.acquire("\(path).lock") }
        defer { withExtendedLifetime(lock) {} }
        guard !DiskFiles.exists(path) else { return }
        try writeKeys([], [])
    }

    private func writeKeys(_ records: [KeyRecord], _ answers: [SealedAnswer]) throws(KeyFileError) {
        var members = JSONObject([("keys", .array(records.map(\.json)))])
        if !answers.isEmpty { members["answers"] = .array(answers.map(\.json)) }
        let content = JSONValue.object(members).encodeText()
        try wrapFileErrors { () throws(FileSystemError) in try DiskFiles.replaceFile(path, with: content) }
    }

    /// Makes a key. Only the result contains the key's text.
    package func addKey(
        name: String,
        scopes: Scopes,
        userId: Int64? = nil,
        chats: Set<KeyChat>? = nil,
        remoteHostId: Int64? = nil,
        expires: Int64? = nil,
        key: APIKey? = nil
    ) throws(KeyFileError) -> (key: APIKey, record: KeyRecord) {
        try addKey(
            name: name,
            scopes: scopes,
            userId: userId,
            chats: chats,
            remoteHostId: remoteHostId,
            expires: expires,
            key: key,
            by: nil
        )
    }

    /// Makes a key. The requester's key must still be valid.
    /// - Parameters:
    ///   - claimWithin: seconds within which the key must be claimed. Until then, its secret permits only one rotation:
    ///     the claim, which returns the lasting secret.
    ///   - requester: the key that requests the new key. The new key expires no later than the requester's key.
    ///   - answer: makes the answer that is written with the key; nil for a request without an idempotency key.
    func addKey(
        name: String,
        scopes: Scopes,
        userId: Int64?,
        chats: Set<KeyChat>?,
        remoteHostId: Int64? = nil,
        expires: Int64?,
        claimWithin: Int64? = nil,
        key: APIKey? = nil,
        by requester: Principal?,
        keeping answer: MakeAnswer = { _, _ in nil }
    ) throws(KeyFileError) -> (key: APIKey, record: KeyRecord) {
        let key = key ?? .random(of: storeID)
        return try changeKeys(by: requester) { records, own throws(KeyFileError) in
            let (now, hash) = (clock.seconds(), APIKey.hash(of: key.text) ?? [])
            // An unclaimed key is stored like a rotated key: its secret is the previous secret. The hash of the present
            // secret is random, so no text has this hash until the claim sets a secret.
            let expires = [expires, own?.expiresAtSeconds].compactMap(\.self).min()
            let record = KeyRecord(
                id: KeyFile.makeID(),
                name: name,
                scopes: scopes,
                userId: userId,
                chats: chats,
                remoteHostId: remoteHostId,
                created: now,
                expires: expires,
                hash: claimWithin == nil ? hash : RandomBytes.make(count: 32),
                previous: claimWithin.map {
                    KeyRecord.PreviousSecret(
                        secretHash: hash,
                        validUntilSeconds: min(now + $0, expires ?? .max),
                        isClaimOnly: true
                    )
                }
            )
            records.append(record)
            return ((key, record), try answer(key, record))
        }
    }

    /// A function that makes the encrypted answer to a request from the new secret and the record of the key.
    typealias MakeAnswer = (APIKey, KeyRecord) throws(KeyFileError) -> SealedAnswer?

    /// Replaces the secret of a key. Only the result contains the new secret.
    /// - Parameters:
    ///   - grace: seconds for which the former secret stays valid.
    ///   - name: the new name of the key; nil for the former name.
    ///   - answer: makes the answer that is written with the secret; nil for a request without an idempotency key.
    /// - Returns: the new secret and the changed record; nil when no key has this id, or when the key expires later
    ///   than the requester's key.
    func rotateKey(
        id: String,
        grace: Int64,
        name: String? = nil,
        by requester: Principal,
        keeping answer: MakeAnswer = { _, _ in nil }
    ) throws(KeyFileError) -> (key: APIKey, record: KeyRecord)? {
        let key = APIKey.random(of: storeID)
        return try changeKeys(by: requester) { records, own throws(KeyFileError) in
            guard let index = records.firstIndex(where: { $0.id == id }),
                records[index].expiresAtSeconds ?? .max <= own?.expiresAtSeconds ?? .max
            else { return (nil, nil) }
            records[index] = records[index].withNewSecret(
                APIKey.hash(of: key.text) ?? [],
                previousUntil: grace > 0 ? clock.seconds() + grace : nil,
                name: name
            )
            return ((key, records[index]), try answer(key, records[index]))
        }
    }

    /// Makes an id. An id never begins with `-`, since a command line would parse such an id as an option.
    private static func makeID() -> String {
        while true {
            let id = Base64URL.encode(RandomBytes.make(count: 6), padding: false)
            if !id.hasPrefix("-") { return id }
        }
    }

    /// Revokes a key.
    /// - Returns: `false` when no key has this id.
    package func revokeKey(id: String) throws(KeyFileError) -> Bool { try revokeKey(id: id, by: nil) == .revoked }

    /// The effect of a request to revoke a key.
    enum Revocation {
        case revoked
        /// No key has the id.
        case noSuchKey
        /// The key is kept: the request revokes only an unclaimed key, but this key was claimed or needs no claim.
        case keptClaimed
    }

    /// Revokes a key.
    /// - Parameter onlyUnclaimed: true to revoke the key only if it must be claimed and no client has claimed it yet.
    func revokeKey(
        id: String,
        by requester: Principal?,
        onlyUnclaimed: Bool = false
    ) throws(KeyFileError) -> Revocation {
        try changeKeys(by: requester) { records, _ throws(KeyFileError) in
            guard let record = records.first(where: { $0.id == id }) else { return (.noSuchKey, nil) }
            guard !onlyUnclaimed || record.previousSecret?.isClaimOnly == true else { return (.keptClaimed, nil) }
            records.removeAll { $0.id == id }
            return (.revoked, nil)
        }
    }

    /// Changes the list of keys.
    /// - Parameters:
    ///   - requester: the key that requests the change. It may have been revoked after its request was authorized.
    ///   - body: a function that changes the records. The second argument of the function is the requester's record.
    ///     The function returns a result, and the answer that is written with the change.
    private func changeKeys<T>(
        by requester: Principal?,
        _ body: (inout [KeyRecord], KeyRecord?) throws(KeyFileError) -> (T, SealedAnswer?)
    ) throws(KeyFileError) -> T {
        // Without the lock, two processes could undo each other's changes, and a revoked key could become valid again.
        let lock = try wrapFileErrors { () throws(FileSystemError) in try FileLock.acquire("\(path).lock") }
        defer { withExtendedLifetime(lock) {} }
        let before = try loadKeys()
        var own: KeyRecord?
        if let credential = requester?.credential {
            let now = clock.seconds()
            own = before.first { $0.validCredentials(at: now).contains(credential) }
            guard own != nil else { throw .requesterRevoked }
        }
        var records = before
        let (result, made) = try body(&records, own)
        guard records != before else { return result }
        var kept = try readAnswers()
        if var made {
            made.ownerKeyID = requester?.keyID ?? ""
            kept.append(made)
        }
        try writeKeys(records, kept)
        return result
    }

    private func wrapFileErrors<T: ~Copyable>(_ body: () throws(FileSystemError) -> T) throws(KeyFileError) -> T {
        do { return try body() } catch { throw .file(error) }
    }
}
