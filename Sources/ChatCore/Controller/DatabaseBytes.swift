/// Sizes of the databases of a store in bytes, including their logs.
package struct DatabaseBytes: Sendable, Hashable {
    package var chatBytes: Int64 = 0
    package var agentBytes: Int64 = 0

    package init() {}

    init(chat: Int64, agent: Int64) { (self.chatBytes, self.agentBytes) = (chat, agent) }

    package static func + (left: DatabaseBytes, right: DatabaseBytes) -> DatabaseBytes {
        DatabaseBytes(chat: left.chatBytes &+ right.chatBytes, agent: left.agentBytes &+ right.agentBytes)
    }
}
