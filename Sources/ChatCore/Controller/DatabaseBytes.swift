/// Bytes of the databases of a store, with their logs.
public struct DatabaseBytes: Sendable, Hashable {
    public var chat: Int64 = 0
    public var agent: Int64 = 0

    public init() {}

    init(chat: Int64, agent: Int64) { (self.chat, self.agent) = (chat, agent) }

    public static func + (left: DatabaseBytes, right: DatabaseBytes) -> DatabaseBytes {
        DatabaseBytes(chat: left.chat &+ right.chat, agent: left.agent &+ right.agent)
    }
}
