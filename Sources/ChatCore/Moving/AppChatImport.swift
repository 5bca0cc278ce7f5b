internal import Agent
internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import JSON
internal import SimpleXCrypto
internal import SMP
internal import SQLCipher

/// Fills a new chat database with the data of a chat database of the official apps. Users, contacts, groups, members,
/// items and files keep their ids.
struct AppChatImport {
    let app: AppDatabase
    let db: StoreConnection
    let now = Timestamp.now
    var counts = MovedCounts()
    /// Whether the app's database records which items contain links.
    let knowsLinks: Bool
    /// The last groups that were looked up. The cache is bounded, since the tables may be of any size.
    let groupCache = LookupCache<Int64, (user: Int64, membership: Int64)>()
    /// The keys that verify the badges of the users.
    private let badgeKeys: BadgeKeys
    /// The profiles of the first ``AppBadges/maxUsers`` users. Only their badges are taken over.
    private var badgeProfiles: Set<Int64> = []

    init(app: AppDatabase, db: StoreConnection, knowsLinks: Bool, badgeKeys: BadgeKeys) {
        self.app = app
        self.db = db
        self.knowsLinks = knowsLinks
        self.badgeKeys = badgeKeys
    }

    /// Makes the chat database.
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
                    knowsLinks: migrations.contains("20260122_has_link"),
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

    /// The number of connections in the new chat database. The database of the agent must have the same connections.
    static func countConnections(in chat: AppDatabase) throws -> Int {
        try ["connections", "user_addresses", "group_links"].reduce(0) { $0 + (try chat.countRows($1)) }
    }

    static func hasConnection(_ id: ConnectionID, in chat: AppDatabase) throws -> Bool {
        try ["connections", "user_addresses", "group_links"].contains {
            try !chat.query("SELECT 1 AS n FROM \($0) WHERE agent_conn_id = ?", id.text).isEmpty
        }
    }

    // MARK: Imported rows

    /// Whether the contact is imported, and is a real contact and not the app's record of a user.
    func hasContact(_ id: Int64) throws -> Bool {
        try !app.query("SELECT 1 AS n FROM contacts WHERE contact_id = ? AND \(Self.importedContactCondition)", id)
            .isEmpty
    }

    /// Whether the contact is the app's record of a user.
    func standsForUser(_ contact: Int64) throws -> Bool {
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
        try importRequests()
        try importItems()
        try importFiles()
        try importTags()
        try importSettings()
        try fillCounts()
        for (table, what) in [
            ("calls", "calls"), ("remote_hosts", "linked mobiles"), ("remote_controllers", "linked desktops"),
            ("pending_group_messages", "messages to members who were not connected yet"),
        ] {
            counts.countOmitted(what, try app.countRows(table))
        }
    }

    // MARK: Users

    private mutating func importUsers() throws {
        var users = 0
        try app.forEach("users", by: "user_id") { row in
            guard
                let profile = try app.query(
                    "SELECT contact_profile_id FROM contacts WHERE contact_id = ?",
                    row.int("contact_id")
                ).first?.int("contact_profile_id")
            else { return }
            let ttl = try app.query(
                "SELECT chat_item_ttl FROM settings WHERE user_id = ? ORDER BY settings_id DESC LIMIT 1",
                row.int("user_id")
            ).first
            try db.insert(
                into: "users",
                [
                    "user_id": row.int("user_id"), "agent_user_id": row.int("agent_user_id"),
                    "contact_profile_id": profile, "local_display_name": row.text("local_display_name"),
                    "active_user": row.flag("active_user"), "active_order": row.int("active_order") ?? 0,
                    "view_pwd_hash": row.blob("view_pwd_hash"), "view_pwd_salt": row.blob("view_pwd_salt"),
                    "show_ntfs": row.flag("show_ntfs"), "send_rcpts_contacts": row.flag("send_rcpts_contacts"),
                    "send_rcpts_small_groups": row.flag("send_rcpts_small_groups"),
                    "auto_accept_member_contacts": row.flag("auto_accept_member_contacts"),
                    "user_member_profile_updated_at": row.nanoseconds("user_member_profile_updated_at"),
                    "ui_themes": row.text("ui_themes"), "chat_item_ttl": ttl?.int("chat_item_ttl") ?? 0,
                    "created_at": row.nanoseconds("created_at") ?? now.nanoseconds,
                    "updated_at": row.nanoseconds("updated_at") ?? now.nanoseconds,
                ]
            )
            users += 1
            if badgeProfiles.count < AppBadges.maxUsers { badgeProfiles.insert(profile) }
        }
        counts.countMoved("users", users)
        try app.forEach("display_names", by: "rowid") { row in
            try db.insert(
                into: "display_names",
                or: .ignore,
                [
                    "user_id": row.int("user_id"), "local_display_name": row.text("local_display_name"),
                    "ldn_base": row.text("ldn_base"), "ldn_suffix": row.int("ldn_suffix") ?? 0,
                ]
            )
        }
        try app.forEach("note_folders", by: "note_folder_id") { row in
            try db.insert(
                into: "note_folders",
                or: .ignore,
                [
                    "user_id": row.int("user_id"), "favorite": row.flag("favorite"),
                    "unread_chat": row.flag("unread_chat"),
                    "created_at": row.nanoseconds("created_at") ?? now.nanoseconds,
                    "updated_at": row.nanoseconds("updated_at") ?? now.nanoseconds,
                    "chat_ts": row.nanoseconds("chat_ts") ?? now.nanoseconds,
                ]
            )
        }
        try db.execute(
            """
            INSERT OR IGNORE INTO note_folders (user_id, created_at, updated_at, chat_ts) SELECT user_id, created_at, created_at, created_at FROM users
            """,
            []
        )
    }

    private func importProfiles() throws {
        try app.forEach("contact_profiles", by: "contact_profile_id") { row in
            try db.insert(
                into: "contact_profiles",
                [
                    "contact_profile_id": row.int("contact_profile_id"), "user_id": row.int("user_id"),
                    "display_name": row.text("display_name") ?? "",
                    "profile": try StoredJSON.encode(Self.parseProfile(row)),
                    "local_alias": row.text("local_alias") ?? "",
                    "created_at": row.nanoseconds("created_at") ?? now.nanoseconds,
                    "updated_at": row.nanoseconds("updated_at") ?? now.nanoseconds,
                ]
            )
            // A profile of a peer has no credential, and each check takes time.
            if let id = row.int("contact_profile_id"), badgeProfiles.contains(id) {
                try AppBadges.importCredential(row, in: db, keys: badgeKeys, at: now)
            }
        }
    }

    private static func parseProfile(_ row: AppRow) -> Profile {
        Profile(
            displayName: row.text("display_name") ?? "",
            fullName: row.text("full_name") ?? "",
            shortDescr: row.text("short_descr"),
            image: row.text("image"),
            contactLink: row.text("contact_link"),
            preferences: row.decode(Preferences.self, "preferences"),
            peerType: row.text("chat_peer_type").map(ChatPeerType.init(rawValue:)),
            badge: AppBadges.parseProof(row),
            contactDomain: parseDomainClaim(row, "contact_domain")
        )
    }

    /// The SimpleX name in a profile, with its proof.
    static func parseDomainClaim(_ row: AppRow, _ column: String) -> SimplexDomainClaim? {
        row.text(column).map {
            SimplexDomainClaim(domain: $0, proof: row.decode(SimplexDomainProof.self, column + "_proof"))
        }
    }

    static func parseNotificationFilter(_ row: AppRow) -> String {
        switch row.int("enable_ntfs") {
        case 0?: "none"
        case 2?: "mentions"
        default: "all"
        }
    }

    // MARK: Contacts

    private mutating func importContacts() throws {
        var taken = 0, left = 0, fromMembers = 0
        try app.forEach("contacts", by: "contact_id", where: "is_user = 0") { row in
            guard !row.flag("deleted"), let id = row.int("contact_id"), let profile = row.int("contact_profile_id")
            else {
                left += 1
                return
            }
            if row.int("contact_group_member_id") != nil || row.blob("grp_direct_inv_link") != nil { fromMembers += 1 }
            taken += 1
            let names = try app.query("SELECT * FROM contact_profiles WHERE contact_profile_id = ?", profile).first
            let verified = names?.int("contact_domain_verified")
            try db.insert(
                into: "contacts",
                [
                    "user_id": row.int("user_id"), "contact_id": id, "contact_profile_id": profile,
                    "local_display_name": row.text("local_display_name"), "contact_used": row.flag("contact_used"),
                    "contact_status": row.text("contact_status") ?? "active",
                    "enable_ntfs": Self.parseNotificationFilter(row),
                    "send_rcpts": row.int("send_rcpts"), "favorite": row.flag("favorite"),
                    "unread_chat": row.flag("unread_chat"),
                    "user_preferences":
                        try StoredJSON.encode(row.decode(Preferences.self, "user_preferences") ?? Preferences()),
                    "custom_data": row.text("custom_data"), "ui_themes": row.text("ui_themes"),
                    "chat_item_ttl": row.int("chat_item_ttl"), "chat_deleted": row.flag("chat_deleted"),
                    "conn_full_link_to_connect": row.text("conn_full_link_to_connect"),
                    "conn_short_link_to_connect": row.text("conn_short_link_to_connect"),
                    "welcome_shared_msg_id": row.blob("welcome_shared_msg_id"),
                    "request_shared_msg_id": row.blob("request_shared_msg_id"),
                    "checked_domain": verified == nil ? nil : names?.text("contact_domain"),
                    "domain_verified": verified, "created_at": row.nanoseconds("created_at") ?? now.nanoseconds,
                    "updated_at": row.nanoseconds("updated_at") ?? now.nanoseconds,
                    "chat_ts": row.nanoseconds("chat_ts") ?? row.nanoseconds("created_at") ?? now.nanoseconds,
                ]
            )
        }
        counts.countMoved("contacts", taken)
        counts.countOmitted("contacts that were being deleted", left)
        counts.countOmitted("invitations of members to become contacts", fromMembers)
    }

    private mutating func importConnections() throws {
        var left = 0, files = 0
        try app.forEach("connections", by: "connection_id", where: "conn_type <> 'user_contact'") { row in
            guard let type = row.text("conn_type"), ["contact", "member"].contains(type) else {
                files += 1
                return
            }
            guard row.text("conn_status") != "deleted",
                let agent = row.text("agent_conn_id").flatMap(ConnectionID.init(text:))
            else {
                left += 1
                return
            }
            let contact = row.int("contact_id"), member = row.int("group_member_id")
            if let contact, try !hasContact(contact) { return left += 1 }
            if let member, try !hasMember(member) { return left += 1 }
            try db.insert(
                into: "connections",
                [
                    "connection_id": row.int("connection_id"), "user_id": row.int("user_id"), "contact_id": contact,
                    "group_member_id": member, "agent_conn_id": agent.text, "conn_status": row.text("conn_status"),
                    "conn_level": row.int("conn_level") ?? 0,
                    "conn_initiated": row.flag("contact_conn_initiated"),
                    "via_contact_uri": row.blob("via_contact_uri_hash") != nil || row.blob("xcontact_id") != nil,
                    "custom_user_profile_id": row.int("custom_user_profile_id"),
                    "conn_full_link": row.text("conn_req_inv") ?? row.text("via_contact_uri"),
                    "conn_short_link": row.text("short_link_inv") ?? row.text("via_short_link_contact"),
                    "local_alias": row.text("local_alias") ?? "",
                    "chat_version": row.int("conn_chat_version") ?? row.int("peer_chat_max_version") ?? 1,
                    "peer_min_version": row.int("peer_chat_min_version") ?? 1,
                    "peer_max_version": row.int("peer_chat_max_version") ?? 1,
                    "security_code": row.text("security_code"),
                    "security_code_verified_at": row.nanoseconds("security_code_verified_at"),
                    "auth_err_counter": row.int("auth_err_counter") ?? 0,
                    "quota_err_counter": row.int("quota_err_counter") ?? 0, "x_contact_id": row.blob("xcontact_id"),
                    "via_user_contact_link": row.int("via_user_contact_link"), "via_contact": row.int("via_contact"),
                    "via_group_link": row.flag("via_group_link"),
                    "group_link_id": row.blob("group_link_id").map { BytesText.base64URL($0) },
                    "pq_support": row.flag("pq_support"), "pq_encryption": row.flag("pq_encryption"),
                    "pq_snd_enabled": row.int("pq_snd_enabled"), "pq_rcv_enabled": row.int("pq_rcv_enabled"),
                    "created_at": row.nanoseconds("created_at") ?? now.nanoseconds,
                    "updated_at": row.nanoseconds("updated_at") ?? now.nanoseconds,
                ]
            )
        }
        counts.countOmitted("connections of deleted contacts and members", left)
        counts.countOmitted("connections for files", files)
    }

    // MARK: Addresses

    /// Imports the addresses of users, and the links of groups.
    private mutating func importLinks() throws {
        var links = 0, addresses = 0
        try app.forEach("user_contact_links", by: "user_contact_link_id") { row in
            let connection = try app.query(
                "SELECT connection_id, agent_conn_id FROM connections WHERE user_contact_link_id = ? AND conn_type = 'user_contact' LIMIT 1",
                row.int("user_contact_link_id")
            ).first
            guard let id = row.int("user_contact_link_id"), let connection,
                let agent = connection.text("agent_conn_id").flatMap(ConnectionID.init(text:)),
                let link = row.text("conn_req_contact")
            else { return }
            let short = row.text("short_link_contact"), created = row.nanoseconds("created_at") ?? now.nanoseconds
            let isStale = short != nil && !row.flag("short_link_data_set")
            if let group = row.int("group_id") {
                guard try findOwner(of: group) != nil else { return }
                try db.insert(
                    into: "group_links",
                    or: .ignore,
                    [
                        "user_contact_link_id": id, "user_id": row.int("user_id"), "group_id": group,
                        "connection_id": connection.int("connection_id"), "agent_conn_id": agent.text,
                        "conn_full_link": link, "conn_short_link": short,
                        "group_link_id": BytesText.base64URL(row.blob("group_link_id") ?? []),
                        "member_role": row.text("group_link_member_role") ?? "member", "link_data_stale": isStale,
                        "created_at": created,
                    ]
                )
                links += 1
            } else {
                var settings = AddressSettings(businessAddress: row.flag("business_address"))
                if row.flag("auto_accept") {
                    settings.autoAccept = AutoAccept(acceptIncognito: row.flag("auto_accept_incognito"))
                }
                settings.autoReply = row.decode(MsgContent.self, "auto_reply_msg_content")
                try db.insert(
                    into: "user_addresses",
                    or: .ignore,
                    [
                        "user_contact_link_id": id, "user_id": row.int("user_id"),
                        "connection_id": connection.int("connection_id"), "agent_conn_id": agent.text,
                        "conn_full_link": link, "conn_short_link": short, "settings": try StoredJSON.encode(settings),
                        "link_data_stale": isStale, "created_at": created,
                    ]
                )
                addresses += 1
            }
        }
        counts.countMoved("links of groups", links)
        counts.countMoved("addresses", addresses)
        // New ids continue the ids of the app's tables. In this program, both of these tables take their ids from one
        // series.
        for (table, column) in [("user_addresses", "user_contact_link_id"), ("connections", "connection_id")] {
            let source = table == "connections" ? "connections" : "user_contact_links"
            let last = try app.query("SELECT max(\(column)) AS n FROM \(source)").first?.int("n") ?? 0
            try db.execute("DELETE FROM sqlite_sequence WHERE name = ?", [table])
            try db.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", [table, last])
        }
    }

    /// Imports the requests to addresses that the user has not decided yet.
    private mutating func importRequests() throws {
        var taken = 0, left = 0
        try app.forEach("contact_requests", by: "contact_request_id") { row in
            guard let contact = row.int("contact_id"), try hasContact(contact), row.int("business_group_id") == nil,
                let invitation = row.blob("agent_invitation_id"), let id = row.int("contact_request_id")
            else { return left += 1 }
            // If the request was accepted, it has a connection.
            let connection = try app.query(
                "SELECT connection_id FROM connections WHERE contact_id = ? AND conn_type = 'contact' LIMIT 1",
                contact
            ).first
            let number = connection?.int("connection_id")
            let isHere =
                try number.map { try db.queryFirst("SELECT 1 FROM connections WHERE connection_id = ?", [$0]) != nil }
                ?? false
            try db.insert(
                into: "contact_requests",
                [
                    "contact_request_id": id, "user_id": row.int("user_id"), "contact_id": contact,
                    "user_contact_link_id": try row.int("user_contact_link_id").flatMap {
                        try hasAddress($0) ? $0 : nil
                    },
                    "agent_invitation_id": (try? Base64URL.decode(invitation)) ?? invitation,
                    "connection_id": isHere ? number : nil, "peer_min_version": row.int("peer_chat_min_version") ?? 1,
                    "peer_max_version": row.int("peer_chat_max_version") ?? 1, "x_contact_id": row.blob("xcontact_id"),
                    "welcome_shared_msg_id": row.blob("welcome_shared_msg_id"),
                    "request_shared_msg_id": row.blob("request_shared_msg_id"),
                    "created_at": row.nanoseconds("created_at") ?? now.nanoseconds,
                    "updated_at": row.nanoseconds("updated_at") ?? now.nanoseconds,
                ]
            )
            try db.execute(
                "UPDATE contacts SET contact_request_id = ? WHERE contact_id = ? AND user_id = ?",
                [id, contact, row.int("user_id")]
            )
            taken += 1
        }
        counts.countMoved("requests of contacts", taken)
        counts.countOmitted("requests that have no contact", left)
    }

    private func hasAddress(_ id: Int64) throws -> Bool {
        try db.queryFirst("SELECT 1 FROM user_addresses WHERE user_contact_link_id = ?", [id]) != nil
    }

    // MARK: Tags and settings

    private mutating func importTags() throws {
        var tags = 0
        try app.forEach("chat_tags", by: "chat_tag_id", where: "user_id IS NOT NULL") { row in
            try db.insert(
                into: "chat_tags",
                or: .ignore,
                [
                    "chat_tag_id": row.int("chat_tag_id"), "user_id": row.int("user_id"),
                    "chat_tag_text": row.text("chat_tag_text"), "chat_tag_emoji": row.text("chat_tag_emoji"),
                    "tag_order": row.int("tag_order") ?? 0,
                ]
            )
            tags += 1
        }
        counts.countMoved("tags", tags)
        try app.forEach("chat_tags_chats", by: "rowid") { row in
            guard
                let user = try app.query("SELECT user_id FROM chat_tags WHERE chat_tag_id = ?", row.int("chat_tag_id"))
                    .first?.int("user_id")
            else { return }
            let contact = try row.int("contact_id").flatMap { try hasContact($0) ? ChatKey.contact($0) : nil }
            guard
                let chat = try contact
                    ?? row.int("group_id").flatMap({ try findOwner(of: $0) == nil ? nil : ChatKey.group($0) })
            else { return }
            try db.insert(
                into: "chat_tags_chats",
                or: .ignore,
                [
                    "user_id": user, "chat_type": chat.kind.rawValue, "chat_id": chat.chatId,
                    "chat_tag_id": row.int("chat_tag_id"),
                ]
            )
        }
    }

    /// Imports settings. Preset servers come from the configuration of this program.
    private mutating func importSettings() throws {
        var servers = 0, unread = 0
        try app.forEach("protocol_servers", by: "smp_server_id", where: "preset = 0") { row in
            let scheme = row.text("protocol") ?? "smp", password = row.text("basic_auth").map { ":\($0)" } ?? ""
            let port = row.text("port") ?? ""
            let text =
                "\(scheme)://\(row.text("key_hash") ?? "")\(password)@\(row.text("host") ?? "")\(port.isEmpty ? "" : ":\(port)")"
            guard let server = try? ProtocolServer(parsing: text) else { return unread += 1 }
            try db.insert(
                into: "protocol_servers",
                or: .ignore,
                [
                    "user_id": row.int("user_id"), "protocol": scheme, "server": server.str, "preset": false,
                    "tested": row.int("tested"), "enabled": row.flag("enabled"), "configured": false,
                ]
            )
            servers += 1
        }
        counts.countMoved("servers", servers)
        counts.countOmitted("servers with addresses that cannot be read", unread)
        if let settings = try app.query("SELECT app_settings FROM app_settings LIMIT 1").first?.text("app_settings"),
            (try? StoredJSON.decode(AppSettings.self, settings)) != nil
        {
            try db.insert(into: "settings", or: .ignore, ["name": AppSettings.storedName, "value": settings])
            counts.countMoved("settings of the app")
        }
    }

    /// Fills in the counts that the INSERT statements have not updated.
    private func fillCounts() throws {
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
