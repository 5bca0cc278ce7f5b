extension RouteContext {
    /// Ties a stream to the ticket that has opened the stream. Returns nil if no ticket was used.
    func linkStreamToTicket(end: @escaping @Sendable () -> Void) -> StreamTicketLink? {
        guard route.policy.acceptedCredentials != .key, request.header("authorization") == nil,
            let ticket = request.parameter("ticket")
        else { return nil }
        return services.tickets.attachStream(ticket, end: end)
    }
}
