/// A message that the user is writing and has not sent yet.
public struct ComposeState: Codable, Hashable, Sendable {
    public var message: String
    /// The item to which the message replies.
    public var quotedItemId: Int64?
    /// The item whose text the message will replace.
    public var editingItemId: Int64?

    public init(message: String, quotedItemId: Int64? = nil, editingItemId: Int64? = nil) {
        self.message = message
        self.quotedItemId = quotedItemId
        self.editingItemId = editingItemId
    }
}
