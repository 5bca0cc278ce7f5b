/// Subscriptions to queues, which are restored in every new session.
extension SMPClient {
    /// Subscribes to `queues` now and in every later session. Returns one result for each queue, in order. After a
    /// temporary failure the client tries again by itself.
    @discardableResult
    package func subscribeQueues(
        _ queues: [RcvQueueCredentials],
        patience: Patience = .background
    ) async -> [Result<Void, SMPClientError>] {
        let successor = state.withLock { state -> (@Sendable ([RcvQueueCredentials]) -> Void)? in
            if let successor = state.queueSuccessor { return successor }
            for queue in queues {
                state.desiredQueues[queue.rcvID] = queue
                state.subscribingQueues.insert(queue.rcvID)
            }
            return nil
        }
        if let successor {
            successor(queues)
            return queues.map { _ in .failure(.closed) }
        }
        let results: [Result<Void, SMPClientError>]
        do throws(SMPClientError) {
            results = await subscribeInSession(queues, on: try await requireSession(patience), patience)
        } catch {
            results = queues.map { _ in .failure(error) }
        }
        state.withLock { state in
            for queue in queues { state.subscribingQueues.remove(queue.rcvID) }
        }
        reconnectIfNeeded()
        return results
    }

    /// Subscribes to `queues` in a session. A service first subscribes to all its queues with one command.
    func subscribeInSession(
        _ queues: [RcvQueueCredentials],
        on linked: SMPClientState.LinkedSession,
        _ patience: Patience
    ) async -> [Result<Void, SMPClientError>] {
        let assigned = await subscribeAssignedQueues(on: linked, patience)
        guard !assigned.isEmpty else { return await subscribeQueuesOneByOne(queues, on: linked, patience) }
        let others = queues.filter { !assigned.contains($0.rcvID) }
        var results = await subscribeQueuesOneByOne(others, on: linked, patience).makeIterator()
        return queues.map { assigned.contains($0.rcvID) ? .success(()) : results.next() ?? .failure(.closed) }
    }

    /// Subscribes to all queues that the relay has assigned to the service of the session (SUBS), once in a session. If
    /// the relay knows other queues of the service than this client, the caller subscribes to each queue. Each of these
    /// subscriptions assigns its queue to the service again.
    /// - Returns: the recipient ids of the subscribed queues.
    private func subscribeAssignedQueues(
        on linked: SMPClientState.LinkedSession,
        _ patience: Patience
    ) async -> Set<[UInt8]> {
        let session = linked.session
        guard let service = session.serviceSession, service.role == .messaging,
            session.parameters.version >= .firstWithServiceSubscriptions
        else { return [] }
        let ids = state.withLock { state -> [[UInt8]] in
            guard state.isCurrentLink(linked.number), state.serviceSubscribedLinkNumber != linked.number else {
                return []
            }
            let ids = state.desiredQueues.values.filter { $0.serviceID == service.id }.map(\.rcvID)
            guard ids.contains(where: { !state.activeQueues.contains($0) }) else { return [] }
            state.serviceSubscribedLinkNumber = linked.number
            state.awaitsServiceDelivery = true
            for id in ids {
                state.recordSubscription(id)
                // With this delivery state, `recordSubscription` expects that a later SUB delivers the same message
                // again.
                if state.deliveries[id] == nil { state.deliveries[id] = QueueDelivery() }
            }
            return ids
        }
        guard !ids.isEmpty else { return [] }
        let expected = ServiceQueues(ids)
        let request = SMPRequest(.subs(expected), entityID: service.id, key: .ed25519(service.key))
        guard case .soks(let known)? = try? await session.sendRequest(request, patience: patience) else { return [] }
        changeState { state in
            guard state.isCurrentLink(linked.number) else { return ((), []) }
            state.subscribedServiceID = service.id
            let up = SMPClientEvent.serviceSubscribed(known: known, expected: expected)
            guard known == expected else { return ((), [up]) }
            let subscribed = ids.filter { state.desiredQueues[$0] != nil && state.activeQueues.insert($0).inserted }
            return ((), (subscribed.isEmpty ? [] : [.subscribed(subscribed)]) + [up])
        }
        return known == expected ? Set(ids) : []
    }

    private func subscribeQueuesOneByOne(
        _ queues: [RcvQueueCredentials],
        on linked: SMPClientState.LinkedSession,
        _ patience: Patience,
        attempt: Int = 0
    ) async -> [Result<Void, SMPClientError>] {
        var results: [Result<Void, SMPClientError>] = []
        let size = max(1, state.withLock { $0.configuration.subscriptionBatchSize })
        for start in stride(from: 0, to: queues.count, by: size) {
            let batch = queues[start..<min(queues.count, start + size)]
            state.withLock { state in
                guard state.isCurrentLink(linked.number) else { return }
                for queue in batch { state.recordSubscription(queue.rcvID) }
            }
            let answers = await linked.session.sendRequests(
                batch.map { SMPRequest(.sub, entityID: $0.rcvID, key: $0.key) },
                patience: patience
            )
            results += recordAnswers(answers, of: batch.map(\.rcvID), linked)
        }
        let failed = zip(queues, results).filter {
            if case .failure(let error) = $1 { error.isTemporary } else { false }
        }
        if !failed.isEmpty { retrySubscribing(failed.map(\.0), on: linked, attempt: attempt) }
        return results
    }

    /// Repeats the subscription of queues that failed temporarily, while the session is still open.
    private func retrySubscribing(
        _ queues: [RcvQueueCredentials],
        on linked: SMPClientState.LinkedSession,
        attempt: Int
    ) {
        let delays = state.withLock { $0.configuration.reconnectBackoff }
        Task { [weak self] in
            var random = SystemRandomNumberGenerator()
            try? await Task.sleep(for: delays.computeDelay(attempt: attempt, using: &random))
            guard let self else { return }
            let still = self.state.withLock { state in
                queues.filter {
                    state.isCurrentLink(linked.number) && state.desiredQueues[$0.rcvID] != nil
                        && !state.activeQueues.contains($0.rcvID)
                }
            }
            if !still.isEmpty {
                _ = await self.subscribeQueuesOneByOne(still, on: linked, .background, attempt: attempt + 1)
            }
        }
    }

    private func recordAnswers(
        _ answers: [Result<BrokerMessage, SMPClientError>],
        of rcvIDs: [[UInt8]],
        _ linked: SMPClientState.LinkedSession
    ) -> [Result<Void, SMPClientError>] {
        let service = linked.session.serviceSession?.id
        let results = answers.map { answer in
            answer.flatMap { message -> Result<Void, SMPClientError> in
                switch message {
                case .ok, .sok, .msg: .success(())
                default: .failure(.unexpected(message.tag))
                }
            }
        }
        changeState { state in
            var events: [SMPClientEvent] = []
            var subscribed: [[UInt8]] = []
            var assigned: [[UInt8]] = []
            if let service {
                for (rcvID, answer) in zip(rcvIDs, answers) {
                    guard case .success(.sok(let id)) = answer, id == service, let known = state.desiredQueues[rcvID],
                        known.serviceID != service
                    else { continue }
                    state.desiredQueues[rcvID]?.serviceID = service
                    assigned.append(rcvID)
                }
            }
            for (rcvID, result) in zip(rcvIDs, results) where state.desiredQueues[rcvID] != nil {
                switch result {
                case .success:
                    guard state.isCurrentLink(linked.number) else { continue }
                    if state.activeQueues.insert(rcvID).inserted { subscribed.append(rcvID) }
                case .failure(let error):
                    if !error.isTemporary { state.desiredQueues[rcvID] = nil }
                    events.append(.subscriptionFailed(rcvID: rcvID, error))
                }
            }
            if !subscribed.isEmpty { events.insert(.subscribed(subscribed), at: 0) }
            if let service, !assigned.isEmpty { events.append(.assignedToService(assigned, serviceID: service)) }
            return ((), events)
        }
        return results
    }

    /// Adds a queue to the subscriptions of this client. NEW has created the queue, and subscribed to the queue, in the
    /// session with this number.
    func registerCreatedQueue(_ queue: RcvQueueCredentials, _ number: UInt64) {
        let isSubscribed = state.withLock { state in
            guard state.queueSuccessor == nil else { return false }
            state.desiredQueues[queue.rcvID] = queue
            guard state.isCurrentLink(number) else { return false }
            state.activeQueues.insert(queue.rcvID)
            return true
        }
        // The session has ended already, so the queue is subscribed in the next session.
        if !isSubscribed { Task { await self.subscribeQueues([queue]) } }
    }

    /// Stops subscribing to queues. No command is sent to the relay.
    package func unsubscribeQueues(_ rcvIDs: [[UInt8]]) {
        state.withLock { state in
            for rcvID in rcvIDs { state.removeQueue(rcvID) }
        }
    }
}
