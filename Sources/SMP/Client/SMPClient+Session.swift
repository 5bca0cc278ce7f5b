/// Functions that establish a session, and replace a lost session.
extension SMPClient {
    /// Establishes a session if there is none.
    package func connectIfNeeded(patience: Patience = .background) async throws(SMPClientError) {
        _ = try await requireSession(patience)
    }

    /// Returns the session, and establishes a session if there is none. Concurrent callers get the same session or the
    /// same error. The ``Patience`` of the first caller selects the time limit.
    func requireSession(_ patience: Patience) async throws(SMPClientError) -> SMPClientState.LinkedSession {
        let link = state.withLock { state -> SMPClientState.Link? in
            if state.isClosed || state.queueSuccessor != nil { return nil }
            if let link = state.link { return link }
            let number = state.takeLinkNumber()
            let link = SMPClientState.Link(
                number: number,
                task: Task { try await self.connectSession(number, patience) }
            )
            state.link = link
            return link
        }
        guard let link else { throw .closed }
        do {
            return SMPClientState.LinkedSession(session: try await link.task.value, number: link.number)
        } catch {
            throw error as? SMPClientError ?? .network(.failed)
        }
    }

    private func connectSession(_ number: UInt64, _ patience: Patience) async throws(SMPClientError) -> SMPSession {
        let session: SMPSession
        do throws(SMPClientError) { session = try await openSession(number, patience) } catch {
            changeState { state in
                guard state.isCurrentLink(number) else { return ((), []) }
                state.link = nil
                state.hasFailed = true
                return ((), [.connectionFailed(error)])
            }
            reconnectIfNeeded()
            throw error
        }
        let isWanted = changeState { state in
            guard state.isCurrentLink(number), !state.isClosed else { return (false, []) }
            state.link?.isConnected = true
            state.link?.host = session.host
            state.hasFailed = false
            return (true, [.connected(session.host)])
        }
        guard isWanted else {
            await session.close()
            throw state.withLock { $0.isClosed } ? .closed : .network(.failed)
        }
        let missing = state.withLock { $0.missingQueues }
        if !missing.isEmpty {
            // The subscription is not awaited, because the caller needs the session for another command.
            Task {
                _ = await self.subscribeInSession(
                    missing,
                    on: SMPClientState.LinkedSession(session: session, number: number),
                    patience
                )
            }
        }
        return session
    }

    /// Opens a session. If the relay refuses the certificate of the service, a session without the certificate is
    /// opened immediately, so that no command fails. Each new session offers the certificate again, since an updated
    /// relay may accept it. So each session with a relay that refuses the certificate needs two handshakes.
    private func openSession(_ number: UInt64, _ patience: Patience) async throws(SMPClientError) -> SMPSession {
        let configuration = state.withLock { $0.configuration }
        do throws(SMPClientError) { return try await openSession(configuration, number, patience) } catch {
            guard error == .transport(.handshake(.badService)), configuration.serviceCredentials != nil else {
                throw error
            }
            var usual = configuration
            usual.serviceCredentials = nil
            return try await openSession(usual, number, patience)
        }
    }

    private func openSession(
        _ configuration: SMPClientConfiguration,
        _ number: UInt64,
        _ patience: Patience
    ) async throws(SMPClientError) -> SMPSession {
        try await SMPSession.connect(
            to: server,
            configuration: configuration,
            patience: patience,
            group: eventLoopGroup
        ) {
            [weak self] event in
            self?.handleSessionEvent(event, of: number)
        }
    }

    /// Starts to reconnect if there are subscriptions to restore and no attempt is running.
    func reconnectIfNeeded(atOnce: Bool = false) {
        state.withLock { state in
            guard !state.isClosed, state.link == nil, state.reconnectTask == nil, !state.desiredQueues.isEmpty else {
                return
            }
            let configuration = state.configuration
            let number = state.takeLinkNumber()
            state.reconnectTaskNumber = number
            state.reconnectTask = Task { [weak self] in
                var random = SystemRandomNumberGenerator()
                var attempt = 0
                if !atOnce {
                    try? await Task.sleep(
                        for: configuration.reconnectBackoff.computeDelay(attempt: attempt, using: &random)
                    )
                }
                while !Task.isCancelled {
                    await configuration.networkGate?.waitForNetwork()
                    guard !Task.isCancelled, let self, self.needsSession() else { break }
                    if (try? await self.requireSession(.background)) != nil { break }
                    attempt += 1
                    try? await Task.sleep(
                        for: configuration.reconnectBackoff.computeDelay(attempt: attempt, using: &random)
                    )
                }
                self?.endReconnecting(number)
            }
        }
    }

    private func needsSession() -> Bool {
        state.withLock { !$0.isClosed && !$0.desiredQueues.isEmpty && $0.link?.isConnected != true }
    }

    private func endReconnecting(_ number: UInt64) {
        state.withLock { if $0.reconnectTaskNumber == number { $0.reconnectTask = nil } }
        // The new session may have been lost already. Then the client reconnects again.
        reconnectIfNeeded()
    }
}
