import NIOCore
import RelayBase
import Synchronization

/// The sessions of one event loop, and their tasks that wait for the log.
final class LoopSessions: SessionLoop {
    private struct State {
        var sessions: [ObjectIdentifier: FileClientSession] = [:]
        /// Waiting tasks in the order of arrival, which is nearly the order of the numbers.
        var waitingTasks: [(number: UInt64, ready: () -> Void)] = []
        /// The log. It is set when the first task waits.
        var log: LogWriter?
    }

    let eventLoop: any EventLoop
    private let state: NIOLoopBoundBox<State>
    private let hasWaiting = Atomic(false)

    init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        state = .makeBoxSendingValue(State(), eventLoop: eventLoop)
    }

    // MARK: Calls on the event loop

    func add(_ session: FileClientSession) { state.value.sessions[ObjectIdentifier(session)] = session }

    func remove(_ session: FileClientSession) { state.value.sessions[ObjectIdentifier(session)] = nil }

    /// Calls `ready` when the log has committed this record.
    func runAfterCommit(_ number: UInt64, _ log: LogWriter, _ ready: @escaping () -> Void) {
        guard log.lastCommitted < number else { return ready() }
        state.value.waitingTasks.append((number, ready))
        state.value.log = log
        hasWaiting.store(true, ordering: .sequentiallyConsistent)
        // The log is checked again, because a commit between the check above and this line would wake no task.
        if log.lastCommitted >= number { runWaitingTasks() }
    }

    private func runWaitingTasks() {
        guard let log = state.value.log else { return }
        var committed: UInt64
        repeat {
            committed = log.lastCommitted
            let waiting = state.value.waitingTasks
            state.value.waitingTasks = waiting.filter { $0.number > committed }
            if !state.value.waitingTasks.isEmpty { hasWaiting.store(true, ordering: .sequentiallyConsistent) }
            for one in waiting where one.number <= committed { one.ready() }
        } while !state.value.waitingTasks.isEmpty && log.lastCommitted > committed
    }

    func closeIdle(before limit: Int64) {
        for session in Array(state.value.sessions.values) { session.closeIfIdle(since: limit) }
    }

    /// Closes all sessions when the relay stops.
    func closeAll() {
        for session in Array(state.value.sessions.values) { session.close() }
        state.value.waitingTasks = []
        state.value.log = nil
    }

    // MARK: Calls from any thread

    /// Runs the waiting tasks after a commit of the log.
    func didCommit() {
        guard hasWaiting.exchange(false, ordering: .sequentiallyConsistent) else { return }
        eventLoop.execute { self.runWaitingTasks() }
    }
}
