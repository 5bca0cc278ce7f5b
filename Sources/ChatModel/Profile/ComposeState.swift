/// A message that the user is writing and has not sent yet.
package struct ComposeState: Codable, Hashable, Sendable {
    package var message: String
    /// The id of the item to which the message replies.
    package var quotedItemId: Int64?
    /// The id of the item whose text the message will replace.
    package var editingItemId: Int64?

    package init(message: String, quotedItemId: Int64? = nil, editingItemId: Int64? = nil) {
        self.message = message
        self.quotedItemId = quotedItemId
        self.editingItemId = editingItemId
    }
}
