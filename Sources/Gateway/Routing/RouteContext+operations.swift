internal import ChatCore
internal import Concurrency
internal import JSON
internal import SimpleXCrypto

extension RouteContext {
    /// Answers a request for long work. The answer is the result of the work, if the work ends while the request waits.
    /// Otherwise, or if the client prefers an operation, the answer is 202 with an operation.
    /// - Parameter handler: the handler of the route. The reply `.later` must do the work, not the handler itself.
    func makeReplyInTime(
        _ handler: @Sendable (RouteContext) throws(ProblemDetails) -> HTTPReply
    ) throws(ProblemDetails) -> HTTPReply {
        // A request to a phone makes no operation here, because the phone answers such requests by itself.
        guard let principal, parameters["remoteHostId"] == nil else { return try handler(self) }
        let preference = AnswerPreference(request, usual: services.configuration.longWorkWaitSeconds)
        var identity: RequestIdentity?
        if route.method == .post, let text = request.header("idempotency-key") {
            identity = try self.makeIdentity(of: text)
        }
        if let identity,
            let known = try services.operations.findOperation(identity, of: principal, orDone: preference.isAsync)
        {
            return .now(acceptedResponse(known.operation, known.progress))
        }
        let reply = try handler(self)
        guard case .later(let work) = reply else { return reply }
        return .later { [identity] in await answerInTime(work, preference, identity, principal) }
    }

    private func answerInTime(
        _ work: @escaping @Sendable () async -> HTTPResponse,
        _ preference: AnswerPreference,
        _ identity: RequestIdentity?,
        _ principal: Principal
    ) async -> HTTPResponse {
        let progress = WorkProgress(isCancellable: route.longWork != .uncancellable)
        func begin() async throws(ProblemDetails) -> LongOperation {
            try await services.operations.beginOperation(
                route.operationID,
                parameters,
                of: principal,
                requestID: request.id,
                identity,
                progress
            )
        }
        if preference.waitSeconds == 0 || preference.isAsync && route.longWork == .background {
            do throws(ProblemDetails) {
                let operation = try await begin()
                trackEnd(operation, Task { await runWork(work, progress) })
                return acceptedResponse(operation, progress)
            } catch {
                return error.response(for: request)
            }
        }
        let clock = services.operations.clock
        let end = clock.seconds() + preference.waitSeconds
        let (answers, sender) = AsyncStream.makeStream(of: HTTPResponse?.self)
        let running = Task {
            let response = await runWork(work, progress)
            sender.yield(response)
            return response
        }
        let timer = Task {
            // A cancelled timer yields nil at once. At that time the request has its answer already, so the nil has no
            // effect.
            try? await clock.sleepUntil(end)
            sender.yield(nil)
        }
        defer { timer.cancel() }
        for await answer in answers {
            if let answer { return answer }
            break
        }
        // An operation that cannot be stored in a file would be unknown after a restart. So the request waits for the
        // result.
        guard let operation = try? await begin() else { return await running.value }
        trackEnd(operation, running)
        return acceptedResponse(operation, progress)
    }

    private func runWork(
        _ work: @escaping @Sendable () async -> HTTPResponse,
        _ progress: WorkProgress
    ) async -> HTTPResponse {
        await WorkProgress.$currentProgress.withValue(progress) { await work() }
    }

    /// Waits in the background for the end of the work, and then ends the operation with the result. While the work
    /// runs, the store counts the request as running.
    private func trackEnd(_ operation: LongOperation, _ running: Task<HTTPResponse, Never>) {
        let store = services.storeCore
        store?.runningRequests.beginWork()
        Task {
            var response = await running.value
            store?.runningRequests.endWork()
            if response.status >= 500, store?.refusalReason != nil {
                response = ProblemDetails(.storeLocked).response(for: request)
            }
            await services.operations.endOperation(operation.id, response, makeAnswerSeal(operation.id))
        }
    }

    /// Makes the seal that encrypts the answer of an operation. Only the secret of the API key that began the operation
    /// opens the seal.
    func makeAnswerSeal(_ id: String) -> SealedAnswerRequest? {
        SealedAnswerRequest(
            key: Digest.sha256(Array(id.utf8)),
            fingerprint: [],
            idempotencyKey: id,
            apiKey: SecretBytes(Array((request.presentedKey(for: route) ?? "").utf8))
        )
    }

    private func acceptedResponse(_ operation: LongOperation, _ progress: WorkProgress?) -> HTTPResponse {
        var response = HTTPResponse(status: 202, json: JSONValue.object(operation.describe(progress)).encodeText())
        response.headers += [
            ("Location", LongOperations.path + "/" + operation.id), ("Cache-Control", "no-store"),
        ]
        if AnswerPreference(request).isAsync { response.headers.append(("Preference-Applied", "respond-async")) }
        return response
    }
}
