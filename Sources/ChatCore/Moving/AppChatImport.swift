internal import Agent
internal import ChatAPI
internal import JSON
internal import SimpleXCrypto
internal import SMP
internal import SQLCipher

/// Fills a new chat database with what a chat database of the official apps has. Users, contacts, groups, members, items and files keep their numbers.
struct AppChatImport {
    let app: AppDatabase
    let db: StoreConnection
    let now = Timestamp.now
    var counts = MovedCounts()
    /// The connections that the agent's database has to have.
    var connections: Set<ConnectionID> = []
    /// The contacts that stand for the users themselves.
    var ownContacts: Set<Int64> = []
    var contacts: Set<Int64> = []
    /// The user of each group, and the user as its member.
    var groups: [Int64: (user: Int64, membership: Int64)] = [:]
    var members: Set<Int64> = []
    /// The numbers of the users' addresses.
    var links: Set<Int64> = []

    static func run(_ app: AppDatabase, to path: String, key: DatabaseKey) async throws -> (counts: MovedCounts, connections: Set<ConnectionID>) {
        try AppArchiveError.check(app, known: AppChatMigrations.names, oldest: AppChatMigrations.oldest)
        let database = try await Database.open(at: path, key: key, migrations: ChatSchema.migrations, readers: 1)
        do {
            let done = try await database.write { db in
                var moving = AppChatImport(app: app, db: db)
                try moving.run()
                return (moving.counts, moving.connections)
            }
            await database.close()
            return done
        } catch {
            await database.close()
            throw error
        }
    }

    private mutating func run() throws {
        try takeUsers()
        try takeProfiles()
        try takeContacts()
        try takeGroups()
        try takeLinks()
        try takeConnections()
        try takeRequests()
        try takeItems()
        try takeFiles()
        try takeTags()
        try takeSettings()
        try count()
        for (table, what) in [
            ("calls", "calls"), ("remote_hosts", "linked mobiles"), ("remote_controllers", "linked desktops"),
            ("pending_group_messages", "messages to members who were not connected yet"),
        ] {
            counts.leave(what, try app.count(table))
        }
    }

    func insert(_ table: String, ignoring: Bool = false, _ values: [(String, Argument)]) throws {
        try db.execute(
            "INSERT \(ignoring ? "OR IGNORE " : "")INTO \(table) (\(values.map(\.0).joined(separator: ", "))) VALUES (\(placeholders(values.count)))",
            values.map(\.1))
    }

    // MARK: Users

    private mutating func takeUsers() throws {
        let rows = try app.query("SELECT u.*, c.contact_profile_id AS profile_id FROM users u JOIN contacts c ON c.contact_id = u.contact_id ORDER BY u.user_id")
        for row in rows {
            let ttl = try app.query("SELECT chat_item_ttl FROM settings WHERE user_id = ? ORDER BY settings_id DESC LIMIT 1", row.int("user_id")).first
            if let own = row.int("contact_id") { ownContacts.insert(own) }
            try insert("users", [
                ("user_id", row.int("user_id")), ("agent_user_id", row.int("agent_user_id")), ("contact_profile_id", row.int("profile_id")),
                ("local_display_name", row.text("local_display_name")), ("active_user", row.flag("active_user")), ("active_order", row.int("active_order") ?? 0),
                ("view_pwd_hash", row.blob("view_pwd_hash")), ("view_pwd_salt", row.blob("view_pwd_salt")), ("show_ntfs", row.flag("show_ntfs")),
                ("send_rcpts_contacts", row.flag("send_rcpts_contacts")), ("send_rcpts_small_groups", row.flag("send_rcpts_small_groups")),
                ("auto_accept_member_contacts", row.flag("auto_accept_member_contacts")),
                ("user_member_profile_updated_at", row.time("user_member_profile_updated_at")), ("ui_themes", row.text("ui_themes")),
                ("chat_item_ttl", ttl?.int("chat_item_ttl") ?? 0), ("created_at", row.time("created_at") ?? now.nanoseconds),
                ("updated_at", row.time("updated_at") ?? now.nanoseconds),
            ])
            counts.carry("users")
        }
        for row in try app.query("SELECT * FROM display_names") {
            try insert("display_names", ignoring: true, [
                ("user_id", row.int("user_id")), ("local_display_name", row.text("local_display_name")), ("ldn_base", row.text("ldn_base")),
                ("ldn_suffix", row.int("ldn_suffix") ?? 0),
            ])
        }
        for row in try app.query("SELECT * FROM note_folders ORDER BY note_folder_id") {
            try insert("note_folders", ignoring: true, [
                ("user_id", row.int("user_id")), ("favorite", row.flag("favorite")), ("unread_chat", row.flag("unread_chat")),
                ("created_at", row.time("created_at") ?? now.nanoseconds), ("updated_at", row.time("updated_at") ?? now.nanoseconds),
                ("chat_ts", row.time("chat_ts") ?? now.nanoseconds),
            ])
        }
        try db.execute(
            """
            INSERT OR IGNORE INTO note_folders (user_id, created_at, updated_at, chat_ts) SELECT user_id, created_at, created_at, created_at FROM users
            """, [])
    }

    private func takeProfiles() throws {
        try app.forEach("contact_profiles", by: "contact_profile_id") { row in
            try insert("contact_profiles", [
                ("contact_profile_id", row.int("contact_profile_id")), ("user_id", row.int("user_id")), ("display_name", row.text("display_name") ?? ""),
                ("profile", try StoredJSON.encode(Self.profile(row))), ("local_alias", row.text("local_alias") ?? ""),
                ("created_at", row.time("created_at") ?? now.nanoseconds), ("updated_at", row.time("updated_at") ?? now.nanoseconds),
            ])
        }
    }

    private static func profile(_ row: AppRow) -> Profile {
        Profile(
            displayName: row.text("display_name") ?? "", fullName: row.text("full_name") ?? "", shortDescr: row.text("short_descr"), image: row.text("image"),
            contactLink: row.text("contact_link"), preferences: row.decoded(Preferences.self, "preferences"),
            peerType: row.text("chat_peer_type").map(ChatPeerType.init(rawValue:)))
    }

    static func notifications(_ row: AppRow) -> String {
        switch row.int("enable_ntfs") {
        case 0?: "none"
        case 2?: "mentions"
        default: "all"
        }
    }

    // MARK: Contacts

    private mutating func takeContacts() throws {
        var taken: Set<Int64> = [], left = 0, fromMembers = 0
        try app.forEach("contacts", by: "contact_id", where: "is_user = 0") { row in
            guard !row.flag("deleted"), let id = row.int("contact_id"), let profile = row.int("contact_profile_id") else {
                left += 1
                return
            }
            if row.int("contact_group_member_id") != nil || row.blob("grp_direct_inv_link") != nil { fromMembers += 1 }
            taken.insert(id)
            try insert("contacts", [
                ("user_id", row.int("user_id")), ("contact_id", id), ("contact_profile_id", profile), ("local_display_name", row.text("local_display_name")),
                ("contact_used", row.flag("contact_used")), ("contact_status", row.text("contact_status") ?? "active"),
                ("enable_ntfs", Self.notifications(row)), ("send_rcpts", row.int("send_rcpts")), ("favorite", row.flag("favorite")),
                ("unread_chat", row.flag("unread_chat")),
                ("user_preferences", try StoredJSON.encode(row.decoded(Preferences.self, "user_preferences") ?? Preferences())),
                ("custom_data", row.text("custom_data")), ("ui_themes", row.text("ui_themes")), ("chat_item_ttl", row.int("chat_item_ttl")),
                ("chat_deleted", row.flag("chat_deleted")), ("conn_full_link_to_connect", row.text("conn_full_link_to_connect")),
                ("conn_short_link_to_connect", row.text("conn_short_link_to_connect")), ("welcome_shared_msg_id", row.blob("welcome_shared_msg_id")),
                ("request_shared_msg_id", row.blob("request_shared_msg_id")), ("created_at", row.time("created_at") ?? now.nanoseconds),
                ("updated_at", row.time("updated_at") ?? now.nanoseconds),
                ("chat_ts", row.time("chat_ts") ?? row.time("created_at") ?? now.nanoseconds),
            ])
        }
        contacts = taken
        counts.carry("contacts", taken.count)
        counts.leave("contacts that were being deleted", left)
        counts.leave("invitations of members to become contacts", fromMembers)
    }

    private mutating func takeConnections() throws {
        var taken: Set<ConnectionID> = [], left = 0, files = 0
        let (contacts, members) = (contacts, members)
        try app.forEach("connections", by: "connection_id", where: "conn_type <> 'user_contact'") { row in
            guard let type = row.text("conn_type"), ["contact", "member"].contains(type) else {
                files += 1
                return
            }
            guard row.text("conn_status") != "deleted", let agent = row.text("agent_conn_id").flatMap(ConnectionID.init(text:)) else {
                left += 1
                return
            }
            let contact = row.int("contact_id"), member = row.int("group_member_id")
            if let contact, !contacts.contains(contact) { return left += 1 }
            if let member, !members.contains(member) { return left += 1 }
            taken.insert(agent)
            try insert("connections", [
                ("connection_id", row.int("connection_id")), ("user_id", row.int("user_id")), ("contact_id", contact), ("group_member_id", member),
                ("agent_conn_id", agent.text), ("conn_status", row.text("conn_status")), ("conn_type", type), ("conn_level", row.int("conn_level") ?? 0),
                ("conn_initiated", row.flag("contact_conn_initiated")),
                ("via_contact_uri", row.blob("via_contact_uri_hash") != nil || row.blob("xcontact_id") != nil),
                ("custom_user_profile_id", row.int("custom_user_profile_id")), ("conn_full_link", row.text("conn_req_inv") ?? row.text("via_contact_uri")),
                ("conn_short_link", row.text("short_link_inv") ?? row.text("via_short_link_contact")), ("local_alias", row.text("local_alias") ?? ""),
                ("chat_version", row.int("conn_chat_version") ?? row.int("peer_chat_max_version") ?? 1), ("peer_min_version", row.int("peer_chat_min_version") ?? 1),
                ("peer_max_version", row.int("peer_chat_max_version") ?? 1), ("security_code", row.text("security_code")),
                ("security_code_verified_at", row.time("security_code_verified_at")), ("auth_err_counter", row.int("auth_err_counter") ?? 0),
                ("quota_err_counter", row.int("quota_err_counter") ?? 0), ("x_contact_id", row.blob("xcontact_id")),
                ("via_user_contact_link", row.int("via_user_contact_link")), ("via_contact", row.int("via_contact")),
                ("via_group_link", row.flag("via_group_link")), ("group_link_id", row.blob("group_link_id").map { BytesText.url($0) }),
                ("pq_support", row.flag("pq_support")), ("pq_encryption", row.flag("pq_encryption")), ("pq_snd_enabled", row.int("pq_snd_enabled")),
                ("pq_rcv_enabled", row.int("pq_rcv_enabled")), ("created_at", row.time("created_at") ?? now.nanoseconds),
                ("updated_at", row.time("updated_at") ?? now.nanoseconds),
            ])
        }
        connections.formUnion(taken)
        counts.leave("connections of deleted contacts and members", left)
        counts.leave("connections for files", files)
    }

    // MARK: Addresses

    /// The address of a user, and the links of groups.
    private mutating func takeLinks() throws {
        let rows = try app.query("""
            SELECT l.*, cn.connection_id, cn.agent_conn_id FROM user_contact_links l
            JOIN connections cn ON cn.user_contact_link_id = l.user_contact_link_id AND cn.conn_type = 'user_contact' ORDER BY l.user_contact_link_id
            """)
        for row in rows {
            guard let id = row.int("user_contact_link_id"), let agent = row.text("agent_conn_id").flatMap(ConnectionID.init(text:)),
                let link = row.text("conn_req_contact")
            else { continue }
            let short = row.text("short_link_contact"), created = row.time("created_at") ?? now.nanoseconds
            let isStale = short != nil && !row.flag("short_link_data_set")
            if let group = row.int("group_id") {
                guard groups[group] != nil else { continue }
                try insert("group_links", ignoring: true, [
                    ("user_contact_link_id", id), ("user_id", row.int("user_id")), ("group_id", group), ("connection_id", row.int("connection_id")),
                    ("agent_conn_id", agent.text), ("conn_full_link", link), ("conn_short_link", short),
                    ("group_link_id", BytesText.url(row.blob("group_link_id") ?? [])), ("member_role", row.text("group_link_member_role") ?? "member"),
                    ("link_data_stale", isStale), ("created_at", created),
                ])
                counts.carry("links of groups")
            } else {
                var settings = AddressSettings(businessAddress: row.flag("business_address"))
                if row.flag("auto_accept") { settings.autoAccept = AutoAccept(acceptIncognito: row.flag("auto_accept_incognito")) }
                settings.autoReply = row.decoded(MsgContent.self, "auto_reply_msg_content")
                try insert("user_addresses", ignoring: true, [
                    ("user_contact_link_id", id), ("user_id", row.int("user_id")), ("connection_id", row.int("connection_id")), ("agent_conn_id", agent.text),
                    ("conn_full_link", link), ("conn_short_link", short), ("settings", try StoredJSON.encode(settings)), ("link_data_stale", isStale),
                    ("created_at", created),
                ])
                counts.carry("addresses")
                links.insert(id)
            }
            connections.insert(agent)
        }
        // Both series are counted on in one table each.
        for (table, column) in [("user_addresses", "user_contact_link_id"), ("connections", "connection_id")] {
            let source = table == "connections" ? "connections" : "user_contact_links"
            let last = try app.query("SELECT max(\(column)) AS n FROM \(source)").first?.int("n") ?? 0
            try db.execute("DELETE FROM sqlite_sequence WHERE name = ?", [table])
            try db.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", [table, last])
        }
    }

    /// Requests to the addresses on which nobody has decided.
    private mutating func takeRequests() throws {
        for row in try app.query("SELECT * FROM contact_requests ORDER BY contact_request_id") {
            guard let contact = row.int("contact_id"), contacts.contains(contact), row.int("business_group_id") == nil,
                let invitation = row.blob("agent_invitation_id"), let id = row.int("contact_request_id")
            else {
                counts.leave("requests that have no contact")
                continue
            }
            // One that was accepted has a connection.
            let connection = try app.query("SELECT connection_id FROM connections WHERE contact_id = ? AND conn_type = 'contact' LIMIT 1", contact).first
            let number = connection?.int("connection_id")
            let isHere = try number.map { try db.first("SELECT 1 FROM connections WHERE connection_id = ?", [$0]) != nil } ?? false
            try insert("contact_requests", [
                ("contact_request_id", id), ("user_id", row.int("user_id")), ("contact_id", contact),
                ("user_contact_link_id", row.int("user_contact_link_id").flatMap { links.contains($0) ? $0 : nil }),
                ("agent_invitation_id", (try? Base64URL.decode(invitation)) ?? invitation), ("connection_id", isHere ? number : nil),
                ("peer_min_version", row.int("peer_chat_min_version") ?? 1), ("peer_max_version", row.int("peer_chat_max_version") ?? 1),
                ("x_contact_id", row.blob("xcontact_id")), ("welcome_shared_msg_id", row.blob("welcome_shared_msg_id")),
                ("request_shared_msg_id", row.blob("request_shared_msg_id")), ("created_at", row.time("created_at") ?? now.nanoseconds),
                ("updated_at", row.time("updated_at") ?? now.nanoseconds),
            ])
            try db.execute("UPDATE contacts SET contact_request_id = ? WHERE contact_id = ? AND user_id = ?", [id, contact, row.int("user_id")])
            counts.carry("requests of contacts")
        }
    }

    // MARK: The rest

    private mutating func takeTags() throws {
        for row in try app.query("SELECT * FROM chat_tags WHERE user_id IS NOT NULL") {
            try insert("chat_tags", ignoring: true, [
                ("chat_tag_id", row.int("chat_tag_id")), ("user_id", row.int("user_id")), ("chat_tag_text", row.text("chat_tag_text")),
                ("chat_tag_emoji", row.text("chat_tag_emoji")), ("tag_order", row.int("tag_order") ?? 0),
            ])
            counts.carry("tags")
        }
        for row in try app.query("SELECT c.*, t.user_id FROM chat_tags_chats c JOIN chat_tags t ON t.chat_tag_id = c.chat_tag_id") {
            let contact = row.int("contact_id").flatMap { contacts.contains($0) ? ChatKey.contact($0) : nil }
            guard let chat = contact ?? row.int("group_id").flatMap({ groups[$0] == nil ? nil : ChatKey.group($0) }) else { continue }
            try insert("chat_tags_chats", ignoring: true, [
                ("user_id", row.int("user_id")), ("chat_type", chat.kind.rawValue), ("chat_id", chat.chatId), ("chat_tag_id", row.int("chat_tag_id")),
            ])
        }
    }

    /// Preset servers are those of this program's configuration.
    private mutating func takeSettings() throws {
        for row in try app.query("SELECT * FROM protocol_servers WHERE preset = 0 ORDER BY smp_server_id") {
            let scheme = row.text("protocol") ?? "smp", password = row.text("basic_auth").map { ":\($0)" } ?? ""
            let port = row.text("port") ?? ""
            let text = "\(scheme)://\(row.text("key_hash") ?? "")\(password)@\(row.text("host") ?? "")\(port.isEmpty ? "" : ":\(port)")"
            guard let server = try? ProtocolServer(parsing: text) else {
                counts.leave("servers with addresses that cannot be read")
                continue
            }
            try insert("protocol_servers", ignoring: true, [
                ("user_id", row.int("user_id")), ("protocol", scheme), ("server", server.str), ("preset", false), ("tested", row.int("tested")),
                ("enabled", row.flag("enabled")), ("configured", false),
            ])
            counts.carry("servers")
        }
        if let settings = try app.query("SELECT app_settings FROM app_settings LIMIT 1").first?.text("app_settings"),
            (try? StoredJSON.decode(AppSettings.self, settings)) != nil {
            try insert("settings", ignoring: true, [("name", AppSettings.storedName), ("value", settings)])
            counts.carry("settings of the app")
        }
    }

    /// What the database counts, where no statement has counted it.
    private func count() throws {
        try db.execute(
            """
            INSERT INTO chat_item_days (user_id, chat_type, chat_id, day, items, unread)
              SELECT user_id, chat_type, chat_id, order_ts / \(ChatCounts.day), count(*), sum(item_status = 'rcvNew') FROM chat_items GROUP BY 1, 2, 3, 4
            """, [])
        for owner in ChatCounts.withSupport {
            try db.execute(
                """
                UPDATE \(owner.table) SET unread_count = coalesce((SELECT sum(d.unread) FROM chat_item_days d WHERE d.user_id = \(owner.table).user_id
                  AND d.chat_type = \(owner.kind.rawValue) AND d.chat_id = \(owner.table).\(owner.id)), 0)
                """, [])
        }
        try db.execute(
            """
            UPDATE users SET
              last_contact_id = coalesce((SELECT max(contact_id) FROM contacts c WHERE c.user_id = users.user_id), 0),
              last_group_id = coalesce((SELECT max(group_id) FROM groups g WHERE g.user_id = users.user_id), 0),
              last_group_member_id = coalesce((SELECT max(group_member_id) FROM group_members m WHERE m.user_id = users.user_id), 0)
            """, [])
    }
}
