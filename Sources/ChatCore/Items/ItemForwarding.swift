internal import ChatAPI
internal import ChatStore
internal import SQLCipher

/// Storage of the origin of forwarded items. An origin names the chat and the original item. Queries return the ids of
/// the chat and of the original item only while the chat and the item exist.
enum ItemForwarding {
    static let columns = """
        i.item_forwarded,
        CASE i.forwarded_chat_type
          WHEN \(ChatKey.Kind.contact.rawValue) THEN
            (SELECT f.contact_id FROM contacts f WHERE f.user_id = i.user_id AND f.contact_id = i.forwarded_chat_id)
          WHEN \(ChatKey.Kind.group.rawValue) THEN
            (SELECT f.group_id FROM groups f WHERE f.user_id = i.user_id AND f.group_id = i.forwarded_chat_id)
        END AS forwarded_chat_id,
        (SELECT f.chat_item_id FROM chat_items f WHERE f.chat_item_id = i.forwarded_item_id) AS forwarded_item_id
        """

    static func readOrigin(_ row: Row) throws -> CIForwardedFrom? {
        guard let stored = try row.stringOrNil("item_forwarded") else { return nil }
        // Older versions of this program have stored an empty object instead of the origin.
        guard let origin = try? StoredJSON.decode(CIForwardedFrom.self, stored) else { return .unknown }
        let (chatId, itemId) = (try row.int64OrNil("forwarded_chat_id"), try row.int64OrNil("forwarded_item_id"))
        return switch origin {
        case .contact(let name, let direction, _, _):
            .contact(chatName: name, msgDir: direction, contactId: chatId, chatItemId: itemId)
        case .group(let name, let direction, _, _):
            .group(chatName: name, msgDir: direction, groupId: chatId, chatItemId: itemId)
        default: origin
        }
    }

    /// Returns the stored form of an origin: its JSON text, the chat, and the id of the original item.
    static func makeStoredOrigin(_ origin: CIForwardedFrom?) throws -> (text: String?, chat: ChatKey?, itemId: Int64?) {
        let text = try origin.map { try StoredJSON.encode($0) }
        return (text, origin?.originChat, origin?.originItemId)
    }
}
