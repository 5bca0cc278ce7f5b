/// A receiving queue that was deleted with its connection, and the error if the deletion failed.
package struct DeletedRcvQueue: Codable, Hashable, Sendable {
    package var agentConnId: String
    package var server: String
    package var agentQueueId: String
    package var agentError_: AgentErrorType?

    package init(agentConnId: String, server: String, agentQueueId: String, agentError_: AgentErrorType? = nil) {
        self.agentConnId = agentConnId
        self.server = server
        self.agentQueueId = agentQueueId
        self.agentError_ = agentError_
    }
}
