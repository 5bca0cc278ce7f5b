internal import Agent
internal import ChatStore
internal import SQLCipher

/// Connections of chats with notifications off, and of hidden or blocked members. Messages over these connections cause
/// no pushes.
enum MutedConnections {
    static func findAll(in db: StoreConnection) throws -> Set<ConnectionID> {
        let rows = try db.query(
            """
            SELECT cn.agent_conn_id FROM contacts c JOIN connections cn ON cn.contact_id = c.contact_id WHERE c.enable_ntfs = 'none'
            UNION
            SELECT cn.agent_conn_id FROM groups g JOIN group_members m ON m.group_id = g.group_id
            JOIN connections cn ON cn.group_member_id = m.group_member_id
            WHERE g.enable_ntfs = 'none' OR m.show_messages = 0 OR m.blocked_by_admin = 1
            """
        )
        return try Set(rows.compactMap { ConnectionID(text: try $0.string("agent_conn_id")) })
    }
}
