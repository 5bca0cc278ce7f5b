internal import Agent
internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import SimpleXCrypto
internal import SQLCipher

/// Fills a new chat database with the data of a chat database of the official apps. Users, contacts, groups, members,
/// items and files keep their ids.
struct AppChatImport {
    let app: AppDatabase
    let db: StoreConnection
    let now = Timestamp.now
    var counts = MovedCounts()
    /// Whether the app's database records which items contain links.
    let hasLinkColumn: Bool
    /// The users and memberships of recently looked-up groups. The cache is bounded, since the app's tables may be of
    /// any size.
    let groupCache = LookupCache<Int64, (user: Int64, membership: Int64)>()
    /// The keys that verify the badges of the users.
    let badgeKeys: BadgeKeys
    /// The profiles of the first ``AppBadges/maxUsers`` users. Only the badges of these profiles are imported.
    var badgeProfiles: Set<Int64> = []

    init(app: AppDatabase, db: StoreConnection, hasLinkColumn: Bool, badgeKeys: BadgeKeys) {
        self.app = app
        self.db = db
        self.hasLinkColumn = hasLinkColumn
        self.badgeKeys = badgeKeys
    }

    /// Makes a new chat database at a path, and imports the data of the app's database.
    /// - Parameters:
    ///   - migrations: names of the migrations of the app's database.
    ///   - badgeKeys: the keys that verify the badges of the users.
    static func importDatabase(
        _ app: AppDatabase,
        migrations: Set<String>,
        badgeKeys: BadgeKeys,
        to path: String,
        key: DatabaseKey
    ) async throws -> MovedCounts {
        let database = try await Database.open(at: path, key: key, migrations: ChatSchema.migrations, readers: 1)
        do {
            let done = try await database.write { db in
                var moving = AppChatImport(
                    app: app,
                    db: db,
                    hasLinkColumn: migrations.contains("20260122_has_link"),
                    badgeKeys: badgeKeys
                )
                try moving.importRows()
                return moving.counts
            }
            await database.close()
            return done
        } catch {
            await database.close()
            throw error
        }
    }

    /// Counts the connections in the new chat database. The database of the agent must have the same connections.
    static func countConnections(in chat: AppDatabase) throws -> Int {
        try ["connections", "user_addresses", "group_links"].reduce(0) { $0 + (try chat.countRows($1)) }
    }

    static func hasConnection(_ id: ConnectionID, in chat: AppDatabase) throws -> Bool {
        try ["connections", "user_addresses", "group_links"].contains {
            try !chat.query("SELECT 1 AS n FROM \($0) WHERE agent_conn_id = ?", id.text).isEmpty
        }
    }

    /// Whether the contact is imported. The app also has a contact for each of its users, which is not imported.
    func hasContact(_ id: Int64) throws -> Bool {
        try !app.query("SELECT 1 AS n FROM contacts WHERE contact_id = ? AND \(Self.importedContactCondition)", id)
            .isEmpty
    }

    /// Whether the contact is the app's record of a user.
    func representsUser(_ contact: Int64) throws -> Bool {
        try !app.query("SELECT 1 AS n FROM users WHERE contact_id = ?", contact).isEmpty
    }

    func hasMember(_ id: Int64) throws -> Bool {
        guard
            let group = try app.query("SELECT group_id FROM group_members WHERE group_member_id = ?", id).first?.int(
                "group_id"
            )
        else { return false }
        return try findOwner(of: group) != nil
    }

    private static let importedContactCondition =
        "is_user = 0 AND coalesce(deleted, 0) = 0 AND contact_profile_id IS NOT NULL"

    private mutating func importRows() throws {
        try importUsers()
        try importProfiles()
        try importContacts()
        try importGroups()
        try importLinks()
        try importConnections()
        try importContactRequests()
        try importItems()
        try importFiles()
        try importTags()
        try importSettings()
        try fillItemCountsAndLastIds()
        for (table, what) in [
            ("calls", "calls"), ("remote_hosts", "linked mobiles"), ("remote_controllers", "linked desktops"),
            ("pending_group_messages", "messages to members who were not connected yet"),
        ] {
            counts.countOmitted(what, try app.countRows(table))
        }
    }

    /// Computes the counts of items in all chats, and the last ids of each user. The INSERT statements of the import
    /// have not updated these values.
    private func fillItemCountsAndLastIds() throws {
        try db.execute(
            """
            INSERT INTO chat_item_days (user_id, chat_type, chat_id, day, items, unread)
              SELECT user_id, chat_type, chat_id, order_ts / \(ChatCounts.dayNanoseconds), count(*), sum(item_status = 'rcvNew') FROM chat_items GROUP BY 1, 2, 3, 4
            """,
            []
        )
        for owner in ChatCounts.unreadTables {
            try db.execute(
                """
                UPDATE \(owner.table) SET unread_count = coalesce((SELECT sum(d.unread) FROM chat_item_days d WHERE d.user_id = \(owner.table).user_id
                  AND d.chat_type = \(owner.kind.rawValue) AND d.chat_id = \(owner.table).\(owner.idColumn)), 0)
                """,
                []
            )
        }
        try db.execute(
            """
            UPDATE users SET
              last_contact_id = coalesce((SELECT max(contact_id) FROM contacts c WHERE c.user_id = users.user_id), 0),
              last_group_id = coalesce((SELECT max(group_id) FROM groups g WHERE g.user_id = users.user_id), 0),
              last_group_member_id = coalesce((SELECT max(group_member_id) FROM group_members m WHERE m.user_id = users.user_id), 0)
            """,
            []
        )
    }
}
