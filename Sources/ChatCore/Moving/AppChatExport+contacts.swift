internal import Agent
internal import ChatAPI
internal import ChatMoving
internal import ChatStore
internal import SimpleXCrypto
internal import SQLCipher

/// Export of contacts, connections, addresses and contact requests.
extension AppChatExport {
    mutating func exportContacts() throws {
        for row in try db.query("SELECT * FROM contacts ORDER BY user_id, contact_id", []) {
            let user = try row.int64("user_id"), name = try row.string("local_display_name")
            try addName(name, user)
            try appDatabase.insert(
                into: "contacts",
                [
                    "contact_id": contactNumbers[user, try row.int64("contact_id")],
                    "contact_profile_id": row["contact_profile_id"], "user_id": user, "local_display_name": name,
                    "created_at": try Self.timeText(row, "created_at"),
                    "updated_at": try Self.timeText(row, "updated_at"),
                    "enable_ntfs": try Self.encodeNotificationFilter(row), "unread_chat": row["unread_chat"],
                    "contact_used": row["contact_used"], "user_preferences": row["user_preferences"],
                    "chat_ts": try Self.timeText(row, "chat_ts"), "favorite": row["favorite"],
                    "send_rcpts": row["send_rcpts"], "contact_status": row["contact_status"],
                    "custom_data": try Self.utf8Bytes(row, "custom_data"), "ui_themes": row["ui_themes"],
                    "chat_deleted": row["chat_deleted"], "chat_item_ttl": row["chat_item_ttl"],
                    "conn_full_link_to_connect": try Self.utf8Bytes(row, "conn_full_link_to_connect"),
                    "conn_short_link_to_connect": try Self.utf8Bytes(row, "conn_short_link_to_connect"),
                    "welcome_shared_msg_id": row["welcome_shared_msg_id"],
                    "request_shared_msg_id": row["request_shared_msg_id"],
                ]
            )
            if try row.stringOrNil("member_contact") != nil {
                counts.countOmitted("invitations of members to become contacts")
            }
            counts.countMoved("contacts")
        }
    }

    mutating func exportConnections() throws {
        for row in try db.query("SELECT * FROM connections ORDER BY connection_id", []) {
            let user = try row.int64("user_id"), viaURI = try row.bool("via_contact_uri"),
                full = try row.stringOrNil("conn_full_link")
            guard try row.string("conn_status") != "deleted" else { continue }
            let link = full.map { Array($0.utf8) }, short = try Self.utf8Bytes(row, "conn_short_link")
            let member = try row.int64OrNil("group_member_id").map { memberNumbers[user, $0] }
            try appDatabase.insert(
                into: "connections",
                [
                    "connection_id": row["connection_id"], "agent_conn_id": try Self.utf8Bytes(row, "agent_conn_id"),
                    "conn_level": row["conn_level"],
                    "via_contact": try row.int64OrNil("via_contact").flatMap {
                        contactNumbers.assignedNumber(user, $0)
                    },
                    "conn_status": row["conn_status"], "conn_type": member == nil ? "contact" : "member",
                    "contact_id": try row.int64OrNil("contact_id").map { contactNumbers[user, $0] },
                    "group_member_id": member, "created_at": try Self.timeText(row, "created_at"), "user_id": user,
                    "updated_at": try Self.timeText(row, "updated_at"), "via_contact_uri": viaURI ? link : nil,
                    "via_contact_uri_hash": viaURI ? link.map { Digest.sha256($0) } : nil,
                    "xcontact_id": row["x_contact_id"], "via_user_contact_link": row["via_user_contact_link"],
                    "custom_user_profile_id": row["custom_user_profile_id"], "conn_req_inv": viaURI ? nil : link,
                    "local_alias": row["local_alias"], "via_group_link": row["via_group_link"],
                    "group_link_id": try row.stringOrNil("group_link_id").flatMap { try? Base64URL.decode($0) },
                    "security_code": row["security_code"],
                    "security_code_verified_at": try Self.timeText(row, "security_code_verified_at"),
                    "auth_err_counter": row["auth_err_counter"], "peer_chat_min_version": row["peer_min_version"],
                    "peer_chat_max_version": row["peer_max_version"], "contact_conn_initiated": row["conn_initiated"],
                    "conn_chat_version": row["chat_version"], "pq_support": row["pq_support"],
                    "pq_encryption": row["pq_encryption"], "pq_snd_enabled": row["pq_snd_enabled"],
                    "pq_rcv_enabled": row["pq_rcv_enabled"], "quota_err_counter": row["quota_err_counter"],
                    "short_link_inv": viaURI ? nil : short, "via_short_link_contact": viaURI ? short : nil,
                ]
            )
        }
    }

    mutating func exportLinks() throws {
        for row in try db.query("SELECT * FROM user_addresses", []) {
            let settings = try StoredJSON.decode(AddressSettings.self, row.string("settings"))
            try exportLink(
                row,
                name: "",
                [
                    ("auto_accept", settings.autoAccept == nil ? 0 : 1),
                    ("auto_accept_incognito", settings.autoAccept?.acceptIncognito == true ? 1 : 0),
                    ("auto_reply_msg_content", try settings.autoReply.map { try StoredJSON.encode($0) }),
                    ("business_address", settings.businessAddress ? 1 : 0),
                ]
            )
            counts.countMoved("addresses")
        }
        for row in try db.query("SELECT * FROM group_links", []) {
            let user = try row.int64("user_id"), id = try row.string("group_link_id")
            try exportLink(
                row,
                name: "group_link_\(id)",
                [
                    ("group_id", groupNumbers[user, try row.int64("group_id")]),
                    ("group_link_id", try? Base64URL.decode(id)),
                    ("group_link_member_role", row["member_role"]),
                    // This value tells the app to accept requests to join automatically. All exported links of groups
                    // have this value.
                    ("auto_accept", 1),
                ]
            )
            counts.countMoved("links of groups")
        }
    }

    private func exportLink(_ row: Row, name: String, _ values: [(String, Argument)]) throws {
        let created = try Self.timeText(row, "created_at"),
            isSet = try row.stringOrNil("conn_short_link") != nil && !row.bool("link_data_stale")
        try appDatabase.insert(
            into: "user_contact_links",
            columns: [
                ("user_contact_link_id", row["user_contact_link_id"]),
                ("conn_req_contact", try Self.utf8Bytes(row, "conn_full_link")), ("local_display_name", name),
                ("created_at", created), ("updated_at", created), ("user_id", row["user_id"]),
                ("short_link_contact", try Self.utf8Bytes(row, "conn_short_link")),
                ("short_link_data_set", isSet), ("short_link_large_data_set", isSet),
            ] + values
        )
        try appDatabase.insert(
            into: "connections",
            [
                "connection_id": row["connection_id"], "agent_conn_id": try Self.utf8Bytes(row, "agent_conn_id"),
                "conn_status": "new", "conn_type": "user_contact", "user_contact_link_id": row["user_contact_link_id"],
                "created_at": created, "updated_at": created, "user_id": row["user_id"], "conn_chat_version": 1,
            ]
        )
    }

    mutating func exportContactRequests() throws {
        for row in try db.query(
            """
            SELECT r.*, c.contact_profile_id, c.local_display_name FROM contact_requests r JOIN contacts c ON c.user_id = r.user_id AND c.contact_id = r.contact_id
            """,
            []
        ) {
            let user = try row.int64("user_id"), contact = contactNumbers[user, try row.int64("contact_id")],
                id = try row.int64("contact_request_id")
            try appDatabase.insert(
                into: "contact_requests",
                or: .ignore,
                [
                    "contact_request_id": id, "user_contact_link_id": row["user_contact_link_id"],
                    "agent_invitation_id": Array(BytesText.base64URL(try row.blob("agent_invitation_id")).utf8),
                    "contact_profile_id": row["contact_profile_id"], "local_display_name": row["local_display_name"],
                    "created_at": try Self.timeText(row, "created_at"), "user_id": user,
                    "updated_at": try Self.timeText(row, "updated_at"), "xcontact_id": row["x_contact_id"],
                    "peer_chat_min_version": row["peer_min_version"], "peer_chat_max_version": row["peer_max_version"],
                    "contact_id": contact, "welcome_shared_msg_id": row["welcome_shared_msg_id"],
                    "request_shared_msg_id": row["request_shared_msg_id"],
                ]
            )
            guard appDatabase.changeCount > 0 else { continue }
            try appDatabase.update("contacts", set: ["contact_request_id": id], where: ["contact_id": contact])
            counts.countMoved("requests of contacts")
        }
    }
}
