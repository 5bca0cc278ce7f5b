package import Agent
import Synchronization

/// A check of whether the agent refuses to send over a connection. Transactions can call this check.
package final class SendingCheck: Sendable {
    private struct WeakAgent: Sendable { weak var agent: Agent? }

    private let weakAgent = Mutex(WeakAgent())

    package func setAgent(_ agent: Agent) { weakAgent.withLock { $0.agent = agent } }

    package func isSendingProhibited(_ connection: ConnectionID) -> Bool {
        weakAgent.withLock { $0.agent }?.prohibitsSending(connection) ?? false
    }
}
