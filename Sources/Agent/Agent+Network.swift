public import SMP

/// How the agent uses the network; see ``NetworkSettings``. All of it may be called before the start too.
extension Agent {
    public var network: NetworkSettings { state.withLock { $0.network } }

    /// Uses other settings from now on. Sessions are made anew with them, and subscriptions restored.
    public func setNetwork(_ settings: NetworkSettings) {
        let clients = state.withLock { state in
            state.network = settings
            return state.run?.clients
        }
        clients?.use(settings)
    }

    /// Takes notice of what the system says of the network. Without one nobody reconnects or sends; on a slow one all has longer times.
    ///
    /// That there is none is not believed within two seconds of the last news: networks come and go when they change.
    public func setNetworkInfo(isOnline: Bool, isSlow: Bool) {
        let now = ContinuousClock.now
        let clients = state.withLock { state -> RelayClients? in
            if !isOnline, let last = state.networkInfoAt, now - last < .seconds(2) { return nil }
            state.networkInfoAt = now
            state.isSlowNetwork = isSlow
            gate.set(isOpen: isOnline)
            return state.run?.clients
        }
        clients?.use(isSlow: isSlow)
        if isOnline { clients?.retry() }
    }

    /// Whether there is a network, as far as somebody has said.
    public var isOnline: Bool { gate.isOpen }

    /// Makes all sessions anew.
    public func reconnectAll() throws(AgentError) {
        try online().clients.reconnect()
    }

    /// Subscribes to all queues once more, those that are subscribed too; what comes of it is told.
    public func resubscribeAll() async throws {
        let clients = try online().clients
        let owned = try await database.read { db in try Resumption.queues(db) }
        let relays = Dictionary(grouping: owned) { RelayClients.Key(user: $0.user, server: $0.queue.server) }
        let before = clients.active
        await withTaskGroup(of: Void.self) { group in
            for (key, queues) in relays { group.addTask { await clients.subscribe(queues.map(\.queue.credentials), key) } }
        }
        let still = before.intersection(clients.active)
        // Of the others a client has told.
        for (key, queues) in relays {
            let ids = queues.filter { still.contains($0.queue.rcvID) }.map(\.queue.connection)
            if !ids.isEmpty { tell(.up(server: key.server.withoutPassword.str, ids), in: .relay(key)) }
        }
    }

    /// Makes the sessions of a user with one relay anew.
    public func reconnect(_ user: AgentUserID, _ server: ProtocolServer) throws(AgentError) {
        try online().clients.reconnect(RelayClients.Key(user: user, server: server))
    }
}
