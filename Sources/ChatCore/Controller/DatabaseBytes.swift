/// Bytes of the databases of a store, with their logs.
package struct DatabaseBytes: Sendable, Hashable {
    package var chat: Int64 = 0
    package var agent: Int64 = 0

    package init() {}

    init(chat: Int64, agent: Int64) { (self.chat, self.agent) = (chat, agent) }

    package static func + (left: DatabaseBytes, right: DatabaseBytes) -> DatabaseBytes {
        DatabaseBytes(chat: left.chat &+ right.chat, agent: left.agent &+ right.agent)
    }
}
