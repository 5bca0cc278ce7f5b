internal import JSON

/// Following what happens.
enum Events {
    static let routes: [Route] = [
        Route(.get, "/v1/events", "events", room: "Events", access: .key(.events), entrance: .ticket, profileLimit: .filtered, handler: events),
        Route(.post, "/v1/events/tickets", "createEventTicket", room: "Events", access: .key(.events), profileLimit: .filtered, handler: ticket),
        // What a command that is sent over them needs besides is asked when it comes.
        Route(
            .get, "/v1/events/ws", "eventSocket", room: "Events", access: .key(.events), entrance: .ticket, profileLimit: .filtered,
            handler: eventSocket),
        Route(.get, "/", "cliSocket", room: "Events", access: .key([.read, .write, .events]), entrance: .terminal, handler: cliSocket),
    ]

    /// Long poll, Server-Sent Events or lines of JSON, by `Accept`.
    private static func events(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        try follow(context.services.events, context, filter: EventFilter(userId: context.principal?.userId))
    }

    /// The same for every log that has cursors.
    static func follow(_ hub: EventHub, _ context: RouteContext, filter: EventFilter) throws(ProblemDetails) -> HTTPReply {
        let accept = context.request.header("accept") ?? ""
        let form: HTTPEventSink.Form? =
            accept.contains("text/event-stream") ? .serverSent : accept.contains("application/x-ndjson") ? .lines : nil
        let resumed = form == .serverSent ? context.request.header("last-event-id") : nil
        let after = try position(resumed ?? context.request.parameter("cursor"), hub)
        guard let form else {
            let seconds = try context.number("wait", in: 0...60) ?? 0
            let limit = try context.number("limit", in: 1...1000) ?? 100
            return hub.poll(after: after, filter: filter, limit: Int(limit), seconds: seconds, shares: context.request.header("origin") == nil)
        }
        let stream = HTTPStream()
        let sink = HTTPEventSink(stream: stream, form: form, epoch: hub.epoch)
        let feed = EventFeed(
            after: after, filter: filter, keyID: context.principal?.keyID ?? "", source: hub.source, sink: sink)
        stream.handlers(drain: { feed.drained() }, close: { hub.remove(feed); feed.end() })
        // Something must be sent for the header to leave at once.
        sink.heartbeat()
        guard hub.add(feed) else { throw ProblemDetails(.unavailable, "The server is stopping.") }
        return .now(
            HTTPResponse(
                headers: [
                    ("Content-Type", form == .serverSent ? "text/event-stream" : "application/x-ndjson"),
                    ("Cache-Control", "no-store"), ("X-Accel-Buffering", "no"),
                ], content: .stream(stream)))
    }

    private static func ticket(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        guard let principal = context.principal, let ticket = context.services.tickets.issue(to: principal) else {
            var problem = ProblemDetails(.tooManyRequests, "Too many tickets are open.")
            problem.headers = [("Retry-After", "\(TicketBooth.lifetime)")]
            throw problem
        }
        let body = JSONValue.object(
            JSONObject([("ticket", .string(ticket)), ("expiresIn", .integer(TicketBooth.lifetime))]))
        var response = HTTPResponse(status: 201, json: body.encoded())
        response.headers.append(("Cache-Control", "no-store"))
        return .now(response)
    }

    /// The place after which a reader wants events.
    static func position(_ cursor: String?, _ hub: EventHub) throws(ProblemDetails) -> UInt64 {
        let oldest = hub.source.oldest
        guard let cursor else { return oldest &- 1 }
        if cursor == "now" { return hub.latest }
        guard let dash = cursor.lastIndex(of: "-"), let seq = UInt64(cursor[cursor.index(after: dash)...]) else {
            throw ProblemDetails(.invalidParameter, "A cursor is `epoch-seq` as given with an event, or `now`.")
        }
        guard cursor[..<dash] == hub.epoch, seq &+ 1 >= oldest, seq <= max(hub.latest, hub.source.latest) else {
            var problem = ProblemDetails(.cursorExpired, "The oldest cursor is in `oldest`.")
            problem.members = [("oldest", .string(EventForm.cursor(hub.epoch, oldest &- 1)))]
            throw problem
        }
        return seq
    }
}

extension RouteContext {
    /// A whole number of the query; `nil` when it is absent.
    func number(_ name: String, in range: ClosedRange<Int64>) throws(ProblemDetails) -> Int64? {
        guard let text = request.parameter(name) else { return nil }
        guard let value = Int64(wholeNumber: text), range.contains(value) else {
            throw ProblemDetails(.invalidParameter, "\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound).")
        }
        return value
    }
}
