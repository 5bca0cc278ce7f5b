import Concurrency
package import NIOCore
import SimpleXCrypto
import Synchronization

/// A client of one relay for one user, over one session. The client establishes the session when needed, and replaces a
/// lost session.
///
/// - Queues: ``createQueue(key:dhKey:mode:subscription:patience:)``, ``subscribeQueues(_:patience:)``,
///   ``unsubscribeQueues(_:)``, in `SMPClient+Subscriptions.swift`, and the commands in `SMPClient+Commands.swift`.
/// - The session, its loss and its replacement: `SMPClient+Session.swift`; the relay's messages that answer no command:
///   `SMPClient+Events.swift`.
/// - Events: the client calls the handler with one event at a time, in order, on any thread. The handler must not
///   block.
/// - Subscriptions are restored after each loss of the session, with backoff between attempts, until
///   ``unsubscribeQueues(_:)``, an END, or a permanent error.
package final class SMPClient: Sendable {
    package let server: ProtocolServer
    let eventLoopGroup: any EventLoopGroup
    let state: Mutex<SMPClientState>
    let events: OrderedEvents<SMPClientEvent>

    package init(
        server: ProtocolServer,
        configuration: SMPClientConfiguration = SMPClientConfiguration(),
        group: any EventLoopGroup,
        onEvent: @escaping @Sendable (SMPClientEvent) -> Void
    ) {
        self.server = server
        state = Mutex(SMPClientState(configuration: configuration))
        self.eventLoopGroup = group
        events = OrderedEvents(onEvent)
    }

    /// Whether there is a session now.
    package var isConnected: Bool { state.withLock { $0.link?.isConnected == true } }

    /// The queues that the current session is subscribed to.
    package var activeSubscriptions: Set<[UInt8]> { state.withLock { $0.activeQueues } }

    /// The state of the client's session, and the queues that are or should be subscribed.
    package struct Summary: Hashable, Sendable {
        package enum LinkState: Hashable, Sendable { case none, connecting, connected, failed }
        package var linkState: LinkState
        /// The queues to which the session is subscribed.
        package var activeQueueIDs: Set<[UInt8]>
        /// The queues to which the session should be subscribed, but is not yet.
        package var pendingQueueIDs: Set<[UInt8]>
    }

    package var summary: Summary {
        state.withLock { state in
            let pending = state.desiredQueues.keys.filter { !state.activeQueues.contains($0) }
            return Summary(
                linkState: Self.linkState(state),
                activeQueueIDs: state.activeQueues,
                pendingQueueIDs: Set(pending)
            )
        }
    }

    /// The state of the session, and the numbers of active and pending queues: ``summary`` without the ids.
    package var queueCounts: (link: Summary.LinkState, active: Int, pending: Int) {
        state.withLock { state in
            (
                Self.linkState(state), state.activeQueues.count,
                state.desiredQueues.keys.count { !state.activeQueues.contains($0) }
            )
        }
    }

    private static func linkState(_ state: SMPClientState) -> Summary.LinkState {
        if let link = state.link { return link.isConnected ? .connected : .connecting }
        return state.hasFailed ? .failed : .none
    }

    /// Closes the client and its session. Waiting and later commands fail with ``SMPClientError/closed``, and no event
    /// follows.
    package func close() async {
        let link = state.withLock { state in
            state.isClosed = true
            state.reconnectTask?.cancel()
            state.desiredQueues = [:]
            state.activeQueues = []
            defer { state.link = nil }
            return state.link
        }
        // If the session is not established yet, the attempt to establish it ends later and then closes the session.
        if let link, link.isConnected, let session = try? await link.task.value { await session.close() }
    }

    /// Closes the session. If there are subscriptions, a new session is established immediately. Otherwise it is
    /// established when a command needs a session.
    /// - Parameter configuration: the new configuration; nil for no change.
    package func replaceSession(_ configuration: SMPClientConfiguration? = nil) {
        let link = changeState { state -> (SMPClientState.Link?, [SMPClientEvent]) in
            guard !state.isClosed else { return (nil, []) }
            if let configuration { state.configuration = configuration }
            state.hasFailed = false
            // An attempt to reconnect that still waits is cancelled too, because the client now reconnects without
            // waiting.
            state.reconnectTask?.cancel()
            state.reconnectTask = nil
            return (state.link, state.removeSession())
        }
        if let link { Task { (try? await link.task.value)?.closeWithoutWaiting() } }
        reconnectIfNeeded(atOnce: true)
    }

    /// Closes the client, and passes its queues to the function `successor`. Queues that are still being created are
    /// passed later, by further calls of `successor`.
    package func closeAndPassQueues(to successor: @escaping @Sendable ([RcvQueueCredentials]) -> Void) {
        let (link, queues) = changeState { state -> ((SMPClientState.Link?, [RcvQueueCredentials]), [SMPClientEvent]) in
            let result = (state.link, Array(state.desiredQueues.values))
            let events = state.removeSession()
            state.desiredQueues = [:]
            state.reconnectTask?.cancel()
            state.queueSuccessor = successor
            return (result, events)
        }
        state.withLock { $0.isClosed = true }
        if let link { Task { (try? await link.task.value)?.closeWithoutWaiting() } }
        if !queues.isEmpty { successor(queues) }
    }

    // MARK: State

    /// Changes the state, and emits the events that `change` returns.
    func changeState<T>(_ change: (inout SMPClientState) -> (T, [SMPClientEvent])) -> T {
        let result = state.withLock { state in
            let (result, events) = change(&state)
            if !state.isClosed { for event in events { self.events.addEvent(event) } }
            return result
        }
        events.deliverEvents()
        return result
    }
}
