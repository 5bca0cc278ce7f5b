internal import Agent
internal import ChatAPI
internal import ChatMoving
internal import ChatProtocol
internal import ChatStore
internal import SimpleXCrypto
internal import SQLCipher

/// Converts a chat database of this program into a database for the official apps (version 7.0). In this program, ids
/// of contacts, groups and members are counted for each user. In the apps' database, ids are counted for all users
/// together, so an id that two users share gets a new number.
struct AppChatExport {
    let db: StoreConnection
    let appDatabase: StoreConnection
    let now = Timestamp.now
    var counts = MovedCounts()
    var contactNumbers = AppRowIDs(), groupNumbers = AppRowIDs(), memberNumbers = AppRowIDs()
    /// For each user, the id of the contact that represents the user in the apps' database.
    var ownContactIds: [Int64: Int64] = [:]
    /// The user's membership in each group, by the id of the group in this store.
    var memberships: [AppRowIDs.Key: Int64] = [:]
    /// The memberships of the user and of the inviter in groups that the user is joining. The user has accepted the
    /// invitation, but the inviter has not received the acceptance yet. The app cannot continue the acceptance, so the
    /// user has to accept these invitations again in the app.
    var unacceptedMembers: Set<AppRowIDs.Key> = []
    var unacceptedItemIds: Set<Int64> = []

    /// Makes the database for the apps.
    /// - Parameters:
    ///   - database: the database of this program. Nothing else may use this database during the export.
    ///   - scratch: the path of the unfinished database. The file must not exist yet.
    ///   - target: the path of the finished database, which is encrypted with the passphrase. The file must not exist
    ///     yet.
    static func exportDatabase(
        _ database: Database,
        scratch: String,
        to target: String,
        passphrase: String
    ) async throws -> MovedCounts {
        try await database.read { db in
            let maker = try AppDatabaseMaker(scratch: scratch, tables: AppChatSchema.tables)
            var moving = AppChatExport(db: db, app: try maker.connection)
            try moving.exportRows()
            try maker.writeFinishedDatabase(AppChatSchema.indicesAndTriggers, to: target, passphrase: passphrase)
            return moving.counts
        }
    }

    init(db: StoreConnection, app: StoreConnection) {
        self.db = db
        self.appDatabase = app
    }

    /// Exports all rows.
    /// - Throws: ``ChatFailure`` if the store has channels that the user owns or relays. The apps' database cannot
    ///   contain these channels.
    private mutating func exportRows() throws {
        let kept = try db.queryFirst(
            "SELECT 1 FROM groups WHERE root_private_key IS NOT NULL OR relay_own_status IS NOT NULL",
            []
        )
        guard kept == nil else {
            throw ChatFailure.commandError(
                "channels that a profile owns or serves as a relay cannot be moved to an app"
            )
        }
        for name in AppChatMigrations.names {
            try appDatabase.insert(into: "migrations", ["name": name, "ts": now.appText])
        }
        for (status, isCurrent) in AppChatSchema.isCurrentByMemberStatus {
            try appDatabase.insert(
                into: "group_member_status_predicates",
                [
                    "member_status": status, "current_member": isCurrent,
                ]
            )
        }
        try appDatabase.insert(into: "connections_sync", ["should_sync": 0, "last_sync_ts": now.appText])
        try assignRowNumbers()
        try exportProfiles()
        try exportUsers()
        try exportContacts()
        try exportGroups()
        try exportLinks()
        try exportConnections()
        try exportContactRequests()
        try exportItems()
        try exportFiles()
        try exportTags()
        try exportSettings()
        for (table, what) in [
            ("calls", "calls"), ("remote_hosts", "linked mobiles"), ("remote_controllers", "linked desktops"),
            ("waiting_messages", "messages to members who were not connected yet"),
            ("event_subscriptions", "webhooks, push subscriptions and consumers"),
        ] {
            counts.countOmitted(what, try db.queryFirst("SELECT count(*) AS n FROM \(table)", [])?.readCount("n") ?? 0)
        }
    }

    /// Calls `body` with each row of a table. The rows are read in batches.
    func forEachRow(_ table: String, by id: String, _ body: (Row) throws -> Void) throws {
        var last: Int64 = -1
        while true {
            let rows = try db.query("SELECT * FROM \(table) WHERE \(id) > ? ORDER BY \(id) LIMIT 500", [last])
            for row in rows { try body(row) }
            guard let next = try rows.last?.int64(id) else { return }
            last = next
        }
    }

    static func timeText(_ row: Row, _ column: String) throws -> String? {
        try row.int64OrNil(column).map { Timestamp(nanoseconds: $0).appText }
    }

    static func utf8Bytes(_ row: Row, _ column: String) throws -> [UInt8]? {
        try row.stringOrNil(column).map { Array($0.utf8) }
    }

    private mutating func assignRowNumbers() throws {
        for row in try db.query("SELECT user_id, contact_id FROM contacts ORDER BY user_id, contact_id", []) {
            contactNumbers.assignNumber(try row.int64("user_id"), try row.int64("contact_id"))
        }
        for row in try db.query("SELECT user_id, group_id, membership_id FROM groups ORDER BY user_id, group_id", []) {
            let user = try row.int64("user_id"), group = try row.int64("group_id")
            groupNumbers.assignNumber(user, group)
            memberships[AppRowIDs.Key(user: user, id: group)] = try row.int64("membership_id")
        }
        for row in try db.query(
            "SELECT user_id, group_member_id FROM group_members ORDER BY user_id, group_member_id",
            []
        ) {
            memberNumbers.assignNumber(try row.int64("user_id"), try row.int64("group_member_id"))
        }
        for row in try db.query(
            """
            SELECT g.user_id, g.membership_id, g.invitation_item_id, h.group_member_id FROM groups g
            JOIN group_members u ON u.user_id = g.user_id AND u.group_member_id = g.membership_id
            JOIN group_members h ON h.user_id = g.user_id AND h.group_id = g.group_id AND h.member_category = 'host'
            WHERE g.invitation IS NOT NULL AND u.member_status = 'accepted' AND NOT EXISTS (SELECT 1 FROM connections c
              WHERE c.user_id = h.user_id AND c.group_member_id = h.group_member_id AND c.conn_status <> 'prepared')
            """,
            []
        ) {
            let user = try row.int64("user_id")
            for column in ["membership_id", "group_member_id"] {
                unacceptedMembers.insert(AppRowIDs.Key(user: user, id: try row.int64(column)))
            }
            if let item = try row.int64OrNil("invitation_item_id") { unacceptedItemIds.insert(item) }
        }
        for row in try db.query("SELECT user_id FROM users ORDER BY user_id", []) {
            ownContactIds[try row.int64("user_id")] = contactNumbers.takeUnusedNumber()
        }
    }
}
