public import NIOCore
import SimpleXCrypto
import Synchronization

/// All of one user's traffic with one relay, over one session that is made when it is needed and made again when it is lost.
///
/// - Queues: ``createQueue(key:dhKey:mode:subscription:)``, ``subscribe(_:)``, ``unsubscribe(_:)``, and the commands in `SMPClient+Commands.swift`.
/// - Events: to the handler given at the start, in order, on any thread; it must not block.
/// - What was subscribed to is subscribed to again after each loss of the session, with growing delays between attempts,
///   until ``unsubscribe(_:)``, an END, or a permanent error.
public final class SMPClient: Sendable {
    public let server: ProtocolServer
    private let group: any EventLoopGroup
    let state: Mutex<SMPClientState>
    private let events: OrderedEvents<SMPClientEvent>

    public init(
        server: ProtocolServer, configuration: SMPClientConfiguration = SMPClientConfiguration(), group: any EventLoopGroup,
        onEvent: @escaping @Sendable (SMPClientEvent) -> Void
    ) {
        self.server = server
        state = Mutex(SMPClientState(configuration: configuration))
        self.group = group
        events = OrderedEvents(onEvent)
    }

    /// Whether there is a session now.
    public var isConnected: Bool { state.withLock { $0.link?.isConnected == true } }

    /// The queues that the current session is subscribed to.
    public var activeSubscriptions: Set<[UInt8]> { state.withLock { $0.active } }

    /// How the client stands with its relay.
    public struct Summary: Hashable, Sendable {
        public enum Link: Hashable, Sendable { case none, connecting, connected, failed }
        public var link: Link
        /// Queues that the session is subscribed to, and others that should be.
        public var active: Set<[UInt8]>
        public var pending: Set<[UInt8]>
    }

    public var summary: Summary {
        state.withLock { state in
            let link: Summary.Link =
                if let link = state.link { link.isConnected ? .connected : .connecting }
                else if state.hasFailed { .failed }
                else { .none }
            return Summary(link: link, active: state.active, pending: Set(state.desired.keys).subtracting(state.active))
        }
    }

    /// Closes the session for good. Commands that wait, and all later ones, fail with ``SMPClientError/closed``; no event follows.
    public func close() async {
        let link = state.withLock { state in
            state.isClosed = true
            state.reconnecting?.cancel()
            state.desired = [:]
            state.active = []
            defer { state.link = nil }
            return state.link
        }
        // A session that is only being made closes itself.
        if let link, link.isConnected, let session = try? await link.task.value { await session.close() }
    }

    /// Closes the session, and makes a new one at once if there are subscriptions to have, else when it is needed.
    /// - Parameter configuration: for all that comes; nil leaves it as it is.
    public func reconnect(_ configuration: SMPClientConfiguration? = nil) {
        let link = update { state -> (SMPClientState.Link?, [SMPClientEvent]) in
            guard !state.isClosed else { return (nil, []) }
            if let configuration { state.configuration = configuration }
            state.hasFailed = false
            // A waiting attempt is too: the next does not wait.
            state.reconnecting?.cancel()
            state.reconnecting = nil
            return (state.link, state.unlink())
        }
        if let link { Task { (try? await link.task.value)?.discard() } }
        reconnectIfNeeded(atOnce: true)
    }

    /// Closes the client because others take its place: they get its queues, also those that are still being made with it.
    public func retire(_ successor: @escaping @Sendable ([RcvQueueCredentials]) -> Void) {
        let (link, queues) = update { state -> ((SMPClientState.Link?, [RcvQueueCredentials]), [SMPClientEvent]) in
            let result = (state.link, Array(state.desired.values))
            let events = state.unlink()
            state.desired = [:]
            state.reconnecting?.cancel()
            state.successor = successor
            return (result, events)
        }
        state.withLock { $0.isClosed = true }
        if let link { Task { (try? await link.task.value)?.discard() } }
        if !queues.isEmpty { successor(queues) }
    }

    // MARK: Session

    /// Makes a session, if there is none.
    public func connect() async throws(SMPClientError) { _ = try await session() }

    /// Changes the state, and tells of it what `change` says.
    private func update<T>(_ change: (inout SMPClientState) -> (T, [SMPClientEvent])) -> T {
        let result = state.withLock { state in
            let (result, events) = change(&state)
            if !state.isClosed { for event in events { self.events.add(event) } }
            return result
        }
        events.deliver()
        return result
    }

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
    private func reconnectIfNeeded(atOnce: Bool = false) {
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

    // MARK: Events

    private func handle(_ event: SMPSessionEvent, of number: UInt64) {
        switch event {
        case .received(let entityID, let message): receive(message, rcvID: entityID, number)
        case .closed:
            update { state in
                state.isCurrent(number) ? ((), state.unlink()) : ((), [])
            }
            reconnectIfNeeded()
        }
    }

    private func receive(_ message: BrokerMessage, rcvID: [UInt8], _ number: UInt64) {
        switch message {
        case .msg(let id, let encBody):
            guard let secret = state.withLock({ $0.desired[rcvID]?.dhSecret }) else { return }
            let event: SMPClientEvent
            do throws(RcvMessageError) {
                let body = try RcvMessageBody(opening: encBody, secret: secret, messageID: id)
                event = .message(rcvID: rcvID, RcvMessage(id: id, body: body))
            } catch {
                event = .badMessage(rcvID: rcvID, id: id, error)
            }
            update { _ in ((), [event]) }
        case .nmsg(let nonce, let encMeta):
            update { _ in ((), [.notification(notifierID: rcvID, nonce: nonce, encMeta: encMeta)]) }
        case .ends(let count): update { _ in ((), [.serviceEnd(serviceID: rcvID, count: count)]) }
        case .end: drop(rcvID, number, .end(rcvID: rcvID))
        case .deld: drop(rcvID, number, .deleted(rcvID: rcvID))
        default: break
        }
    }

    private func drop(_ rcvID: [UInt8], _ number: UInt64, _ event: SMPClientEvent) {
        update { state in
            guard state.isCurrent(number), state.desired.removeValue(forKey: rcvID) != nil else { return ((), []) }
            state.active.remove(rcvID)
            return ((), [event])
        }
    }

    // MARK: Subscriptions

    /// Subscribes to `queues`, which stay subscribed to from now on. One result for each, in order; after a temporary failure
    /// the client goes on trying by itself.
    @discardableResult
    public func subscribe(_ queues: [RcvQueueCredentials]) async -> [Result<Void, SMPClientError>] {
        let successor = state.withLock { state -> (@Sendable ([RcvQueueCredentials]) -> Void)? in
            if let successor = state.successor { return successor }
            for queue in queues {
                state.desired[queue.rcvID] = queue
                state.claimed.insert(queue.rcvID)
            }
            return nil
        }
        if let successor {
            successor(queues)
            return queues.map { _ in .failure(.closed) }
        }
        let results: [Result<Void, SMPClientError>]
        do throws(SMPClientError) {
            results = await subscribe(queues, on: try await session())
        } catch {
            results = queues.map { _ in .failure(error) }
        }
        state.withLock { state in
            for queue in queues { state.claimed.remove(queue.rcvID) }
        }
        reconnectIfNeeded()
        return results
    }

    private func subscribe(
        _ queues: [RcvQueueCredentials], on linked: SMPClientState.Linked, attempt: Int = 0
    ) async -> [Result<Void, SMPClientError>] {
        var results: [Result<Void, SMPClientError>] = []
        let size = max(1, state.withLock { $0.configuration.subscriptionBatch })
        for start in stride(from: 0, to: queues.count, by: size) {
            let batch = queues[start..<min(queues.count, start + size)]
            let answers = await linked.session.send(batch.map { SMPRequest(.sub, entityID: $0.rcvID, key: $0.key) })
            results += record(answers, of: batch.map(\.rcvID), linked.number)
        }
        let failed = zip(queues, results).filter { if case .failure(let error) = $1 { error.isTemporary } else { false } }
        if !failed.isEmpty { retry(failed.map(\.0), on: linked, attempt: attempt) }
        return results
    }

    /// Tries again what failed for a while on a session that is still there.
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
            if !still.isEmpty { _ = await self.subscribe(still, on: linked, attempt: attempt + 1) }
        }
    }

    private func record(
        _ answers: [Result<BrokerMessage, SMPClientError>], of rcvIDs: [[UInt8]], _ number: UInt64
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

    /// Registers a queue that NEW has created and subscribed to on the session of this number.
    func adopt(_ queue: RcvQueueCredentials, _ number: UInt64) {
        let isSubscribed = state.withLock { state in
            guard state.successor == nil else { return false }
            state.desired[queue.rcvID] = queue
            guard state.isCurrent(number) else { return false }
            state.active.insert(queue.rcvID)
            return true
        }
        // That session is gone already: the next one has to subscribe.
        if !isSubscribed { Task { await self.subscribe([queue]) } }
    }

    /// Forgets a queue: it is not subscribed to again. The relay is not told.
    public func unsubscribe(_ rcvIDs: [[UInt8]]) {
        state.withLock { state in
            for rcvID in rcvIDs {
                state.desired[rcvID] = nil
                state.active.remove(rcvID)
            }
        }
    }
}
