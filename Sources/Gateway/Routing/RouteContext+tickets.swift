extension RouteContext {
    /// Registers a stream with the ticket that has opened it, and ends an older stream of the ticket. Returns nil if
    /// the request was not authorized by a ticket.
    /// - Parameter end: ends the stream.
    func linkStreamToTicket(end: @escaping @Sendable () -> Void) -> StreamTicketLink? {
        guard route.policy.acceptedCredentials != .key, request.header("authorization") == nil,
            let ticket = request.parameter("ticket")
        else { return nil }
        return services.tickets.attachStream(ticket, end: end)
    }
}
