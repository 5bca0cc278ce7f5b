import NIOCore
import RelayBase
import Synchronization

/// The sessions of one event loop, and the tasks on this loop that wait for a commit of the log.
final class LoopSessions: SessionLoop {
    private struct State {
        var sessions: [ObjectIdentifier: FileClientSession] = [:]
        /// The tasks that wait for a commit, in the order of arrival. Their record numbers are nearly in the same
        /// order.
        var waitingTasks: [(number: UInt64, ready: () -> Void)] = []
        /// The log of the relay; nil until a task has waited for it, and after all sessions were closed.
        var log: LogWriter?
    }

    let eventLoop: any EventLoop
    private let state: NIOLoopBoundBox<State>
    private let hasWaitingTasks = Atomic(false)

    init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        state = .makeBoxSendingValue(State(), eventLoop: eventLoop)
    }

    // MARK: Calls on the event loop

    func addSession(_ session: FileClientSession) { state.value.sessions[ObjectIdentifier(session)] = session }

    func removeSession(_ session: FileClientSession) { state.value.sessions[ObjectIdentifier(session)] = nil }

    /// Calls `ready` when the log has committed the record with this number.
    func runAfterCommit(of number: UInt64, in log: LogWriter, _ ready: @escaping () -> Void) {
        guard log.lastCommittedRecordNumber < number else { return ready() }
        state.value.waitingTasks.append((number, ready))
        state.value.log = log
        hasWaitingTasks.store(true, ordering: .sequentiallyConsistent)
        // The number of the last committed record is read again. A commit between the check above and this line would
        // not wake the task.
        if log.lastCommittedRecordNumber >= number { runWaitingTasks() }
    }

    private func runWaitingTasks() {
        guard let log = state.value.log else { return }
        var committed: UInt64
        repeat {
            committed = log.lastCommittedRecordNumber
            let waiting = state.value.waitingTasks
            state.value.waitingTasks = waiting.filter { $0.number > committed }
            if !state.value.waitingTasks.isEmpty { hasWaitingTasks.store(true, ordering: .sequentiallyConsistent) }
            for one in waiting where one.number <= committed { one.ready() }
        } while !state.value.waitingTasks.isEmpty && log.lastCommittedRecordNumber > committed
    }

    func closeIdleSessions(before limit: Int64) {
        for session in Array(state.value.sessions.values) { session.closeIfIdle(since: limit) }
    }

    /// Closes all sessions and drops the waiting tasks, when the relay stops.
    func closeAllSessions() {
        for session in Array(state.value.sessions.values) { session.closeChannel() }
        state.value.waitingTasks = []
        state.value.log = nil
    }

    // MARK: Calls from any thread

    /// Runs the waiting tasks whose records are committed, on the event loop. The log calls this function after each
    /// commit.
    func didCommit() {
        guard hasWaitingTasks.exchange(false, ordering: .sequentiallyConsistent) else { return }
        eventLoop.execute { self.runWaitingTasks() }
    }
}
