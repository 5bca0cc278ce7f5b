internal import Agent
internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import SMP
internal import SQLCipher

/// Import of users, and of their tags and settings.
extension AppChatImport {
    mutating func importUsers() throws {
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
                    "user_member_profile_updated_at": row.readNanoseconds("user_member_profile_updated_at"),
                    "ui_themes": row.text("ui_themes"), "chat_item_ttl": ttl?.int("chat_item_ttl") ?? 0,
                    "created_at": row.readNanoseconds("created_at") ?? now.nanoseconds,
                    "updated_at": row.readNanoseconds("updated_at") ?? now.nanoseconds,
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
        try importNoteFolders()
    }

    /// Imports the notes of the users. A user without notes gets an empty folder.
    private func importNoteFolders() throws {
        try app.forEach("note_folders", by: "note_folder_id") { row in
            try db.insert(
                into: "note_folders",
                or: .ignore,
                [
                    "user_id": row.int("user_id"), "favorite": row.flag("favorite"),
                    "unread_chat": row.flag("unread_chat"),
                    "created_at": row.readNanoseconds("created_at") ?? now.nanoseconds,
                    "updated_at": row.readNanoseconds("updated_at") ?? now.nanoseconds,
                    "chat_ts": row.readNanoseconds("chat_ts") ?? now.nanoseconds,
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

    func importProfiles() throws {
        try app.forEach("contact_profiles", by: "contact_profile_id") { row in
            try db.insert(
                into: "contact_profiles",
                [
                    "contact_profile_id": row.int("contact_profile_id"), "user_id": row.int("user_id"),
                    "display_name": row.text("display_name") ?? "",
                    "profile": try StoredJSON.encode(Self.parseProfile(row)),
                    "local_alias": row.text("local_alias") ?? "",
                    "created_at": row.readNanoseconds("created_at") ?? now.nanoseconds,
                    "updated_at": row.readNanoseconds("updated_at") ?? now.nanoseconds,
                ]
            )
            // Only the profile of a user can contain a credential. The number of checked profiles is limited, since a
            // check takes time.
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

    /// Reads the SimpleX name in a profile, and its proof.
    static func parseDomainClaim(_ row: AppRow, _ column: String) -> SimplexDomainClaim? {
        row.text(column).flatMap {
            SimplexDomainClaim(domain: $0, proof: row.decode(SimplexDomainProof.self, column + "_proof")).normalized
        }
    }

    static func parseNotificationFilter(_ row: AppRow) -> String {
        switch row.int("enable_ntfs") {
        case 0?: "none"
        case 2?: "mentions"
        default: "all"
        }
    }

    mutating func importTags() throws {
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

    /// Imports the servers and the settings of the app. Preset servers come from the configuration of this program
    /// instead.
    mutating func importSettings() throws {
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
}
