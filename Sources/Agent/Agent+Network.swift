package import SMP

/// Settings and state of the agent's network (``NetworkSettings``). Settings and state may also be read and set before
/// the start. The other functions throw `AgentError.inactive` while the agent is stopped.
extension Agent {
    package var networkSettings: NetworkSettings { state.withLock { $0.networkSettings } }

    /// Changes the network settings. The agent then replaces all sessions, and restores their subscriptions.
    package func setNetworkSettings(_ settings: NetworkSettings) {
        let run = state.withLock { state in
            state.networkSettings = settings
            return state.run
        }
        run?.clients.applySettings(settings)
        run?.files.sessions.resetSessions()
        run?.notifications.sessions.closeSessions()
    }

    /// Sets the state of the network that the system has reported. While offline, the agent neither connects nor sends.
    /// On a slow network, all timeouts are longer.
    ///
    /// An offline report within two seconds after another report is ignored, because a change of the network interrupts
    /// the network for a short time.
    package func setNetworkInfo(isOnline: Bool, isSlow: Bool) {
        let now = ContinuousClock.now
        let clients = state.withLock { state -> RelayClients? in
            if !isOnline, let last = state.networkInfoAt, now - last < .seconds(2) { return nil }
            state.networkInfoAt = now
            state.isSlowNetwork = isSlow
            networkGate.setNetworkAvailable(isOnline)
            return state.run?.clients
        }
        clients?.setNetworkSlow(isSlow: isSlow)
        if isOnline { clients?.retryConnecting() }
    }

    /// Whether the system reports the network as available.
    package var isOnline: Bool { networkGate.isNetworkAvailable }

    /// Replaces all sessions with relays by new sessions.
    package func replaceAllSessions() throws(AgentError) {
        try requireOnline().clients.replaceSessions()
    }

    /// Subscribes to all queues again, including subscribed ones. Events report the results.
    package func resubscribeAll(patience: Patience = .background) async throws {
        let clients = try requireOnline().clients
        let owned = try await database.read { db in try ResumableWork.readQueues(db) }
        let relays = Dictionary(grouping: owned) { RelayClients.Key(user: $0.user, server: $0.queue.server) }
        let before = clients.subscribedQueueIDs
        await withTaskGroup(of: Void.self) { group in
            for (key, queues) in relays {
                group.addTask {
                    await clients.subscribeQueues(queues.map(\.queue.credentials), key, patience: patience)
                }
            }
        }
        let still = before.intersection(clients.subscribedQueueIDs)
        // The client emits no events for queues that were subscribed before the call and are still subscribed. So this
        // function emits the events for these queues.
        for (key, queues) in relays {
            let ids = queues.filter { still.contains($0.queue.rcvID) }.map(\.queue.connection)
            if !ids.isEmpty { emit(.up(server: key.server.withoutPassword.str, ids), in: .relay(key)) }
        }
    }

    /// Replaces the sessions that a user has with one relay by new sessions.
    package func replaceSessions(_ user: AgentUserID, _ server: ProtocolServer) throws(AgentError) {
        try requireOnline().clients.replaceSessions(RelayClients.Key(user: user, server: server))
    }
}
