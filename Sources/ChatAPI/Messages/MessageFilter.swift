/// Conditions for the messages in a list. The text form of commands cannot express these conditions. A connected phone
/// (remote host) gets commands in the text form, so the phone cannot run a command with a condition.
package struct MessageFilter: Hashable, Sendable {
    package static let all = MessageFilter()

    /// Whether the user has sent the messages; nil for both directions.
    package var isSent: Bool?
    /// The member of a group who has sent the messages; nil for all senders.
    package var sender: Int64?
    /// The earliest time at which the messages were sent; nil for all times.
    package var since: Timestamp?

    package init(isSent: Bool? = nil, sender: Int64? = nil, since: Timestamp? = nil) {
        self.isSent = isSent
        self.sender = sender
        self.since = since
    }
}
