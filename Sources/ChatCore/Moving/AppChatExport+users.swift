internal import Agent
internal import ChatAPI
internal import ChatMoving
internal import ChatProtocol
internal import ChatStore
internal import SMP
internal import SimpleXCrypto
internal import SQLCipher

/// Export of users, and of their tags and settings.
extension AppChatExport {
    func exportProfiles() throws {
        let incognito = Set(
            try db.query(
                """
                SELECT custom_user_profile_id AS id FROM connections WHERE custom_user_profile_id IS NOT NULL
                UNION SELECT incognito_profile_id FROM group_members WHERE incognito_profile_id IS NOT NULL
                """,
                []
            ).map { try $0.int64("id") }
        )
        var checks: [Int64: DomainCheck] = [:]
        for row in try db.query(
            "SELECT contact_profile_id, checked_domain, domain_verified FROM contacts WHERE checked_domain IS NOT NULL",
            []
        ) { checks[try row.int64("contact_profile_id")] = try DomainCheck(row) }
        try forEachRow("contact_profiles", by: "contact_profile_id") { row in
            let id = try row.int64("contact_profile_id"), profile = try row.profile("profile")
            try appDatabase.insert(
                into: "contact_profiles",
                [
                    "contact_profile_id": id, "display_name": profile.displayName, "full_name": profile.fullName,
                    "image": profile.image, "user_id": row["user_id"], "incognito": incognito.contains(id) ? 1 : nil,
                    "local_alias": row["local_alias"],
                    "preferences": try profile.preferences.map { try StoredJSON.encode($0) },
                    "contact_link": profile.contactLink.map { Array($0.utf8) }, "short_descr": profile.shortDescr,
                    "chat_peer_type": profile.peerType?.rawValue, "contact_domain": profile.contactDomain?.domain,
                    "contact_domain_proof": try profile.contactDomain?.proof.map { try StoredJSON.encode($0) },
                    "contact_domain_verified": checks[id]?.verificationResult(for: profile.contactDomain),
                    "created_at": try Self.timeText(row, "created_at"),
                    "updated_at": try Self.timeText(row, "updated_at"),
                ]
            )
            try AppBadges.exportBadge(row, profile, to: appDatabase)
        }
    }

    mutating func exportUsers() throws {
        for row in try db.query("SELECT * FROM display_names", []) {
            try appDatabase.insert(
                into: "display_names",
                [
                    "user_id": row["user_id"], "local_display_name": row["local_display_name"],
                    "ldn_base": row["ldn_base"], "ldn_suffix": row["ldn_suffix"], "created_at": now.appText,
                    "updated_at": now.appText,
                ]
            )
        }
        for row in try db.query("SELECT * FROM users ORDER BY user_id", []) {
            let user = try row.int64("user_id"), name = try row.string("local_display_name")
            let (created, updated) = (try Self.timeText(row, "created_at"), try Self.timeText(row, "updated_at"))
            try appDatabase.insert(
                into: "contacts",
                [
                    "contact_id": ownContactIds[user], "contact_profile_id": row["contact_profile_id"], "user_id": user,
                    "local_display_name": name, "is_user": 1, "created_at": created, "updated_at": updated,
                    "chat_ts": created,
                ]
            )
            try addName(name, user)
            try appDatabase.insert(
                into: "users",
                [
                    "user_id": user, "contact_id": ownContactIds[user], "local_display_name": name,
                    "active_user": row["active_user"], "created_at": created, "updated_at": updated,
                    "agent_user_id": row["agent_user_id"], "view_pwd_hash": row["view_pwd_hash"],
                    "view_pwd_salt": row["view_pwd_salt"], "show_ntfs": row["show_ntfs"],
                    "send_rcpts_contacts": row["send_rcpts_contacts"],
                    "send_rcpts_small_groups": row["send_rcpts_small_groups"],
                    "user_member_profile_updated_at": try Self.timeText(row, "user_member_profile_updated_at"),
                    "ui_themes": row["ui_themes"], "active_order": row["active_order"],
                    "auto_accept_member_contacts": row["auto_accept_member_contacts"],
                ]
            )
            let ttl = try row.int64("chat_item_ttl")
            if ttl != 0 { try appDatabase.insert(into: "settings", ["chat_item_ttl": ttl, "user_id": user]) }
            counts.countMoved("users")
        }
        for row in try db.query("SELECT * FROM note_folders", []) {
            try appDatabase.insert(
                into: "note_folders",
                or: .ignore,
                [
                    "note_folder_id": row["user_id"], "user_id": row["user_id"],
                    "created_at": try Self.timeText(row, "created_at"),
                    "updated_at": try Self.timeText(row, "updated_at"),
                    "chat_ts": try Self.timeText(row, "chat_ts"), "favorite": row["favorite"],
                    "unread_chat": row["unread_chat"],
                ]
            )
        }
    }

    /// Adds a local display name to the table `display_names`, which must contain all local display names of a user.
    func addName(_ name: String, _ user: Int64) throws {
        try appDatabase.insert(
            into: "display_names",
            or: .ignore,
            [
                "user_id": user, "local_display_name": name, "ldn_base": name, "ldn_suffix": 0,
                "created_at": now.appText, "updated_at": now.appText,
            ]
        )
    }

    static func encodeNotificationFilter(_ row: Row) throws -> Int64 {
        switch try row.string("enable_ntfs") {
        case "none": 0
        case "mentions": 2
        default: 1
        }
    }

    mutating func exportTags() throws {
        for row in try db.query("SELECT * FROM chat_tags", []) {
            try appDatabase.insert(
                into: "chat_tags",
                [
                    "chat_tag_id": row["chat_tag_id"], "user_id": row["user_id"], "chat_tag_text": row["chat_tag_text"],
                    "chat_tag_emoji": row["chat_tag_emoji"], "tag_order": row["tag_order"],
                ]
            )
            counts.countMoved("tags")
        }
        for row in try db.query("SELECT * FROM chat_tags_chats", []) {
            let user = try row.int64("user_id")
            switch try ChatKey(row) {
            case .contact(let id):
                try appDatabase.insert(
                    into: "chat_tags_chats",
                    [
                        "contact_id": contactNumbers.assignedNumber(user, id), "chat_tag_id": row["chat_tag_id"],
                    ]
                )
            case .group(let id):
                try appDatabase.insert(
                    into: "chat_tags_chats",
                    [
                        "group_id": groupNumbers.assignedNumber(user, id), "chat_tag_id": row["chat_tag_id"],
                    ]
                )
            case .notes, .memberSupport, .supportChatReference: break
            }
        }
    }

    /// Exports the servers that users have set, and the settings of the app. The configured servers belong to this
    /// program and are not exported.
    mutating func exportSettings() throws {
        for row in try db.query("SELECT * FROM protocol_servers WHERE preset = 0 AND configured = 0", []) {
            guard let server = try? ProtocolServer(parsing: row.string("server")) else { continue }
            try appDatabase.insert(
                into: "protocol_servers",
                or: .ignore,
                [
                    "host": server.hosts.map(\.str).joined(separator: ","), "port": server.port,
                    "key_hash": Array(Base64URL.encode(server.keyHash).utf8), "basic_auth": server.password,
                    "preset": 0, "tested": row["tested"], "enabled": row["enabled"], "user_id": row["user_id"],
                    "protocol": row["protocol"],
                ]
            )
            counts.countMoved("servers")
        }
        if let settings = try db.queryFirst("SELECT value FROM settings WHERE name = ?", [AppSettings.storedName])?
            .string(
                "value"
            )
        {
            try appDatabase.insert(into: "app_settings", ["app_settings": settings])
        }
    }
}
