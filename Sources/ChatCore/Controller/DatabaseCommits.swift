/// Committed transactions that changed something, each with one sync of its database's log.
public struct DatabaseCommits: Sendable, Hashable {
    public var chat: Int
    public var agent: Int

    public init(chat: Int = 0, agent: Int = 0) {
        self.chat = chat
        self.agent = agent
    }
}
