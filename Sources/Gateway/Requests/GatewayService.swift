internal import Clocks
internal import ChatCore
internal import Concurrency
internal import Logging

/// Handles requests. Checks host, origin, route, key, scope, profile and media type before the body is read.
struct GatewayService: HTTPService {
    let router: Router
    let hostPolicy: HostPolicy
    let services: GatewayServices
    let log: Logger
    let accessLog: AccessLog
    let wrongKeys = WrongKeys()

    /// The decision about a request. The first decision is made before the body of the request is read.
    enum Decision {
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
                        makeReplyAfterOpening(request, body, opening)
                    }
                }
                return .readBody(
                    limit: services.configuration.http.maxBodyBytes,
                    isStreamOrPoll: route.isStreamOrPoll,
                    client: client
                ) { request in makeReplyAfterOpening(request, nil, opening) }
            }
        } catch {
            return .refuse(addingCrossOriginHeaders(to: error.response(for: request), request))
        }
    }

    /// Decides by the header of a request how the request is handled.
    /// - Parameter isFirst: false for a request that has waited for its store.
    func decide(_ request: HTTPRequest, isFirst: Bool) throws(ProblemDetails) -> Decision {
        if let problem = hostPolicy.check(request) { throw problem }
        guard !request.hasMalformedTarget else {
            throw ProblemDetails(
                .malformedRequest,
                "In the URL, two hexadecimal digits must follow each %, and the decoded text must be UTF-8 without NUL."
            )
        }
        if let response = answerWithoutRoute(request) { return .admitted(.refuse(response)) }
        let (route, parameters, remoteHost) = try findRoute(request)
        request.trace.changeFacts { facts in
            facts.route = route.template
            facts.deprecation = route.deprecation
            facts.traceContext = TraceContext(request.header("traceparent"))
            facts.isStreamOrPoll = route.isStreamOrPoll
            facts.isProbe = route.policy.callers != .clients
        }
        if let page = redirectBrowser(request, route) { return .admitted(.refuse(page)) }
        if isFirst {
            try checkAddressRate(of: request)
            if let loading = makeStoreLoader(request, route, parameters) {
                return .waitsForStore(route, client: "", loading)
            }
        }
        let principal = try authorize(request, route, parameters, remoteHost)
        request.trace.changeFacts { ($0.keyID, $0.storeID) = (principal?.keyID, principal?.storeID) }
        if let opening = makeStoreOpener(principal, route) {
            return .waitsForStore(route, client: principal?.keyID ?? "", opening)
        }
        try checkKeyRate(principal, request)
        let own = try selectServices(principal, route)
        let services =
            try remoteHost.map { id throws(ProblemDetails) in try Self.findPhoneServices(of: id, own, principal) }
            ?? own
        return .admitted(
            try admit(
                RouteContext(
                    request: request,
                    route: route,
                    parameters: parameters,
                    principal: principal,
                    services: services
                )
            )
        )
    }

    /// Answers a preflight request, and redirects from `/app/` and `/docs/` to the paths without the slash at the end.
    /// Returns nil for other requests.
    private func answerWithoutRoute(_ request: HTTPRequest) -> HTTPResponse? {
        if request.method == "OPTIONS", let origin = hostPolicy.allowedOrigin(request) {
            return preflightResponse(origin)
        }
        // People may type the slash. The target of the redirect is relative, because a proxy may serve this server
        // under another path.
        if ["/app/", "/docs/"].contains(request.path), ["GET", "HEAD"].contains(request.method) {
            return Self.redirect(to: ".." + request.path.dropLast())
        }
        return nil
    }

    /// Counts a request against the rate limit of its address. Requests of monitoring programs and health checks are
    /// not counted. Throws when the limit is exceeded.
    private func checkAddressRate(of request: HTTPRequest) throws(ProblemDetails) {
        guard !request.trace.facts.isProbe else { return }
        let seconds = services.clientRates.countRequest(request.address)
        request.trace.addQuota(services.clientRates.makeQuota(request.address))
        if let seconds { throw rateLimitProblem("Too many requests have come from this address.", seconds) }
    }

    /// Counts a request against the rate limit of its key. Throws when the limit is exceeded.
    private func checkKeyRate(_ principal: Principal?, _ request: HTTPRequest) throws(ProblemDetails) {
        let seconds = services.clientRates.countRequest(principal)
        request.trace.addQuota(services.clientRates.makeQuota(principal))
        if let seconds { throw rateLimitProblem("Too many requests have come with this key.", seconds) }
    }

    /// Admits a request to its route, if the route accepts the media type of the body.
    /// - Parameter context: the context of the request, without the body.
    private func admit(_ context: RouteContext) throws(ProblemDetails) -> HTTPAdmission {
        let (route, client) = (context.route, context.principal?.keyID ?? "")
        switch route.work {
        case .upload(let upload, let limit):
            try checkContentCoding(context.request)
            return .readWhileArriving(limit: limit, client: client) { request, body in
                answer(request, context) { context throws(ProblemDetails) in try upload(context, body) }
            }
        case .handler(let handler):
            try checkMediaType(context.request, route)
            return .readBody(
                limit: context.services.configuration.http.maxBodyBytes,
                isStreamOrPoll: route.isStreamOrPoll,
                client: client
            ) { request in
                answer(request, context) { context throws(ProblemDetails) in
                    let reply = route.longWork == nil ? try handler(context) : try context.makeReplyInTime(handler)
                    return reply.compressedIfAccepted(for: request, route.policy.answers)
                }
            }
        }
    }

    /// Runs the handler of a route.
    /// - Parameter request: the request with its body.
    private func answer(
        _ request: HTTPRequest,
        _ context: RouteContext,
        _ work: (RouteContext) throws(ProblemDetails) -> HTTPReply
    ) -> HTTPReply {
        var context = context
        context.request = request
        let reply: HTTPReply
        do throws(ProblemDetails) { reply = try work(context) } catch {
            reply = .now(error.response(for: request))
        }
        return addingCrossOriginHeaders(to: makeReplyCountedByStore(reply, context), request)
    }

    func rateLimitProblem(_ detail: String, _ seconds: Int64) -> ProblemDetails {
        var problem = ProblemDetails(.tooManyRequests, detail)
        problem.headers = [("Retry-After", "\(seconds)")]
        return problem
    }

    /// Redirects a browser from `/` to the web client, because the resource at `/` is for programs. Returns nil for
    /// other requests.
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
            microseconds: finished.durationMicroseconds,
            bytes: finished.contentBytes
        )
        accessLog.writeLine(finished, facts)
        services.configuration.spanExporter?.addRequest(finished, facts)
    }

    /// Returns a reply that also counts its request in the metrics of the store, if the store is not the first store.
    /// If the store was locked while the request ran, a 5xx answer becomes `storeLocked` (503).
    private func makeReplyCountedByStore(_ reply: HTTPReply, _ context: RouteContext) -> HTTPReply {
        guard let store = context.services.storeCore else {
            // A request to the gateway itself waits only a short time for a database. Long work, such as a backup,
            // waits without this limit.
            guard case .gateway = context.route.policy.storeUse, context.route.longWork == nil else { return reply }
            return reply.asPoolRequest
        }
        let (request, begin) = (context.request, MonotonicClock.microseconds())
        let metrics = context.services.isForFirstStore ? nil : context.services.metrics
        store.runningRequests.beginWork()
        // A long poll waits for an event, and needs no processor.
        let shared = context.route.isStreamOrPoll ? reply : reply.limitedToShare(store.share)
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
