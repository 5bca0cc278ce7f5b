package import ChatAPI

/// The events of one transaction and the response to its command, for observers that keep the state in memory. Each
/// change is published once, in the order of the commits. An observer that applies all changes has the state of the
/// store.
package struct ChatChange: Sendable {
    /// The events, as the journal contains them.
    package var events: [ChatEvent]
    /// The position in the journal after this change; nil for a change without events.
    package var cursor: EventCursor?
    package var command: ChatCommand?
    package var response: ChatResponse?
    /// The id of the read command, if this value is the response to a read; nil for a change.
    package var orderedReadID: UInt64?
    /// Users with deleted chat content that observers may still have in memory.
    package var deletedContentUserIds: Set<Int64> = []
    /// The active calls, if this value is the response to a read of the calls; otherwise nil.
    package var activeCalls: [ActiveCall]?

    package init(
        events: [ChatEvent],
        cursor: EventCursor? = nil,
        command: ChatCommand? = nil,
        response: ChatResponse? = nil,
        origin: UInt64? = nil,
        deletedOf: Set<Int64> = [],
        calls: [ActiveCall]? = nil
    ) {
        (self.events, self.cursor, self.command, self.response) = (events, cursor, command, response)
        (self.orderedReadID, self.deletedContentUserIds, self.activeCalls) = (origin, deletedOf, calls)
    }
}
