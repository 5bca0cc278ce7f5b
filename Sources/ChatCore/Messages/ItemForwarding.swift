internal import ChatAPI
internal import SQLCipher

/// Where a forwarded item was taken from. The item there and the contact are named as long as they exist.
enum ItemForwarding {
    static let migration = Migration(
        name: "20261121_forwarded_items",
        up: """
            ALTER TABLE chat_items ADD COLUMN forwarded_contact_id INTEGER;
            ALTER TABLE chat_items ADD COLUMN forwarded_item_id INTEGER;
            ALTER TABLE chat_items ADD COLUMN file_invitation TEXT;
            """)

    static let columns = """
        i.item_forwarded,
        (SELECT f.contact_id FROM contacts f WHERE f.user_id = i.user_id AND f.contact_id = i.forwarded_contact_id) AS forwarded_contact_id,
        (SELECT f.chat_item_id FROM chat_items f WHERE f.chat_item_id = i.forwarded_item_id) AS forwarded_item_id
        """

    static func read(_ row: Row) throws -> CIForwardedFrom? {
        guard let stored = try row.stringOrNil("item_forwarded") else { return nil }
        // Items from before the origin was kept have an empty object here.
        guard let origin = try? StoredJSON.decode(CIForwardedFrom.self, stored) else { return .unknown }
        guard case .contact(let name, let direction, _, _) = origin else { return origin }
        return .contact(
            chatName: name, msgDir: direction, contactId: try row.int64OrNil("forwarded_contact_id"),
            chatItemId: try row.int64OrNil("forwarded_item_id"))
    }

    /// What is stored: the origin, and the ids that are only told while they exist.
    static func stored(_ origin: CIForwardedFrom?) throws -> (text: String?, contactId: Int64?, itemId: Int64?) {
        let text = try origin.map { try StoredJSON.encode($0) }
        guard case .contact(_, _, let contactId, let itemId) = origin else { return (text, nil, nil) }
        return (text, contactId, itemId)
    }
}
