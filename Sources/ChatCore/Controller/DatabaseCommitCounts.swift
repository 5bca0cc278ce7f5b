/// The numbers of committed transactions with changes. Each of these commits syncs the log of its database once.
package struct DatabaseCommitCounts: Sendable, Hashable {
    package var chatCount: Int
    package var agentCount: Int

    package init(chat: Int = 0, agent: Int = 0) {
        self.chatCount = chat
        self.agentCount = agent
    }
}
