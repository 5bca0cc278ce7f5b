internal import ChatAPI
internal import SQLCipher
import Synchronization

/// The command that runs in this task, for those who follow changes.
final class CommandRun: Sendable {
    /// Names a read that has its place among the changes; nil for other commands.
    let origin: UInt64?
    private let state: Mutex<State>

    private struct State {
        var command: ChatCommand
        let isOfTheTerminal: Bool
        var wrote = false
        var told = false
    }

    init(_ command: ChatCommand, origin: UInt64? = nil) {
        let isOfTheTerminal = if case .console = command { true } else { false }
        state = Mutex(State(command: command, isOfTheTerminal: isOfTheTerminal))
        self.origin = origin
    }

    var command: ChatCommand { state.withLock { $0.command } }

    /// A command of the terminal is carried out by another, which says what it means.
    func means(_ command: ChatCommand) {
        state.withLock { state in
            if state.isOfTheTerminal { state.command = command }
        }
    }

    @TaskLocal static var current: CommandRun?

    var isInOrder: Bool { origin != nil }

    func note(told: Bool) {
        state.withLock { state in
            state.wrote = true
            state.told = state.told || told
        }
    }

    var isTold: Bool { state.withLock { $0.told } }

    /// Whether the answer says something that its transactions have not told.
    func isToBeTold(_ response: ChatResponse) -> Bool {
        switch response {
        case .chatStarted, .chatStopped: true
        default: state.withLock { $0.wrote && !$0.told }
        }
    }
}

/// Those who follow changes.
final class ChangeFeed: Sendable {
    private let handlers = Mutex<[@Sendable (ChatChange) -> Void]>([])
    private let count = Atomic<Int>(0)

    var hasFollowers: Bool { count.load(ordering: .relaxed) > 0 }

    func add(_ handler: @escaping @Sendable (ChatChange) -> Void) {
        handlers.withLock { $0.append(handler) }
        count.wrappingAdd(1, ordering: .relaxed)
    }

    /// Called on the writer's thread after each commit. A value that is the answer to the command is told with it.
    func committed(_ events: [ChatEvent], _ cursor: EventCursor?, answer value: some Sendable, of run: CommandRun?) {
        guard hasFollowers else { return }
        let response = run == nil ? nil : value as? ChatResponse
        run?.note(told: response != nil)
        guard response != nil || !events.isEmpty else { return }
        tell(ChatChange(events: events, cursor: cursor, command: run?.command, response: response, origin: run?.origin))
    }

    private func tell(_ change: ChatChange) {
        handlers.withLock { handlers in
            for handler in handlers { handler(change) }
        }
    }
}

extension ChatStore {
    /// Runs `body` at a place among the changes. The place in the journal is told with what was read.
    func readInOrder<T: Sendable>(for run: CommandRun, _ body: @escaping @Sendable (StoreConnection) throws -> T) async throws -> T {
        let journal = journal
        let (value, _) = try await database.write({ db in
            let seq = try db.first("SELECT seq FROM sqlite_sequence WHERE name = 'events'")?.int64("seq") ?? 0
            return (try body(db), EventCursor(epoch: journal.epoch, seq: UInt64(clamping: seq)))
        }, committed: { [changes] value, cursor in changes.committed([], cursor, answer: value, of: run) })
        return value
    }

    /// Tells an answer whose transactions did not hold it. It stands after them.
    func tell(_ response: ChatResponse, of run: CommandRun) async throws {
        _ = try await database.write({ _ in response }, committed: { [changes] in changes.committed([], nil, answer: $0, of: run) })
    }
}
