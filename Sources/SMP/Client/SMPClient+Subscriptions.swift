/// Subscriptions to queues, which are restored in every new session.
extension SMPClient {
    /// Subscribes to `queues` now and in every later session. Returns one result for each queue, in order. After a
    /// temporary failure the client tries again by itself.
    @discardableResult
    public func subscribe(
        _ queues: [RcvQueueCredentials],
        patience: Patience = .background
    ) async -> [Result<Void, SMPClientError>] {
        let successor = state.withLock { state -> (@Sendable ([RcvQueueCredentials]) -> Void)? in
            if let successor = state.successor { return successor }
            for queue in queues {
                state.desired[queue.rcvID] = queue
                state.subscribing.insert(queue.rcvID)
            }
            return nil
        }
        if let successor {
            successor(queues)
            return queues.map { _ in .failure(.closed) }
        }
        let results: [Result<Void, SMPClientError>]
        do throws(SMPClientError) {
            results = await subscribe(queues, on: try await session(patience), patience)
        } catch {
            results = queues.map { _ in .failure(error) }
        }
        state.withLock { state in
            for queue in queues { state.subscribing.remove(queue.rcvID) }
        }
        reconnectIfNeeded()
        return results
    }

    func subscribe(
        _ queues: [RcvQueueCredentials],
        on linked: SMPClientState.Linked,
        _ patience: Patience,
        attempt: Int = 0
    ) async -> [Result<Void, SMPClientError>] {
        var results: [Result<Void, SMPClientError>] = []
        let size = max(1, state.withLock { $0.configuration.subscriptionBatch })
        for start in stride(from: 0, to: queues.count, by: size) {
            let batch = queues[start..<min(queues.count, start + size)]
            state.withLock { state in
                guard state.isCurrent(linked.number) else { return }
                for queue in batch { state.subscribes(queue.rcvID) }
            }
            let answers = await linked.session.send(
                batch.map { SMPRequest(.sub, entityID: $0.rcvID, key: $0.key) },
                patience: patience
            )
            results += record(answers, of: batch.map(\.rcvID), linked.number)
        }
        let failed = zip(queues, results).filter {
            if case .failure(let error) = $1 { error.isTemporary } else { false }
        }
        if !failed.isEmpty { retry(failed.map(\.0), on: linked, attempt: attempt) }
        return results
    }

    /// Repeats the subscription of queues that failed temporarily, while the session is still open.
    private func retry(_ queues: [RcvQueueCredentials], on linked: SMPClientState.Linked, attempt: Int) {
        let delays = state.withLock { $0.configuration.reconnect }
        Task { [weak self] in
            var random = SystemRandomNumberGenerator()
            try? await Task.sleep(for: delays.delay(attempt: attempt, using: &random))
            guard let self else { return }
            let still = self.state.withLock { state in
                queues.filter {
                    state.isCurrent(linked.number) && state.desired[$0.rcvID] != nil && !state.active.contains($0.rcvID)
                }
            }
            if !still.isEmpty { _ = await self.subscribe(still, on: linked, .background, attempt: attempt + 1) }
        }
    }

    private func record(
        _ answers: [Result<BrokerMessage, SMPClientError>],
        of rcvIDs: [[UInt8]],
        _ number: UInt64
    ) -> [Result<Void, SMPClientError>] {
        let results = answers.map { answer in
            answer.flatMap { message -> Result<Void, SMPClientError> in
                switch message {
                case .ok, .sok, .msg: .success(())
                default: .failure(.unexpected(message.tag))
                }
            }
        }
        update { state in
            var events: [SMPClientEvent] = []
            var subscribed: [[UInt8]] = []
            for (rcvID, result) in zip(rcvIDs, results) where state.desired[rcvID] != nil {
                switch result {
                case .success:
                    guard state.isCurrent(number) else { continue }
                    if state.active.insert(rcvID).inserted { subscribed.append(rcvID) }
                case .failure(let error):
                    if !error.isTemporary { state.desired[rcvID] = nil }
                    events.append(.subscriptionFailed(rcvID: rcvID, error))
                }
            }
            if !subscribed.isEmpty { events.insert(.subscribed(subscribed), at: 0) }
            return ((), events)
        }
        return results
    }

    /// Registers a queue that NEW has created and subscribed to in the session with this number.
    func adopt(_ queue: RcvQueueCredentials, _ number: UInt64) {
        let isSubscribed = state.withLock { state in
            guard state.successor == nil else { return false }
            state.desired[queue.rcvID] = queue
            guard state.isCurrent(number) else { return false }
            state.active.insert(queue.rcvID)
            return true
        }
        // The session has ended already, so the queue is subscribed in the next session.
        if !isSubscribed { Task { await self.subscribe([queue]) } }
    }

    /// Stops subscribing to queues. No command is sent to the relay.
    public func unsubscribe(_ rcvIDs: [[UInt8]]) {
        state.withLock { state in
            for rcvID in rcvIDs { state.remove(rcvID) }
        }
    }
}
