import NIOCore
import RelayBase
import Synchronization

/// The SMP sessions of one event loop.
///
/// Sessions whose answers wait for the log are woken together after each commit.
final class LoopConnections: SessionLoop {
    private struct State {
        var connections: [ObjectIdentifier: ClientConnection] = [:]
        var waitingConnections: [ClientConnection] = []
    }

    let eventLoop: any EventLoop
    private let state: NIOLoopBoundBox<State>
    private let hasWaitingConnections = Atomic(false)

    init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        state = .makeBoxSendingValue(State(), eventLoop: eventLoop)
    }

    // MARK: On the event loop

    func addConnection(_ connection: ClientConnection) {
        state.value.connections[ObjectIdentifier(connection)] = connection
    }

    func removeConnection(_ connection: ClientConnection) {
        state.value.connections[ObjectIdentifier(connection)] = nil
    }

    /// Makes the next commit of the log wake the session. After this call, the caller must check the log again, because
    /// a commit that happened before this call does not wake the session.
    func wakeAfterCommit(_ connection: ClientConnection) {
        state.value.waitingConnections.append(connection)
        hasWaitingConnections.store(true, ordering: .sequentiallyConsistent)
    }

    func forEachConnection(_ body: (ClientConnection) -> Void) {
        for connection in Array(state.value.connections.values) { body(connection) }
    }

    func closeIdleSessions(before limit: Int64) { forEachConnection { $0.closeIfIdle(since: limit) } }

    func closeAllSessions() { forEachConnection { $0.closeChannel() } }

    // MARK: From any thread

    /// Wakes the sessions that wait for a commit of the log.
    func didCommit() {
        guard hasWaitingConnections.exchange(false, ordering: .sequentiallyConsistent) else { return }
        eventLoop.execute {
            let waiting = self.state.value.waitingConnections
            self.state.value.waitingConnections.removeAll()
            for connection in waiting { connection.didCommit() }
        }
    }
}
