extension SMPClient {
    /// Sends a sender's command to the relay `destination` through this client's relay. If the session between the two
    /// relays is lost, a new session is requested once.
    /// - Throws: `.smp` for an ERR of `destination`, and for an ERR PROXY if this client's relay (the proxy) cannot
    ///   connect to `destination`; `.proxy` for later errors at the proxy. All other errors happened between this
    ///   client and the proxy.
    package func sendThroughProxy(
        _ request: SMPRequest,
        to destination: ProtocolServer,
        patience: Patience = .background
    ) async throws(SMPClientError) -> BrokerMessage {
        let linked = try await requireSession(patience)
        let first = try await requestProxiedRelay(destination, linked, patience)
        do throws(SMPClientError) {
            return try await linked.session.sendThroughProxy(request, to: first, patience: patience)
        } catch .proxy(let failure) where failure.reason == .protocolError(.proxy(.noSession)) {
            removeProxiedRelay(first)
        }
        return try await linked.session.sendThroughProxy(
            request,
            to: try await requestProxiedRelay(destination, linked, patience),
            patience: patience
        )
    }

    /// Returns the session of this client's relay with `destination`, and the key of `destination` (PRXY). The session
    /// and the key are requested once in each session of this client, and again after a failure or NO_SESSION. The
    /// ``Patience`` of the first caller selects the time limit.
    private func requestProxiedRelay(
        _ destination: ProtocolServer,
        _ linked: SMPClientState.LinkedSession,
        _ patience: Patience
    ) async throws(SMPClientError) -> ProxiedRelay {
        let destination = destination.withoutPassword
        let password = server.password
        let entry = state.withLock { state -> SMPClientState.ProxiedEntry in
            if let known = state.proxiedRelays[destination], known.number == linked.number { return known }
            let task = Task {
                try await linked.session.requestForwarding(to: destination, password: password, patience: patience)
            }
            let entry = SMPClientState.ProxiedEntry(number: linked.number, task: task)
            state.proxiedRelays[destination] = entry
            return entry
        }
        do {
            let relay = try await entry.task.value
            state.withLock { state in
                if state.proxiedRelays[destination]?.task == entry.task {
                    state.proxiedRelays[destination]?.sessionID = relay.session.sessionID
                }
            }
            return relay
        } catch {
            state.withLock { state in
                if state.proxiedRelays[destination]?.task == entry.task { state.proxiedRelays[destination] = nil }
            }
            throw error as? SMPClientError ?? .network(.failed)
        }
    }

    /// Forgets the session with a relay behind this client's relay, unless another command has requested a new session.
    private func removeProxiedRelay(_ relay: ProxiedRelay) {
        state.withLock { state in
            let known = state.proxiedRelays[relay.destination]
            if known?.sessionID == relay.session.sessionID { state.proxiedRelays[relay.destination] = nil }
        }
    }
}
