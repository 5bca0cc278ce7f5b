internal import Agent
internal import ChatAPI
internal import Synchronization

/// A check of whether the agent refuses to send over a connection. Transactions can call this check.
final class SendingGate: Sendable {
    private struct Keeper: Sendable { weak var agent: Agent? }

    private let keeper = Mutex(Keeper())

    func setAgent(_ agent: Agent) { keeper.withLock { $0.agent = agent } }

    func isClosed(_ connection: ConnectionRecord) -> Bool {
        guard let agent = keeper.withLock({ $0.agent }), let id = connection.agentConnectionID else { return false }
        return agent.prohibitsSending(id)
    }

    /// The agent's error for a message over a connection that refuses messages.
    static let refusal = ChatFailure(
        ChatError.agent(AgentError.command(.prohibited, context: "sendMessagesB: send prohibited").api)
    )
}
