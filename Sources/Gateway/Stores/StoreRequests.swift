internal import ChatCore
internal import Files
internal import JSON
internal import SimpleXCrypto

#if canImport(Glibc)
    internal import Glibc
#endif

/// A request with an idempotency key that creates a store.
///
/// Such a request cannot be stored in a database: the first store may be locked, and the new store does not exist yet.
/// The answer contains the API key of the new store, and the disk may have only a hash of an API key. So the answer is
/// stored in a box. The box opens with the request's API key and idempotency key, which only the client knows. The
/// fingerprint of the request is in the box too, since somebody who could read it might guess the passphrase.
struct StoreRequest: Sendable {
    /// The key of the request, the same value as ``RequestClaim/key``.
    let key: [UInt8]
    private let secret: SymmetricKey
    private let fingerprint: [UInt8]

    /// - Parameter apiKey: the API key with which the request was sent.
    init?(key: [UInt8], fingerprint: [UInt8], idempotencyKey: String, apiKey: SecretBytes) {
        let ikm = SecretBytes.concatenating(apiKey, SecretBytes(Array("\n\(idempotencyKey)".utf8)))
        let derived = HKDF.sha512(salt: [], ikm: ikm, info: Array("simplex-gateway answer".utf8), count: 32)
        guard let secret = try? SymmetricKey(derived) else { return nil }
        self.key = key
        self.secret = secret
        self.fingerprint = fingerprint
    }

    fileprivate func seal(_ answer: [UInt8]) throws(CryptoError) -> [UInt8] {
        let nonce = RandomBytes.make(count: 24)
        return nonce
            + (try SecretBox.sealTailTag(
                fingerprint + answer,
                key: secret,
                nonce: try BoxNonce(rawRepresentation: nonce)
            ))
    }

    /// Opens the box with a kept answer.
    /// - Throws: `idempotencyKeyReused`; `internalError` when the box is damaged.
    fileprivate func open(_ box: [UInt8]) throws(ProblemDetails) -> [UInt8] {
        guard let nonce = try? BoxNonce(rawRepresentation: Array(box.prefix(24))),
            let plain = try? SecretBox.openTailTag(box.dropFirst(24), key: secret, nonce: nonce),
            plain.count >= fingerprint.count
        else { throw ProblemDetails(.internalError, "The answer that was kept cannot be read.") }
        guard constantTimeEquals(Array(plain.prefix(fingerprint.count)), fingerprint) else {
            throw ProblemDetails(.idempotencyKeyReused)
        }
        return Array(plain.dropFirst(fingerprint.count))
    }
}

/// The answers to requests that create stores. Each answer is kept for a day in a file, in a folder beside the stores.
///
/// The file is written before the store is renamed to its id, and becomes valid by that rename. If the store was never
/// completed, its file is removed with the store's draft.
struct StoreRequests: Sendable {
    let path: String

    private static let lifetime: Int64 = 86_400

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

    private func file(_ request: StoreRequest) -> String { path + "/" + Base64URL.encode(request.key, padding: false) }

    private func kept(_ file: String) throws(FileSystemError) -> Kept? { try DiskFiles.read(file).flatMap(Kept.init) }

    func answer(to request: StoreRequest) throws -> [UInt8]? {
        guard let kept = try kept(file(request)), kept.until > WallClock.seconds() else { return nil }
        return try request.open(kept.box)
    }

    func keep(_ answer: [UInt8], to request: StoreRequest, of store: String) throws {
        try DiskFiles.makeFolder(path)
        let now = WallClock.seconds()
        remove { $0.map { $0.until <= now } ?? true }
        let json: JSONValue = [
            "store": .string(store), "until": .integer(now + Self.lifetime),
            "box": .string(Base64URL.encode(try request.seal(answer))),
        ]
        try DiskFiles.replace(file(request), with: json.encoded())
    }

    /// Removes the answer for a store that was never completed.
    func discard(_ store: String) { remove { $0?.store == store } }

    private func remove(where isLeft: (Kept?) -> Bool) {
        for name in DiskFiles.entries(path) {
            let file = path + "/" + name
            if isLeft((try? kept(file)) ?? nil) { DiskFiles.removeFile(file) }
        }
    }
}
