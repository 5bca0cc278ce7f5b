internal import ChatCore
internal import ChatStore
internal import Concurrency
internal import JSON
internal import SimpleXCrypto

/// A request with an idempotency key whose answer is kept encrypted, in a box.
///
/// The answer may contain a secret of which the disk may have only a hash, such as an API key. The box opens with the
/// request's API key and idempotency key, which only the client knows. The fingerprint of the request is in the box
/// too, since somebody who could read it might guess a passphrase in the request.
struct SealedAnswerRequest: Sendable {
    /// The id of the request: a hash of the API key's id and the idempotency key. For the answer of a long operation,
    /// the id is a hash of the operation's id.
    let keyHash: [UInt8]
    let fingerprint: [UInt8]
    private let boxKey: SymmetricKey

    /// - Parameter apiKey: the API key with which the request was sent.
    init?(key: [UInt8], fingerprint: [UInt8], idempotencyKey: String, apiKey: SecretBytes) {
        let ikm = SecretBytes.concatenating(apiKey, SecretBytes(Array("\n\(idempotencyKey)".utf8)))
        let derived = HKDF.sha512(salt: [], ikm: ikm, info: Array("simplex-gateway answer".utf8), count: 32)
        guard let secret = try? SymmetricKey(derived) else { return nil }
        self.init(key: key, fingerprint: fingerprint, secret: secret)
    }

    private init(key: [UInt8], fingerprint: [UInt8], secret: SymmetricKey) {
        (self.keyHash, self.fingerprint, self.boxKey) = (key, fingerprint, secret)
    }

    /// Returns this request with a fingerprint that also covers the body. Used for a body that is read while it
    /// arrives.
    /// - Parameter digest: the digest of the body.
    func withBodyDigest(body digest: [UInt8]) -> SealedAnswerRequest {
        SealedAnswerRequest(key: keyHash, fingerprint: Digest.sha256(fingerprint + digest), secret: boxKey)
    }

    func sealAnswer(_ answer: [UInt8]) throws(CryptoError) -> [UInt8] {
        let nonce = RandomBytes.make(count: 24)
        return nonce
            + (try SecretBox.sealTailTag(
                fingerprint + answer,
                key: boxKey,
                nonce: try BoxNonce(rawRepresentation: nonce)
            ))
    }

    /// Encrypts an answer in a box.
    /// - Throws: `internalError` when the answer has another form than JSON.
    func sealAnswer(_ answer: HTTPResponse) throws(ProblemDetails) -> [UInt8] {
        guard let encoded = StoredAnswer.encode(answer), let box = try? sealAnswer(encoded) else {
            throw ProblemDetails(.internalError, "The answer cannot be kept.")
        }
        return box
    }

    /// Makes the row of the chat database in which the encrypted answer is kept.
    func makeRow(with answer: HTTPResponse) throws(ProblemDetails) -> AnsweredRequest {
        AnsweredRequest(key: keyHash, fingerprint: fingerprint, answer: try sealAnswer(answer))
    }

    /// Opens the box with a kept answer.
    /// - Throws: `conflict` when the secret of this request does not open the box; `idempotencyKeyReused` when the box
    ///   is of a different request.
    func openBox(_ box: [UInt8]) throws(ProblemDetails) -> [UInt8] {
        guard let nonce = try? BoxNonce(rawRepresentation: Array(box.prefix(24))),
            let plain = try? SecretBox.openTailTag(box.dropFirst(24), key: boxKey, nonce: nonce),
            plain.count >= fingerprint.count
        else {
            throw ProblemDetails(
                .conflict,
                "The request was carried out. Its answer can be read only with the secret with which it was sent."
            )
        }
        guard constantTimeEquals(Array(plain.prefix(fingerprint.count)), fingerprint) else {
            throw ProblemDetails(.idempotencyKeyReused)
        }
        return Array(plain.dropFirst(fingerprint.count))
    }

    /// Opens a box, and makes the answer to a repeated request from the contents of the box.
    func openAnswer(in box: [UInt8]) throws(ProblemDetails) -> HTTPResponse {
        guard var response = StoredAnswer.decode(try openBox(box)) else {
            throw ProblemDetails(.internalError, "The answer that was kept cannot be read.")
        }
        response.headers.append(("Cache-Control", "no-store"))
        return response
    }
}

extension KeyFile.SealedAnswer {
    init(_ request: SealedAnswerRequest, _ answer: HTTPResponse, at now: Int64) throws(KeyFileError) {
        do throws(ProblemDetails) { box = try request.sealAnswer(answer) } catch { throw .answerNotKept }
        self.requestHash = request.keyHash
        keptUntilSeconds = now + RequestClaim.lifetimeSeconds
    }
}

/// The place where an answer is kept for repetitions of its request. Used for requests that run no command of the core.
enum AnswerPlace: Sendable {
    /// The answer is kept in memory for this number of seconds. Used for effects that end with the process.
    case memory(seconds: Int64)
    /// The answer is kept in memory for this number of seconds, if the limit of kept answers is not reached. Used for
    /// effects that do no harm if they are repeated.
    case memoryIfRoom(seconds: Int64)
    /// The answer is kept in a folder beside the stores. It is written after the effect.
    case storeFolder(StoreRequestAnswers)
    /// The answer is kept in the file of the API keys. The code that makes the effect also writes the answer, in one
    /// write of the file.
    case keyFile(KeyFile)
    /// The answer is kept in the chat database. The code that makes the effect also writes the answer, in one
    /// transaction with the effect.
    case database

    /// The answer is kept in memory for a day.
    static let memory = AnswerPlace.memory(seconds: RequestClaim.lifetimeSeconds)
}

extension RouteContext {
    /// Runs an effect of the gateway itself at most once for an idempotency key. A repeated request gets the first
    /// answer. A refused request has changed nothing, so its repetition may get another answer.
    /// - Parameters:
    ///   - hadEffect: returns whether the request had an effect. The answer is kept only in this case.
    ///   - body: gets the request if it has an idempotency key. For the places `keyFile` and `database`, `body` keeps
    ///     the answer itself.
    func runOnce(
        _ place: AnswerPlace,
        keepingIf hadEffect: @escaping @Sendable (HTTPResponse) -> Bool = { _ in true },
        _ body: @escaping @Sendable (SealedAnswerRequest?) async throws(ProblemDetails) -> HTTPResponse
    ) throws(ProblemDetails) -> HTTPReply {
        guard let sealed = try makeSealedAnswerRequest() else {
            return replyLater { () async throws(ProblemDetails) in try await body(nil) }
        }
        return replyLater { () async throws(ProblemDetails) in
            try await runOnce(sealed, place, keepingIf: hadEffect, body)
        }
    }

    /// Runs an effect at most once for a request with an idempotency key, as ``runOnce(_:keepingIf:_:)`` does.
    func runOnce(
        _ sealed: SealedAnswerRequest,
        _ place: AnswerPlace,
        keepingIf hadEffect: (HTTPResponse) -> Bool = { _ in true },
        _ body: (SealedAnswerRequest?) async throws(ProblemDetails) -> HTTPResponse
    ) async throws(ProblemDetails) -> HTTPResponse {
        guard services.idempotentRequests.beginRequest(sealed.keyHash) else {
            throw ProblemDetails(.requestInProgress)
        }
        defer { services.idempotentRequests.endRequest(sealed.keyHash) }
        if let known = try await findKnownAnswer(sealed, in: place) { return known }
        let response = try await body(sealed)
        guard (200...299).contains(response.status), hadEffect(response) else { return response }
        switch place {
        case .memory(let seconds):
            services.idempotentRequests.keepAnswerBox(
                try sealed.sealAnswer(response),
                to: sealed,
                of: callerKeyID,
                for: seconds
            )
        case .memoryIfRoom(let seconds):
            guard services.idempotentRequests.hasRoomForAnswer(callerKeyID) else { break }
            services.idempotentRequests.keepAnswerBox(
                try sealed.sealAnswer(response),
                to: sealed,
                of: callerKeyID,
                for: seconds
            )
        case .storeFolder(let requests):
            // The effect is complete, so the client gets its answer even if the answer cannot be kept.
            guard let encoded = StoredAnswer.encode(response) else { break }
            let keyID = callerKeyID
            try? await runBlocking { try requests.keepAnswer(encoded, to: sealed, of: "", for: keyID) }
        case .keyFile, .database: break
        }
        return response
    }

    /// The id of the request's API key; empty without a key.
    private var callerKeyID: String { principal?.keyID ?? "" }

    /// Makes the sealed request from this request and its idempotency key; nil for a request without an idempotency
    /// key.
    func makeSealedAnswerRequest() throws(ProblemDetails) -> SealedAnswerRequest? {
        guard let text = request.header("idempotency-key") else { return nil }
        let identity = try makeIdentity(of: text)
        let apiKey = SecretBytes(Array((request.presentedKey(for: route) ?? "").utf8))
        guard
            let made = SealedAnswerRequest(
                key: identity.keyHash,
                fingerprint: identity.fingerprint,
                idempotencyKey: text,
                apiKey: apiKey
            )
        else { throw ProblemDetails(.internalError) }
        return made
    }

    private func findKnownAnswer(
        _ sealed: SealedAnswerRequest,
        in place: AnswerPlace
    ) async throws(ProblemDetails) -> HTTPResponse? {
        let box: [UInt8]?
        do {
            switch place {
            case .memory:
                box = services.idempotentRequests.findAnswerBox(of: sealed)
                // An earlier answer must not be removed for a new answer, because the repetition of the earlier request
                // would have a second effect.
                guard box != nil || services.idempotentRequests.hasRoomForAnswer(callerKeyID) else {
                    throw ProblemDetails(
                        .tooManyRequests,
                        "Too many answers to requests with Idempotency-Key are kept."
                    )
                }
            case .memoryIfRoom: box = services.idempotentRequests.findAnswerBox(of: sealed)
            case .storeFolder(let requests):
                box = try await runBlocking { try requests.findAnswerBox(of: sealed, for: callerKeyID) }
            case .keyFile(let file):
                box = try await runBlocking { try file.findAnswerBox(of: sealed.keyHash, for: callerKeyID) }
            case .database:
                guard let stored = try await services.core.findStoredRequest(sealed.keyHash) else { return nil }
                guard stored.fingerprint == sealed.fingerprint else { throw ProblemDetails(.idempotencyKeyReused) }
                box = stored.answer
            }
        } catch {
            throw error as? ProblemDetails ?? ProblemDetails(.unavailable, "The answers that were kept cannot be read.")
        }
        return try box.map { box throws(ProblemDetails) in try sealed.openAnswer(in: box) }
    }
}
