internal import ChatCore
internal import Concurrency
internal import Logging

/// Handles requests. Checks host, origin, route, key, scope, profile and media type before the body is read.
struct GatewayService: HTTPService {
    let router: Router
    let hostPolicy: HostPolicy
    let services: GatewayServices
    let log: Logger
    let wrongKeys = WrongKeys()

    /// The decision about a request.
    private enum Decision {
        case admitted(HTTPAdmission)
        /// The store of the request must be opened first. Then the decision is made again.
        case waitsForStore(Route, client: String, @Sendable () async throws(ProblemDetails) -> Void)
    }

    func decideAdmission(_ request: HTTPRequest) -> HTTPAdmission {
        do throws(ProblemDetails) {
            switch try decide(request, isFirst: true) {
            case .admitted(let admission): return admission
            case .waitsForStore(let route, let client, let opening):
                if case .upload(_, let limit) = route.work {
                    return .readWhileArriving(limit: limit, client: client) { request, body in
                        resumingAfterOpening(request, body, opening)
                    }
                }
                return .readBody(
                    limit: services.configuration.http.maxBodyBytes,
                    follows: route.isFollowing,
                    client: client
                ) { request in resumingAfterOpening(request, nil, opening) }
            }
        } catch {
            return .refuse(addingCrossOriginHeaders(to: error.response(for: request), request))
        }
    }

    private static var storeOpeningProblem: ProblemDetails {
        var problem = ProblemDetails(.unavailable, "The store is being opened. Send this again.")
        problem.headers = [("Retry-After", "1")]
        return problem
    }

    /// Makes the reply to a request that waits until its store is open.
    /// - Parameter body: the body of an upload; nil for other requests.
    private func resumingAfterOpening(
        _ request: HTTPRequest,
        _ body: HTTPUpload?,
        _ opening: @escaping @Sendable () async throws(ProblemDetails) -> Void
    ) -> HTTPReply {
        .deferred { responder in
            Task { await PoolRequest.runAsRequest { await resumeAfterOpening(request, body, opening, responder) } }
        }
    }

    /// Continues a request that has waited until its store is open. Meanwhile, the connection of an upload is suspended
    /// when `HTTPUpload.maxPendingBytes` bytes of the body wait.
    private func resumeAfterOpening(
        _ request: HTTPRequest,
        _ body: HTTPUpload?,
        _ opening: @escaping @Sendable () async throws(ProblemDetails) -> Void,
        _ responder: HTTPResponder
    ) async {
        var opening = opening
        do throws(ProblemDetails) {
            // First the keys of the store are loaded, then the store is opened. The store may be closed again
            // meanwhile, so several attempts are made.
            for _ in 0..<4 {
                try await opening()
                switch try decide(request, isFirst: false) {
                case .waitsForStore(_, _, let next): opening = next
                case .admitted(.refuse(let response)): return responder.respond(response)
                case .admitted(.readWhileArriving(_, let client, let then)):
                    guard let body else { throw ProblemDetails(.internalError) }
                    // The key may have become known only now.
                    guard body.countForClient(client) else {
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

    /// Returns the stores in the key, the ticket and the path of a request.
    private func storeIDs(in request: HTTPRequest, _ parameters: [String: String]) -> [String] {
        [
            request.presentedKey.flatMap { APIKey.storeID(in: $0) },
            request.parameter("ticket").flatMap { TicketStore.storeID(in: $0) },
            parameters["storeId"],
        ].compactMap(\.self)
    }

    /// Returns the function that opens the closed store of a request's key; nil when no store has to be opened.
    private func storeOpener(
        _ principal: Principal?,
        _ route: Route
    ) -> (@Sendable () async throws(ProblemDetails) -> Void)? {
        guard route.policy.storeUse.opensStore, let host = services.storeHost, let id = principal?.storeID,
            let store = host.findStore(id), host.isClosed(store)
        else { return nil }
        return { () async throws(ProblemDetails) in try await host.openForRequest(store) }
    }

    private func decide(_ request: HTTPRequest, isFirst: Bool) throws(ProblemDetails) -> Decision {
        if let problem = hostPolicy.check(request) { throw problem }
        guard !request.hasMalformedTarget else {
            throw ProblemDetails(
                .malformedRequest,
                "In the URL, two hexadecimal digits must follow each %, and the decoded text must be UTF-8 without NUL."
            )
        }
        if request.method == "OPTIONS", let origin = hostPolicy.allowedOrigin(request) {
            return .admitted(.refuse(preflightResponse(origin)))
        }
        // People may type the slash, but the addresses of these pages end without it. The target is relative, because a
        // proxy may serve this server under another path.
        if ["/app/", "/docs/"].contains(request.path), ["GET", "HEAD"].contains(request.method) {
            return .admitted(.refuse(Self.redirect(to: ".." + request.path.dropLast())))
        }
        let (route, parameters, remoteHost) = try findRoute(request)
        request.trace.changeFacts { facts in
            facts.route = route.template
            facts.deprecation = route.deprecation
            facts.traceContext = TraceContext(request.header("traceparent"))
            facts.isStreamOrPoll = route.isFollowing
            facts.isProbe = route.policy.callers != .clients
        }
        if let page = redirectBrowser(request, route) { return .admitted(.refuse(page)) }
        if isFirst, !request.trace.facts.isProbe {
            let seconds = services.clientRates.countRequest(request.address)
            request.trace.addQuota(services.clientRates.quota(request.address))
            if let seconds { throw rateLimitProblem("Too many requests have come from this address.", seconds) }
        }
        if isFirst, let host = services.storeHost {
            let unknown = storeIDs(in: request, parameters).filter { host.mayBeUnloaded($0) }
            if !unknown.isEmpty {
                return .waitsForStore(route, client: "") { () async throws(ProblemDetails) in
                    for id in unknown { await host.loadStore(id) }
                }
            }
        }
        let principal = try authorize(request, route, parameters, remoteHost)
        request.trace.changeFacts { ($0.keyID, $0.storeID) = (principal?.keyID, principal?.storeID) }
        if let opening = storeOpener(principal, route) {
            return .waitsForStore(route, client: principal?.keyID ?? "", opening)
        }
        let seconds = services.clientRates.countRequest(principal)
        request.trace.addQuota(services.clientRates.quota(principal))
        if let seconds { throw rateLimitProblem("Too many requests have come with this key.", seconds) }
        let own = try selectServices(principal, route)
        let services =
            try remoteHost.map { id throws(ProblemDetails) in try Self.findPhoneServices(of: id, own, principal) }
            ?? own
        @Sendable func answer(
            _ request: HTTPRequest,
            _ work: (RouteContext) throws(ProblemDetails) -> HTTPReply
        ) -> HTTPReply {
            let context = RouteContext(
                request: request,
                route: route,
                parameters: parameters,
                principal: principal,
                services: services
            )
            let reply: HTTPReply
            do throws(ProblemDetails) { reply = try work(context) } catch {
                reply = .now(error.response(for: request))
            }
            return addingCrossOriginHeaders(to: countingRequest(reply, context), request)
        }
        switch route.work {
        case .upload(let upload, let limit):
            try checkContentCoding(request)
            return .admitted(
                .readWhileArriving(limit: limit, client: principal?.keyID ?? "") { request, body in
                    answer(request) { context throws(ProblemDetails) in try upload(context, body) }
                }
            )
        case .handler(let handler):
            try checkMediaType(request, route)
            return .admitted(
                .readBody(
                    limit: services.configuration.http.maxBodyBytes,
                    follows: route.isFollowing,
                    client: principal?.keyID ?? ""
                ) { request in
                    answer(request) { context throws(ProblemDetails) in
                        let reply =
                            route.longWork == nil ? try handler(context) : try context.answeringInTime(handler)
                        return reply.compressedIfAccepted(for: request, route.policy.answers)
                    }
                }
            )
        }
    }

    func rateLimitProblem(_ detail: String, _ seconds: Int64) -> ProblemDetails {
        var problem = ProblemDetails(.tooManyRequests, detail)
        problem.headers = [("Retry-After", "\(seconds)")]
        return problem
    }

    /// Redirects a browser that opens the URL of this server to the web client, because the resource at `/` is for
    /// programs. Returns nil for other requests.
    private func redirectBrowser(_ request: HTTPRequest, _ route: Route) -> HTTPResponse? {
        guard route.policy.acceptedCredentials == .terminal, request.header("upgrade") == nil,
            request.header("accept")?.contains("text/html") == true
        else { return nil }
        return Self.redirect(to: "app")
    }

    private static func redirect(to place: String) -> HTTPResponse {
        HTTPResponse(status: 303, headers: [("Location", place), ("Cache-Control", "no-store")])
    }

    func bodyTooLargeResponse(_ request: HTTPRequest, limit: Int) -> HTTPResponse {
        ProblemDetails(.bodyTooLarge, "The body can have at most \(limit) bytes.").response(for: request)
    }

    func tooManyStreamsResponse(_ request: HTTPRequest) -> HTTPResponse {
        unavailableResponse(request, "Too many streams and long polls are open. Commands are still answered.")
    }

    func tooManyUploadsResponse(_ request: HTTPRequest) -> HTTPResponse {
        unavailableResponse(request, "Too many files are being uploaded at the same time.")
    }

    private func unavailableResponse(_ request: HTTPRequest, _ detail: String) -> HTTPResponse {
        var problem = ProblemDetails(.unavailable, detail)
        problem.headers = [("Retry-After", "5")]
        return addingCrossOriginHeaders(to: problem.response(for: request), request)
    }

    func tooMuchUnreadResponse(_ request: HTTPRequest) -> HTTPResponse {
        addingCrossOriginHeaders(to: ProblemDetails.tooMuchUnreadProblem.response(for: request), request)
    }

    func malformedResponse(_ request: HTTPRequest, _ defect: FramingDefect) -> HTTPResponse {
        var problem = ProblemDetails(defect.status == 501 ? .notImplemented : .malformedRequest, defect.text)
        problem.statusOverride = defect.status
        problem.headers = [("Connection", "close")]
        return problem.response(for: request)
    }

    func didFinish(_ finished: FinishedRequest) {
        let facts = finished.request.trace.facts
        services.metrics.countRequest(
            method: finished.request.method,
            route: facts.route,
            follows: facts.isStreamOrPoll,
            status: finished.status,
            microseconds: finished.microseconds,
            bytes: finished.contentBytes
        )
        accessLog.writeLine(finished, facts)
        services.configuration.spanExporter?.addRequest(finished, facts)
    }

    var accessLog: AccessLog { AccessLog(log: log) }

    /// Finds the route of a path, and the id of the phone that serves the request; nil for a request to this gateway.
    private func findRoute(
        _ request: HTTPRequest
    ) throws(ProblemDetails) -> (Route, [String: String], remoteHost: Int64?) {
        if case .none = router.matchRoute(method: request.method, path: request.path),
            let (id, path) = PhonePath.split(request.path)
        {
            let (route, parameters) = try findRoute(request, path)
            guard route.policy.phones == .served else { throw ProblemDetails(.unknownRoute) }
            return (route, parameters.merging(["remoteHostId": "\(id)"]) { own, _ in own }, id)
        }
        let (route, parameters) = try findRoute(request, request.path)
        return (route, parameters, nil)
    }

    private func findRoute(_ request: HTTPRequest, _ path: String) throws(ProblemDetails) -> (Route, [String: String]) {
        switch router.matchRoute(method: request.method, path: path) {
        case .found(let route, let parameters):
            // A parameter that is given twice is refused, because one of its values would be ignored.
            var names: Set<String> = []
            for field in request.query where !names.insert(field.name).inserted {
                throw ProblemDetails(.invalidParameter, "A parameter of the query can be given only once.")
            }
            return (route, parameters)
        case .otherMethods(let methods):
            var problem = ProblemDetails(.methodNotAllowed)
            var names = methods.map(\.rawValue)
            if methods.contains(.get) { names.append("HEAD") }
            problem.headers = [("Allow", names.joined(separator: ", "))]
            throw problem
        case .none:
            throw ProblemDetails(.unknownRoute)
        }
    }

    /// Counts the request in the metrics of its own store, unless it is the first store. If the store was locked
    /// meanwhile, a 5xx answer becomes `storeLocked` (503).
    private func countingRequest(_ reply: HTTPReply, _ context: RouteContext) -> HTTPReply {
        guard let store = context.services.storeCore else {
            // Long work, such as a backup, waits for databases like work in the background.
            guard case .gateway = context.route.policy.storeUse, context.route.longWork == nil else { return reply }
            return reply.asPoolRequest
        }
        let (request, begin) = (context.request, MonotonicClock.microseconds())
        let metrics = context.services.isForFirstStore ? nil : context.services.metrics
        store.runningRequests.beginWork()
        // A long poll waits for an event, and needs no processor.
        let shared = context.route.isFollowing ? reply : reply.inShare(store.share)
        return shared.asPoolRequest.map { response in
            var response = response
            store.runningRequests.endWork()
            if response.status >= 500, store.refusalReason != nil {
                response = ProblemDetails(.storeLocked).response(for: request)
            }
            let facts = request.trace.facts
            metrics?.countRequest(
                method: request.method,
                route: facts.route,
                follows: facts.isStreamOrPoll,
                status: response.status,
                microseconds: MonotonicClock.microseconds() - begin,
                bytes: nil
            )
            return response
        }
    }

    private func checkMediaType(_ request: HTTPRequest, _ route: Route) throws(ProblemDetails) {
        guard request.header("content-length").map({ $0 != "0" }) ?? (request.header("transfer-encoding") != nil) else {
            return
        }
        // A DELETE with a body is refused, because proxies may remove the body (RFC 9110, section 9.3.5).
        guard route.method != .delete else {
            throw ProblemDetails(
                .malformedRequest,
                "A DELETE has no body: send its members in the query, and a password in the header Current-Password."
            )
        }
        try checkContentCoding(request)
        guard let field = request.header("content-type") else { return }
        let type = field.split(separator: ";").first.map { $0.trimmingSpaces.lowercased() } ?? ""
        if route.acceptsPlainText, try request.isPlainTextBody() { return }
        // The media type of forms is accepted for JSON too, because `curl -d` sends it for every body.
        guard type == "application/json" || type.hasSuffix("+json") || type == "application/x-www-form-urlencoded"
        else {
            throw ProblemDetails(.unsupportedMediaType)
        }
    }

    private func checkContentCoding(_ request: HTTPRequest) throws(ProblemDetails) {
        if let coding = request.header("content-encoding")?.lowercased(), coding != "identity" {
            throw ProblemDetails(.unsupportedMediaType, "Content-Encoding \(coding) is not supported.")
        }
    }
}
