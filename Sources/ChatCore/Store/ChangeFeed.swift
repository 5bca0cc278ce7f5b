internal import ChatAPI
internal import SQLCipher
import Synchronization

/// Publishes changes to observers that keep the state of profiles in memory: the module `ChatModel` in the gateway.
///
/// The event journal contains only events, and every reader starts at its own position. But some changes of state are
/// in no event: as in the original, they are only in the response to their command. So this feed has both, in the order
/// of the commits, for followers in the same process.
final class ChangeFeed: Sendable {
    private let handlers = Mutex<[@Sendable (ChatChange) -> Void]>([])
    private let count = Atomic<Int>(0)

    var hasFollowers: Bool { count.load(ordering: .relaxed) > 0 }

    func add(_ handler: @escaping @Sendable (ChatChange) -> Void) {
        handlers.withLock { $0.append(handler) }
        count.wrappingAdd(1, ordering: .relaxed)
    }

    /// Called on the writer's thread after each commit. The response to the command is published with the change.
    func committed(
        _ events: [ChatEvent],
        _ cursor: EventCursor?,
        answer: ChatResponse?,
        calls: [ActiveCall]? = nil,
        of command: CommandContext?,
        deletedOf: Set<Int64> = []
    ) {
        guard hasFollowers else { return }
        let response = command == nil ? nil : answer
        command?.note(published: response != nil)
        guard response != nil || !events.isEmpty || !deletedOf.isEmpty else { return }
        publish(
            ChatChange(
                events: events,
                cursor: cursor,
                command: command?.command,
                response: response,
                origin: command?.origin,
                deletedOf: deletedOf,
                calls: calls
            )
        )
    }

    private func publish(_ change: ChatChange) {
        handlers.withLock { handlers in
            for handler in handlers { handler(change) }
        }
    }
}

extension ChatStore {
    /// Runs `body` in order with the changes. The result is published with its position in the journal.
    func readInOrder<T: Sendable>(
        for command: CommandContext,
        _ body: @escaping @Sendable (StoreConnection) throws -> T
    ) async throws -> T {
        let journal = journal
        let (value, _) = try await database.write(
            { db in
                let seq = try db.first("SELECT seq FROM sqlite_sequence WHERE name = 'events'")?.int64("seq") ?? 0
                return (try body(db), EventCursor(epoch: journal.epoch, seq: UInt64(clamping: seq)))
            },
            committed: { [changes] value, cursor in
                let calls = value as? CallsRead
                changes.committed(
                    [],
                    cursor,
                    answer: calls?.response ?? value as? ChatResponse,
                    calls: calls?.active,
                    of: command
                )
            }
        )
        return value
    }

    /// Publishes a response that was not part of the command's transactions, after them.
    func publish(_ response: ChatResponse, of command: CommandContext) async throws {
        _ = try await database.write(
            { _ in response },
            committed: { [changes] in changes.committed([], nil, answer: $0, of: command) }
        )
    }
}
