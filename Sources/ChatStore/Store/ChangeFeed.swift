package import ChatAPI
internal import SQLCipher
import Synchronization

/// Publishes changes to observers that keep the state of profiles in memory (the module `ChatModel` in the gateway).
///
/// The event journal contains only events, and each of its readers starts at another position. Some changes of the
/// state appear in no event: only the response to the command contains them, as in the original. So this feed publishes
/// both events and responses, in the order of the commits, to observers in the same process.
package final class ChangeFeed: Sendable {
    private let handlers = Mutex<[@Sendable (ChatChange) -> Void]>([])
    private let handlerCount = Atomic<Int>(0)

    package var hasFollowers: Bool { handlerCount.load(ordering: .relaxed) > 0 }

    package func addHandler(_ handler: @escaping @Sendable (ChatChange) -> Void) {
        handlers.withLock { $0.append(handler) }
        handlerCount.wrappingAdd(1, ordering: .relaxed)
    }

    /// Publishes the events of a transaction, together with the responses to its commands. It is called on the writer's
    /// thread after each commit.
    func publishCommit(
        _ events: [ChatEvent],
        _ cursor: EventCursor?,
        answers: [CommandAnswer],
        calls: [ActiveCall]? = nil,
        of command: CommandContext?,
        deletedOf: Set<Int64> = []
    ) {
        guard hasFollowers else { return }
        command?.recordWrite(published: !answers.isEmpty)
        guard !answers.isEmpty || !events.isEmpty || !deletedOf.isEmpty else { return }
        publish(
            ChatChange(
                events: events,
                cursor: cursor,
                command: answers.first?.command.command ?? command?.command,
                response: answers.first?.response,
                origin: command?.orderedReadID,
                deletedOf: deletedOf,
                calls: calls
            )
        )
        for answer in answers.dropFirst() {
            publish(ChatChange(events: [], command: answer.command.command, response: answer.response))
        }
    }

    private func publish(_ change: ChatChange) {
        handlers.withLock { handlers in
            for handler in handlers { handler(change) }
        }
    }
}

/// A command and its response, for the observers of changes.
struct CommandAnswer: Sendable {
    package let command: CommandContext
    package let response: ChatResponse
}

extension ChatStore {
    /// Runs `body` between two transactions that change data, and publishes the result to the observers of changes,
    /// with its position in the journal. So observers get the result and all changes in the right order.
    func runOrderedRead<T: Sendable>(
        for command: CommandContext,
        _ body: @escaping @Sendable (StoreConnection) throws -> T
    ) async throws -> T {
        let journal = journal
        let (value, _) = try await database.write(
            { db in
                let seq = try db.firstRow("SELECT seq FROM sqlite_sequence WHERE name = 'events'")?.int64("seq") ?? 0
                return (try body(db), EventCursor(epoch: journal.epoch, seq: UInt64(clamping: seq)))
            },
            committed: { [changeFeed] value, cursor in
                let calls = value as? CallsSnapshot
                let response = calls?.response ?? value as? ChatResponse
                changeFeed.publishCommit(
                    [],
                    cursor,
                    answers: response.map { [CommandAnswer(command: command, response: $0)] } ?? [],
                    calls: calls?.activeCalls,
                    of: command
                )
            }
        )
        return value
    }

    /// Publishes the response to a command. The caller must check that no transaction of the command has published it.
    /// Observers get the response after the changes of these transactions.
    package func publishResponse(_ response: ChatResponse, of command: CommandContext) async throws {
        _ = try await database.write(
            { _ in response },
            committed: { [changeFeed] response in
                let answer = CommandAnswer(command: command, response: response)
                changeFeed.publishCommit([], nil, answers: [answer], of: command)
            }
        )
    }
}
