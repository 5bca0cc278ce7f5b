/// How a client gets a session, and another one when it is lost.
extension SMPClient {
    /// Makes a session, if there is none.
    public func connect() async throws(SMPClientError) { _ = try await session() }

    /// The session, made if there is none. Those who ask at the same time get the same one, or the same error.
    func session() async throws(SMPClientError) -> SMPClientState.Linked {
        let link = state.withLock { state -> SMPClientState.Link? in
            if state.isClosed || state.successor != nil { return nil }
            if let link = state.link { return link }
            let number = state.takeNumber()
            let link = SMPClientState.Link(number: number, task: Task { try await self.connect(number) })
            state.link = link
            return link
        }
        guard let link else { throw .closed }
        do {
            return SMPClientState.Linked(session: try await link.task.value, number: link.number)
        } catch {
            throw error as? SMPClientError ?? .network(.failed)
        }
    }

    private func connect(_ number: UInt64) async throws(SMPClientError) -> SMPSession {
        let session: SMPSession
        let configuration = state.withLock { $0.configuration }
        do throws(SMPClientError) {
            session = try await SMPSession.connect(to: server, configuration: configuration, group: group) { [weak self] event in
                self?.handle(event, of: number)
            }
        } catch {
            update { state in
                guard state.isCurrent(number) else { return ((), []) }
                state.link = nil
                state.hasFailed = true
                return ((), [.connectionFailed(error)])
            }
            reconnectIfNeeded()
            throw error
        }
        let isWanted = update { state in
            guard state.isCurrent(number), !state.isClosed else { return (false, []) }
            state.link?.isConnected = true
            state.link?.host = session.host
            state.hasFailed = false
            return (true, [.connected(session.host)])
        }
        guard isWanted else {
            await session.close()
            throw state.withLock { $0.isClosed } ? .closed : .network(.failed)
        }
        let missing = state.withLock { $0.missing }
        if !missing.isEmpty {
            // Not awaited: whoever wanted the session has something else to do with it.
            Task { _ = await self.subscribe(missing, on: SMPClientState.Linked(session: session, number: number)) }
        }
        return session
    }

    /// Starts to reconnect when there are subscriptions to have and nobody is at it.
    func reconnectIfNeeded(atOnce: Bool = false) {
        state.withLock { state in
            guard !state.isClosed, state.link == nil, state.reconnecting == nil, !state.desired.isEmpty else { return }
            let configuration = state.configuration
            let number = state.takeNumber()
            state.reconnectingNumber = number
            state.reconnecting = Patience.$isInteractive.withValue(false) {
                Task { [weak self] in
                    var random = SystemRandomNumberGenerator()
                    var attempt = 0
                    if !atOnce { try? await Task.sleep(for: configuration.reconnect.delay(attempt: attempt, using: &random)) }
                    while !Task.isCancelled {
                        await configuration.gate?.wait()
                        guard !Task.isCancelled, let self, self.wantsSession() else { break }
                        if (try? await self.session()) != nil { break }
                        attempt += 1
                        try? await Task.sleep(for: configuration.reconnect.delay(attempt: attempt, using: &random))
                    }
                    self?.reconnectingEnded(number)
                }
            }
        }
    }

    private func wantsSession() -> Bool {
        state.withLock { !$0.isClosed && !$0.desired.isEmpty && $0.link?.isConnected != true }
    }

    private func reconnectingEnded(_ number: UInt64) {
        state.withLock { if $0.reconnectingNumber == number { $0.reconnecting = nil } }
        // The session may have been lost again meanwhile.
        reconnectIfNeeded()
    }
}
