/// The numbers of committed transactions with changes. Each of these commits syncs the log of its database once.
package struct DatabaseCommits: Sendable, Hashable {
    package var chat: Int
    package var agent: Int

    package init(chat: Int = 0, agent: Int = 0) {
        self.chat = chat
        self.agent = agent
    }
}
