/// The numbers of committed transactions with changes. Each of these commits syncs the log of its database once.
public struct DatabaseCommits: Sendable, Hashable {
    public var chat: Int
    public var agent: Int

    public init(chat: Int = 0, agent: Int = 0) {
        self.chat = chat
        self.agent = agent
    }
}
