internal import ChatCore
internal import Concurrency

/// Requests that wait until their stores are loaded and open.
extension GatewayService {
    private static var storeOpeningProblem: ProblemDetails {
        var problem = ProblemDetails(.unavailable, "The store is being opened. Send this again.")
        problem.headers = [("Retry-After", "1")]
        return problem
    }

    /// Makes the reply to a request that waits until its store is open.
    /// - Parameter body: the body of an upload; nil for other requests.
    func makeReplyAfterOpening(
        _ request: HTTPRequest,
        _ body: HTTPUpload?,
        _ opening: @escaping @Sendable () async throws(ProblemDetails) -> Void
    ) -> HTTPReply {
        .deferred { responder in
            Task { await PoolRequest.runAsRequest { await openStoreAndAnswer(request, body, opening, responder) } }
        }
    }

    /// Opens the store of a request, then answers the request. While the store is being opened, the connection of an
    /// upload is suspended when `HTTPUpload.maxPendingBytes` bytes of the body wait.
    private func openStoreAndAnswer(
        _ request: HTTPRequest,
        _ body: HTTPUpload?,
        _ opening: @escaping @Sendable () async throws(ProblemDetails) -> Void,
        _ responder: HTTPResponder
    ) async {
        var opening = opening
        do throws(ProblemDetails) {
            // First the keys of the store are loaded, then the store is opened. The store may be closed again before
            // the request is admitted, so several attempts are made.
            for _ in 0..<4 {
                try await opening()
                switch try decide(request, isFirst: false) {
                case .waitsForStore(_, _, let next): opening = next
                case .admitted(.refuse(let response)): return responder.respond(response)
                case .admitted(.readWhileArriving(_, let client, let then)):
                    guard let body else { throw ProblemDetails(.internalError) }
                    // The gateway may not have known the key and its client before the store was loaded. So the upload
                    // is counted for the client only now.
                    guard body.countTowardsClientLimit(client) else {
                        return responder.respond(tooManyUploadsResponse(request))
                    }
                    return await send(then(request, body), to: responder)
                case .admitted(.readBody(_, _, _, let then)):
                    return await send(then(request), to: responder)
                }
            }
            throw Self.storeOpeningProblem
        } catch {
            responder.respond(addingCrossOriginHeaders(to: error.response(for: request), request))
        }
    }

    private func send(_ reply: HTTPReply, to responder: HTTPResponder) async {
        switch reply {
        case .now(let response): responder.respond(response)
        case .later(let work): responder.respond(await work())
        case .deferred(let register): register(responder)
        }
    }

    /// Returns a function that loads the stores that a request names. Returns nil when no store has to be loaded. On a
    /// gateway whose stores are not shared by several nodes, requests never load a store.
    func makeStoreLoader(
        _ request: HTTPRequest,
        _ route: Route,
        _ parameters: [String: String]
    ) -> (@Sendable () async throws(ProblemDetails) -> Void)? {
        guard let host = services.storeHost else { return nil }
        let unknown = storeIDs(in: request, route, parameters).filter { host.mayNameUnloadedStore($0) }
        guard !unknown.isEmpty else { return nil }
        return { () async throws(ProblemDetails) in
            for id in unknown { await host.loadStore(id) }
        }
    }

    /// Returns the ids of the stores that the key, the ticket and the path of a request name.
    private func storeIDs(
        in request: HTTPRequest,
        _ route: Route,
        _ parameters: [String: String]
    ) -> [String] {
        [
            request.presentedKey(for: route).flatMap { APIKey.storeID(in: $0) },
            request.parameter("ticket").flatMap { TicketStore.storeID(in: $0) },
            parameters["storeId"],
        ].compactMap(\.self)
    }

    /// Returns a function that opens the store of a request's key. Returns nil when no store has to be opened.
    func makeStoreOpener(
        _ principal: Principal?,
        _ route: Route
    ) -> (@Sendable () async throws(ProblemDetails) -> Void)? {
        guard route.policy.storeUse.opensStore, let host = services.storeHost, let id = principal?.storeID,
            let store = host.findStore(id), host.isClosed(store)
        else { return nil }
        return { () async throws(ProblemDetails) in try await host.openForRequest(store) }
    }
}
