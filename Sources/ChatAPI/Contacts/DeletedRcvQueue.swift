/// A queue that was deleted with its connection, and the error if the deletion failed.
public struct DeletedRcvQueue: Codable, Hashable, Sendable {
    public var agentConnId: String
    public var server: String
    public var agentQueueId: String
    public var agentError_: AgentErrorType?

    public init(agentConnId: String, server: String, agentQueueId: String, agentError_: AgentErrorType? = nil) {
        self.agentConnId = agentConnId
        self.server = server
        self.agentQueueId = agentQueueId
        self.agentError_ = agentError_
    }
}
