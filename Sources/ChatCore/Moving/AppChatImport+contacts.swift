internal import Agent
internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import SimpleXCrypto
internal import SQLCipher

/// Import of contacts, connections, addresses and contact requests.
extension AppChatImport {
    mutating func importContacts() throws {
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
                    "domain_verified": verified, "created_at": row.readNanoseconds("created_at") ?? now.nanoseconds,
                    "updated_at": row.readNanoseconds("updated_at") ?? now.nanoseconds,
                    "chat_ts": row.readNanoseconds("chat_ts") ?? row.readNanoseconds("created_at") ?? now.nanoseconds,
                ]
            )
        }
        counts.countMoved("contacts", taken)
        counts.countOmitted("contacts that were being deleted", left)
        counts.countOmitted("invitations of members to become contacts", fromMembers)
    }

    mutating func importConnections() throws {
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
                    "security_code_verified_at": row.readNanoseconds("security_code_verified_at"),
                    "auth_err_counter": row.int("auth_err_counter") ?? 0,
                    "quota_err_counter": row.int("quota_err_counter") ?? 0, "x_contact_id": row.blob("xcontact_id"),
                    "via_user_contact_link": row.int("via_user_contact_link"), "via_contact": row.int("via_contact"),
                    "via_group_link": row.flag("via_group_link"),
                    "group_link_id": row.blob("group_link_id").map { BytesText.base64URL($0) },
                    "pq_support": row.flag("pq_support"), "pq_encryption": row.flag("pq_encryption"),
                    "pq_snd_enabled": row.int("pq_snd_enabled"), "pq_rcv_enabled": row.int("pq_rcv_enabled"),
                    "created_at": row.readNanoseconds("created_at") ?? now.nanoseconds,
                    "updated_at": row.readNanoseconds("updated_at") ?? now.nanoseconds,
                ]
            )
        }
        counts.countOmitted("connections of deleted contacts and members", left)
        counts.countOmitted("connections for files", files)
    }

    /// Imports the addresses of users, and the links of groups.
    mutating func importLinks() throws {
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
            let short = row.text("short_link_contact"), created = row.readNanoseconds("created_at") ?? now.nanoseconds
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
        // New ids continue the ids of the app's tables. In this program, addresses and links of groups take their ids
        // from one series.
        for (table, column) in [("user_addresses", "user_contact_link_id"), ("connections", "connection_id")] {
            let source = table == "connections" ? "connections" : "user_contact_links"
            let last = try app.query("SELECT max(\(column)) AS n FROM \(source)").first?.int("n") ?? 0
            try db.execute("DELETE FROM sqlite_sequence WHERE name = ?", [table])
            try db.insert(into: "sqlite_sequence", ["name": table, "seq": last])
        }
    }

    /// Imports the contact requests that were sent to addresses, both undecided and accepted requests.
    mutating func importContactRequests() throws {
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
                        try isAddressImported($0) ? $0 : nil
                    },
                    "agent_invitation_id": (try? Base64URL.decode(invitation)) ?? invitation,
                    "connection_id": isHere ? number : nil, "peer_min_version": row.int("peer_chat_min_version") ?? 1,
                    "peer_max_version": row.int("peer_chat_max_version") ?? 1, "x_contact_id": row.blob("xcontact_id"),
                    "welcome_shared_msg_id": row.blob("welcome_shared_msg_id"),
                    "request_shared_msg_id": row.blob("request_shared_msg_id"),
                    "created_at": row.readNanoseconds("created_at") ?? now.nanoseconds,
                    "updated_at": row.readNanoseconds("updated_at") ?? now.nanoseconds,
                ]
            )
            try db.execute(
                """
                UPDATE contacts SET contact_request_id = :contact_request_id
                WHERE contact_id = :contact_id AND user_id = :user_id
                """,
                ["contact_request_id": id, "contact_id": contact, "user_id": row.int("user_id")]
            )
            taken += 1
        }
        counts.countMoved("requests of contacts", taken)
        counts.countOmitted("requests that have no contact", left)
    }

    private func isAddressImported(_ id: Int64) throws -> Bool {
        try db.queryFirst("SELECT 1 FROM user_addresses WHERE user_contact_link_id = ?", [id]) != nil
    }
}
