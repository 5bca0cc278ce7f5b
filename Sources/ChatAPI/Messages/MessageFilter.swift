/// Conditions for messages of a list that the core's text commands do not have. A command with a condition has no text
/// form, so phones cannot run it.
public struct MessageFilter: Hashable, Sendable {
    public static let all = MessageFilter()

    /// Whether the user has sent the messages; nil for both directions.
    public var isSent: Bool?
    /// The member of a group who has sent the messages; nil for all senders.
    public var sender: Int64?
    /// The time from which the messages were sent; nil for all times.
    public var since: Timestamp?

    public init(isSent: Bool? = nil, sender: Int64? = nil, since: Timestamp? = nil) {
        self.isSent = isSent
        self.sender = sender
        self.since = since
    }
}
