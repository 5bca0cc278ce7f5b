internal import ChatAPI
internal import ChatStore
internal import SimpleXCrypto

extension RouteContext {
    /// Runs an effect at most once a day for an idempotency key. A repeated request gets the first answer.
    ///
    /// The core commits the answer together with the effect. If a request was interrupted before the commit, its
    /// repetition runs, and continues the interrupted work. A refused request has changed nothing, so its repetition
    /// may get another answer.
    func runIdempotently(
        _ text: String,
        _ success: CommandAnswerForm,
        _ run: @escaping @Sendable (RequestClaim?) async -> HTTPResponse
    ) throws(ProblemDetails) -> HTTPReply {
        let answer: @Sendable (ChatResponse) throws -> HTTPResponse = { try self.makeAnswer($0, success) }
        return runAtMostOnce([try makeIdentity(of: text)], ProblemDetails(.requestInProgress), answer, run)
    }

    /// Runs an effect at most once for a request with several identities.
    /// - Parameters:
    ///   - identities: first the identity under which the answer is kept, then identities under which an earlier
    ///     request may have kept its answer.
    ///   - busy: the problem that is returned while a request with one of the identities is running.
    ///   - answer: makes the answer that is kept.
    func runAtMostOnce(
        _ identities: [RequestIdentity],
        _ busy: ProblemDetails,
        _ answer: @escaping @Sendable (ChatResponse) throws -> HTTPResponse,
        _ run: @escaping @Sendable (RequestClaim?) async -> HTTPResponse
    ) -> HTTPReply {
        let claims = identities.map { identity in
            RequestClaim(requestID: identity.keyHash, fingerprint: identity.fingerprint) { response in
                guard let stored = StoredAnswer.encode(try answer(response)) else {
                    throw ProblemDetails(.internalError)
                }
                return stored
            }
        }
        return .later {
            var begun: [RequestClaim] = []
            defer { for claim in begun { services.idempotentRequests.endRequest(claim.requestID) } }
            for claim in claims {
                guard services.idempotentRequests.beginRequest(claim.requestID) else {
                    return busy.response(for: request)
                }
                begun.append(claim)
            }
            do throws(ProblemDetails) {
                for claim in claims {
                    if let known = try await findKnownAnswer(claim) { return known }
                }
            } catch {
                return error.response(for: request)
            }
            return await run(claims.first)
        }
    }

    /// Returns the hashes that identify a request with an idempotency key: the hash under which the request is stored,
    /// and the fingerprint of its contents.
    /// - Parameter content: a text for the header fields that change the effect of the request. The fingerprint covers
    ///   this text too.
    func makeIdentity(of text: String, content: String = "") throws(ProblemDetails) -> RequestIdentity {
        guard (1...255).contains(text.utf8.count) else {
            throw ProblemDetails(parameter: "Idempotency-Key", "must have 1 to 255 bytes.")
        }
        let query = request.query.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
        var whole: [UInt8] = []
        defer { wipeBytes(&whole) }
        let head = "\(request.method)\n\(request.path)\n\(query)\n".utf8
        // The whole capacity is reserved first, so that the array does not grow and leave copies in memory.
        whole.reserveCapacity(head.count + request.body.count + content.utf8.count)
        whole += head
        request.body.withBytes { whole.append(contentsOf: $0) }
        whole += content.utf8
        return RequestIdentity(
            keyHash: RequestIdentity.hashText("\(principal?.keyID ?? "")\n\(text)"),
            fingerprint: Digest.sha256(whole)
        )
    }

    private func findKnownAnswer(_ claim: RequestClaim) async throws(ProblemDetails) -> HTTPResponse? {
        let stored: StoredRequest?
        do { stored = try await services.core.findStoredRequest(claim.requestID) } catch {
            throw ProblemDetails(.unavailable, "The database does not answer.")
        }
        guard let stored else { return nil }
        guard stored.fingerprint == claim.fingerprint else { throw ProblemDetails(.idempotencyKeyReused) }
        guard let answer = stored.answer else { return nil }
        guard !answer.isEmpty else {
            throw ProblemDetails(.conflict, "The request may have been carried out, but its answer was not kept.")
        }
        guard let response = StoredAnswer.decode(answer) else {
            throw ProblemDetails(.internalError, "The answer that was kept cannot be read.")
        }
        return response
    }
}
