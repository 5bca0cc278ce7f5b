internal import ChatCore
internal import ChatStore
internal import Concurrency
internal import JSON
internal import SimpleXCrypto

extension RouteContext {
    /// Runs an effect of the gateway itself at most once for an idempotency key. A repeated request gets the first
    /// answer. A refused request has changed nothing, so its repetition may get another answer.
    /// - Parameters:
    ///   - hadEffect: returns whether the request had an effect. The answer is kept only in this case.
    ///   - body: runs the effect; its parameter is nil for a request without an idempotency key. For the places
    ///     `keyFile` and `database`, `body` keeps the answer itself.
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
        // The effect is complete, so the client gets its answer even if the answer cannot be kept.
        switch place {
        case .memory(let seconds):
            // An empty box cannot be opened. A repeated request is then refused, and has no second effect.
            keepAnswerBox((try? sealed.sealAnswer(response)) ?? [], to: sealed, for: seconds)
        case .memoryIfRoom(let seconds):
            guard services.idempotentRequests.hasRoomForAnswer(callerKeyID), let box = try? sealed.sealAnswer(response)
            else { break }
            keepAnswerBox(box, to: sealed, for: seconds)
        case .storeFolder(let requests):
            guard let encoded = StoredAnswer.encode(response) else { break }
            let keyID = callerKeyID
            try? await runBlocking { try requests.keepAnswer(encoded, to: sealed, of: "", for: keyID) }
        case .keyFile, .database: break
        }
        return response
    }

    private func keepAnswerBox(_ box: [UInt8], to sealed: SealedAnswerRequest, for seconds: Int64) {
        services.idempotentRequests.keepAnswerBox(box, to: sealed, of: callerKeyID, for: seconds)
    }

    /// The id of the request's API key; empty without a key.
    private var callerKeyID: String { principal?.keyID ?? "" }

    /// Makes the ``SealedAnswerRequest`` of this request from its idempotency key; nil for a request without an
    /// idempotency key.
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
