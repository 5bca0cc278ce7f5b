extension EventsResource {
    static func openEventSocket(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        try followOverSocket(.entries, context.services.eventHub, context, filter: EventFilter(context))
    }

    /// Opens the socket of the terminal protocol. A client without a cursor goes on at the position that the gateway
    /// keeps for the key of the client.
    static func openTerminalSocket(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let cursor = context.readParameter("cursor")
        let after = cursor == nil ? nil : try context.services.eventHub.parsePosition(cursor)
        return try openSession(
            .terminal,
            after: after,
            context.services.eventHub,
            context,
            filter: EventFilter(context)
        )
    }

    /// Opens the socket for the changes of a document.
    static func openChangesSocket(_ hub: EventHub, _ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        try followOverSocket(.changes, hub, context, filter: EventFilter())
    }

    private static func followOverSocket(
        _ form: SocketSession.Form,
        _ hub: EventHub,
        _ context: RouteContext,
        filter: EventFilter
    ) throws(ProblemDetails) -> HTTPReply {
        let after: UInt64
        do throws(ProblemDetails) { after = try hub.parsePosition(context.readParameter("cursor")) } catch {
            guard error.code == .cursorExpired else { throw error }
            try context.refuseUnknownNames()
            return .now(try SocketSession.makeGapResponse(context, oldest: error.oldestCursor))
        }
        return try openSession(form, after: after, hub, context, filter: filter)
    }

    private static func openSession(
        _ form: SocketSession.Form,
        after: UInt64?,
        _ hub: EventHub,
        _ context: RouteContext,
        filter: EventFilter
    ) throws(ProblemDetails) -> HTTPReply {
        try context.refuseUnknownNames()
        let session = SocketSession(
            form: form,
            principal: context.principal,
            services: context.services,
            hub: hub,
            address: context.request.address
        )
        return .now(
            try context.makeSocketAnswer(over: session) { connection in
                session.start(connection, after: after, filter: filter) { feed in
                    context.linkStreamToTicket { feed.end() }
                }
            }
        )
    }
}
