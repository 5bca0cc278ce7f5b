internal import JSON

/// Routes for following events.
enum EventsResource {
    static let routes: [Route] = [
        Route(
            .get,
            "/v1/events",
            "listEvents",
            category: "Events",
            access: .key(.events),
            policy: .events.replacing(\.acceptedCredentials, .ticket),
            follows: true,
            handler: followEvents
        ),
        Route(
            .post,
            "/v1/events/tickets",
            "createEventTicket",
            category: "Events",
            access: .key(.events),
            policy: .events,
            handler: createTicket
        ),
        // When commands are sent over a WebSocket, their scopes are checked later, as each command arrives.
        Route(
            .get,
            "/v1/events/ws",
            "openEventSocket",
            category: "Events",
            access: .key(.events),
            policy: .events.replacing(\.acceptedCredentials, .ticket),
            follows: true,
            handler: openEventSocket
        ),
        Route(
            .get,
            "/",
            "openConsoleSocket",
            category: "Events",
            access: .key([.read, .write, .events]),
            policy: .wholeStore.replacing(\.acceptedCredentials, .terminal),
            follows: true,
            handler: openTerminalSocket
        ),
    ]

    /// Sends events by long poll, Server-Sent Events or lines of JSON, depending on `Accept`.
    private static func followEvents(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let filter = try EventFilter(context)
        return try followLog(context.services.eventHub, context, FollowRequest(context), filter: filter)
    }

    /// Parameters for following a log: the position, the form, and the time to wait for a page.
    struct FollowRequest: Sendable {
        /// The form of the stream; `nil` for a long poll.
        let form: HTTPEventSink.Form?
        let cursor: String?
        let waitSeconds: Int64
        let pageLimit: Int64

        /// Reads the parameters.
        /// - Throws: a problem for invalid parameters and for unknown parameters.
        init(_ context: RouteContext) throws(ProblemDetails) {
            form =
                context.request.accepts("text/event-stream")
                ? .serverSent : context.request.accepts("application/x-ndjson") ? .lines : nil
            let (given, resumed) = (context.readParameter("cursor"), context.request.header("last-event-id"))
            cursor = form == .serverSent ? resumed ?? given : given
            waitSeconds = try context.parseNumber("timeout", in: 0...60) ?? 0
            pageLimit = try context.parseNumber("limit", in: 1...1000) ?? 100
            try context.refuseUnknownNames()
        }
    }

    /// Answers a request to follow the journal, or the changes of a document.
    static func followLog(
        _ hub: EventHub,
        _ context: RouteContext,
        _ request: FollowRequest,
        filter: EventFilter
    ) throws(ProblemDetails) -> HTTPReply {
        let after: UInt64
        do throws(ProblemDetails) { after = try hub.parsePosition(request.cursor) } catch {
            guard request.form == .serverSent, error.code == .cursorExpired else { throw error }
            return .now(HTTPEventSink.makeGapResponse(oldest: error.oldestCursor))
        }
        guard let form = request.form else {
            return hub.answerPoll(
                after: after,
                filter: filter,
                limit: Int(request.pageLimit),
                seconds: request.waitSeconds,
                shares: context.request.header("origin") == nil,
                credential: context.principal?.credential,
                requestID: context.request.id
            )
        }
        let stream = HTTPStream()
        let sink = HTTPEventSink(stream: stream, outputForm: form, epoch: hub.epoch)
        let feed = EventFeed(
            after: after,
            filter: filter,
            credential: context.principal?.credential,
            source: hub.source,
            sink: sink
        )
        let hold = context.linkStreamToTicket { feed.end() }
        stream.setHandlers(
            drain: { feed.resumeSending() },
            close: {
                hold?.release()
                hub.removeFeed(feed)
                feed.end()
            }
        )
        // Some content must be sent, so that the HTTP library sends the header immediately.
        sink.sendHeartbeat(passed: nil)
        guard hub.addFeed(feed) else {
            hold?.release()
            throw ProblemDetails(.unavailable, "The server is stopping.")
        }
        // The secret may have become invalid while the stream was added to the hub, so it is checked again.
        if !context.hasValidSecret { feed.end(.keyEnded) }
        return .now(HTTPResponse(headers: HTTPEventSink.makeHeaders(form), content: .stream(stream)))
    }

    private static func createTicket(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let path: String? = try context.parseBody().decodeIfPresent("path")
        try context.refuseUnknownNames()
        if let path, !acceptsTicket(path) {
            throw ProblemDetails(member: "path", "must be the path of a GET request that accepts tickets.")
        }
        guard context.request.header("idempotency-key") != nil else { return .now(try issueTicket(path, context)) }
        return try context.runOnce(.memory(seconds: TicketStore.lifetimeSeconds)) { _ async throws(ProblemDetails) in
            try issueTicket(path, context)
        }
    }

    private static func issueTicket(_ path: String?, _ context: RouteContext) throws(ProblemDetails) -> HTTPResponse {
        guard let principal = context.principal, let ticket = context.services.tickets.issue(to: principal, path: path)
        else {
            var problem = ProblemDetails(.tooManyRequests, "Too many tickets are open.")
            problem.headers = [("Retry-After", "\(TicketStore.lifetimeSeconds)")]
            throw problem
        }
        let body = JSONValue.object(
            JSONObject([("ticket", .string(ticket)), ("expiresIn", .integer(TicketStore.lifetimeSeconds))])
        )
        var response = HTTPResponse(status: 201, json: body.encodeText())
        response.headers.append(("Cache-Control", "no-store"))
        return response
    }

    private static let ticketRouteRouter = Router(RouteTable.all.filter { $0.policy.acceptedCredentials != .key })

    private static func acceptsTicket(_ path: String) -> Bool {
        if case .found = ticketRouteRouter.matchRoute(method: "GET", path: path) { return true }
        guard let ofPhone = PhonePath.split(path),
            case .found(let route, _) = ticketRouteRouter.matchRoute(method: "GET", path: ofPhone.path)
        else { return false }
        return route.policy.phones == .served
    }
}

extension RouteContext {
    /// Whether the secret of the key that has authorized the request is still valid.
    var hasValidSecret: Bool { principal.map(services.keys.isStillValid) ?? true }

    /// Reads an integer from the query; `nil` when the parameter is absent.
    func parseNumber(_ name: String, in range: ClosedRange<Int64>) throws(ProblemDetails) -> Int64? {
        guard let text = readParameter(name) else { return nil }
        guard let value = Int64(wholeNumber: text), range.contains(value) else {
            throw ProblemDetails(
                parameter: name,
                "must be a whole number from \(range.lowerBound) to \(range.upperBound)."
            )
        }
        return value
    }
}
