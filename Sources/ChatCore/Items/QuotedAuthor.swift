internal import ChatAPI
internal import ChatStore

/// The author of the message that an item of a group quotes. The database stores the id of the member. The record of
/// the member is read with the item.
enum QuotedAuthor {
    /// The SQL column with the id of the item that an item `i` quotes. The quoted item is in the same chat, or, for an
    /// item in a support chat, in the chat of the group. The query also compares the authors, since a member may use
    /// the id of another member's message again.
    static let quotedItemIdColumn = """
        coalesce(
          \(quotedItemIdQuery(in: "q.chat_type = i.chat_type AND q.chat_id = i.chat_id")),
          CASE WHEN i.support_group_id IS NOT NULL THEN
            \(quotedItemIdQuery(in: "q.chat_type = \(ChatKey.Kind.group.rawValue) AND q.chat_id = i.support_group_id"))
          END) AS quoted_item_id
        """

    private static func quotedItemIdQuery(in chat: String) -> String {
        """
        (SELECT q.chat_item_id FROM chat_items q WHERE q.user_id = i.user_id AND \(chat)
          AND q.shared_msg_id = i.quoted_shared_msg_id AND (i.quoted_member_id IS NULL OR coalesce(q.author_member_id, 0) = i.quoted_member_id)
          LIMIT 1)
        """
    }

    /// Returns the id that the database stores for the author of a quoted message. The id is 0 for the user. It is nil
    /// without a quote, outside of groups, for a post in the name of the group, and for an unknown member.
    static func storedMemberId(_ quote: CIQuote?) -> Int64? {
        switch quote?.chatDir {
        case .groupSnd?: 0
        case .groupRcv(let member)?: member.groupMemberId
        default: nil
        }
    }

    /// Returns the stored form of a quote, without the record of the member who has written the quoted message.
    static func encodeQuote(of quote: CIQuote) throws -> String {
        var quote = quote
        if case .groupRcv = quote.chatDir { quote.chatDir = nil }
        return try StoredJSON.encode(quote)
    }
}
