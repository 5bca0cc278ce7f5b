package import Agent
import Synchronization

/// A check of whether the agent refuses to send over a connection. Transactions can call this check.
package final class SendingGate: Sendable {
    private struct Keeper: Sendable { weak var agent: Agent? }

    private let keeper = Mutex(Keeper())

    package func setAgent(_ agent: Agent) { keeper.withLock { $0.agent = agent } }

    package func isClosed(_ connection: ConnectionID) -> Bool {
        keeper.withLock { $0.agent }?.prohibitsSending(connection) ?? false
    }
}
