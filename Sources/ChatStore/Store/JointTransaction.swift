package import ChatAPI
import Synchronization

/// The transactions of several commands, which run later as one transaction.
///
/// Each command does its checks and its reads as usual. Its ``CommandStore``, however, does not run the transaction of
/// the command, but adds this transaction to the joint transaction.
package final class JointTransaction: Sendable {
    package typealias Body = @Sendable (Transaction) throws -> ChatResponse

    private let parts = Mutex<[(command: CommandContext, body: Body)]>([])

    package init() {}

    package func add(_ body: @escaping Body, of command: CommandContext) {
        parts.withLock { $0.append((command, body)) }
    }

    /// Runs the transactions in the order in which they were added.
    package func run(_ tx: Transaction) throws {
        for part in parts.withLock({ $0 }) { try tx.storeAnswer(part.body(tx), to: part.command) }
    }
}
