internal import Agent
internal import ChatAPI

extension ChatController {
    /// Runs what needs the agent, and tells its errors as the chat's.
    func withAgent<T: Sendable>(_ body: @Sendable (Agent) async throws -> T) async throws -> T {
        do {
            return try await body(agent)
        } catch let error as AgentError {
            throw ChatFailure(error.chatError(""))
        }
    }
}

extension AgentError {
    func chatError(_ agentConnId: String) -> ChatError {
        .errorAgent(agentError: .internal(internalErr: "\(self)"), agentConnId: agentConnId, connectionEntity_: nil)
    }
    }
extension MessageMeta.Integrity { var apiError: MsgErrorType? { nil }; var text: String { "" } }
extension ItemStatus { init(sendError: AgentError) { self = .sndErrorAuth } }
extension ChatController { func connectionStats(_ c: ConnectionRecord?) async throws -> ConnectionStats? { nil } }
