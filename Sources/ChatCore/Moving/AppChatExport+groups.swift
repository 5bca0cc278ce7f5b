internal import Agent
internal import ChatAPI
internal import ChatMoving
internal import ChatProtocol
internal import ChatStore
internal import JSON
internal import SMP
internal import SimpleXCrypto
internal import SQLCipher

/// Export of groups and their members.
extension AppChatExport {
    mutating func exportGroups() throws {
        for row in try db.query("SELECT * FROM groups ORDER BY user_id, group_id", []) {
            let user = try row.int64("user_id"), group = groupNumbers[user, try row.int64("group_id")],
                name = try row.string("local_display_name")
            let profile = try StoredJSON.decode(GroupProfile.self, row.string("profile"))
            let (created, updated) = (try Self.timeText(row, "created_at"), try Self.timeText(row, "updated_at"))
            let business = try StoredJSON.decodeIfPresent(BusinessChatInfo.self, row.stringOrNil("business"))
            let progress = try row.int64("connecting_progress")
            try addName(name, user)
            try exportProfile(profile, of: group, user, created: created, updated: updated)
            let isChannel = try row.blobOrNil("public_group_id") != nil
            let claim = profile.publicGroup?.publicGroupAccess?.groupDomainClaim
            try appDatabase.insert(
                into: "groups",
                [
                    "group_id": group, "user_id": user, "local_display_name": name, "group_profile_id": group,
                    "inv_queue_info": try Self.utf8Bytes(row, "invitation"), "created_at": created,
                    "updated_at": updated,
                    "chat_item_id": try row.int64OrNil("invitation_item_id").flatMap { try itemExists($0) ? $0 : nil },
                    "enable_ntfs": try Self.encodeNotificationFilter(row), "unread_chat": row["unread_chat"],
                    "chat_ts": try Self.timeText(row, "chat_ts"), "favorite": row["favorite"],
                    "send_rcpts": row["send_rcpts"],
                    "user_member_profile_sent_at": try Self.timeText(row, "member_profile_sent_at"),
                    "custom_data": try Self.utf8Bytes(row, "custom_data"), "ui_themes": row["ui_themes"],
                    "business_member_id": business.flatMap { MemberID(parsing: $0.businessId)?.bytes },
                    "business_chat": business?.chatType.rawValue,
                    "customer_member_id": business.flatMap { MemberID(parsing: $0.customerId)?.bytes },
                    "chat_item_ttl": row["chat_item_ttl"], "local_alias": row["local_alias"],
                    "conn_full_link_to_connect": try Self.utf8Bytes(row, "conn_full_link_to_connect"),
                    "conn_short_link_to_connect": try Self.utf8Bytes(row, "conn_short_link_to_connect"),
                    "conn_link_prepared_connection": progress > 0, "conn_link_started_connection": progress > 1,
                    "welcome_shared_msg_id": row["welcome_shared_msg_id"],
                    "request_shared_msg_id": row["request_shared_msg_id"],
                    "via_group_link_uri": try Self.utf8Bytes(row, "via_group_link_uri"),
                    "via_group_link_uri_hash": try Self.utf8Bytes(row, "via_group_link_uri").map { Digest.sha256($0) },
                    "summary_current_members_count": row["current_members"], "member_index": row["next_index"],
                    "use_relays": isChannel,
                    "root_pub_key": try row.blobOrNil("root_key").map {
                        try Ed25519.PublicKey(rawRepresentation: $0).spki
                    },
                    "member_priv_key":
                        try row.blobOrNil("member_key").map { try Ed25519.PrivateKey(rawRepresentation: $0).pkcs8 },
                    "public_member_count": row["public_members"], "roster_version": row["roster_version"],
                    "applied_complete_roster_version": row["complete_roster_version"],
                    "group_domain_verified": try DomainCheck(row)?.verificationResult(for: claim),
                ]
            )
            counts.countMoved("groups")
        }
        for row in try db.query("SELECT * FROM group_members ORDER BY user_id, group_member_id", []) {
            try exportMember(row)
        }
    }

    private func exportProfile(
        _ profile: GroupProfile,
        of group: Int64,
        _ user: Int64,
        created: String?,
        updated: String?
    ) throws {
        let access = profile.publicGroup?.publicGroupAccess
        try appDatabase.insert(
            into: "group_profiles",
            [
                "group_profile_id": group, "display_name": profile.displayName, "full_name": profile.fullName,
                "created_at": created, "updated_at": updated, "image": profile.image, "user_id": user,
                "preferences": try profile.groupPreferences.map { try StoredJSON.encode($0) },
                "description": profile.description,
                "member_admission": try profile.memberAdmission.map { try StoredJSON.encode($0) },
                "short_descr": profile.shortDescr, "group_type": profile.publicGroup?.groupType.rawValue,
                "group_link": profile.publicGroup.map { Array($0.groupLink.utf8) },
                "public_group_id": profile.publicGroup.flatMap { try? Base64URL.decode($0.publicGroupId) },
                "group_web_page": access?.groupWebPage,
                "domain_web_page": access?.domainWebPage,
                "allow_embedding": access?.allowEmbedding,
                "group_domain": access?.groupDomainClaim?.domain,
                "group_domain_proof": try access?.groupDomainClaim?.proof.map { try StoredJSON.encode($0) },
            ]
        )
    }

    private func itemExists(_ id: Int64) throws -> Bool {
        try db.queryFirst("SELECT 1 FROM chat_items WHERE chat_item_id = ?", [id]) != nil
    }

    func isUnaccepted(_ member: Row) throws -> Bool {
        unacceptedMembers.contains(
            AppRowIDs.Key(user: try member.int64("user_id"), id: try member.int64("group_member_id"))
        )
    }

    private mutating func exportMember(_ row: Row) throws {
        let user = try row.int64("user_id"), name = try row.string("local_display_name"),
            isUser = try row.string("member_category") == "user"
        try addName(name, user)
        let inviter = try row.int64OrNil("invited_by").flatMap {
            $0 == 0 ? ownContactIds[user] : contactNumbers.assignedNumber(user, $0)
        }
        try appDatabase.insert(
            into: "group_members",
            [
                "group_member_id": memberNumbers[user, try row.int64("group_member_id")],
                "group_id": groupNumbers[user, try row.int64("group_id")], "member_id": row["member_id"],
                "member_role": row["member_role"], "member_category": row["member_category"],
                "member_status": try isUnaccepted(row) ? "invited" : row["member_status"], "invited_by": inviter,
                "sent_inv_queue_info": try Self.utf8Bytes(row, "invitation"), "user_id": user,
                "local_display_name": name,
                "contact_profile_id": row["contact_profile_id"],
                "contact_id": isUser
                    ? ownContactIds[user]
                    : try row.int64OrNil("contact_id").flatMap { contactNumbers.assignedNumber(user, $0) },
                "created_at": try Self.timeText(row, "created_at"), "updated_at": try Self.timeText(row, "updated_at"),
                "member_profile_id": row["incognito_profile_id"], "show_messages": row["show_messages"],
                "xgrplinkmem_received": row["link_profile_received"],
                "invited_by_group_member_id":
                    try row.int64OrNil("invited_by_member_id").flatMap { memberNumbers.assignedNumber(user, $0) },
                "peer_chat_min_version": row["peer_min_version"], "peer_chat_max_version": row["peer_max_version"],
                "member_restriction": try row.bool("blocked_by_admin") ? "blocked" : nil,
                "support_chat_ts": try Self.timeText(row, "support_ts"),
                "support_chat_items_unread": try row.int64OrNil("support_ts") == nil ? 0 : row.int64("unread_count"),
                "support_chat_items_member_attention": row["support_attention"],
                "support_chat_items_mentions": row["support_mentions"],
                "support_chat_last_msg_from_member_ts": try Self.timeText(row, "support_last_message_ts"),
                "member_welcome_shared_msg_id": row["welcome_shared_msg_id"], "index_in_group": row["index_in_group"],
                "member_relations_vector": [UInt8](),
                "member_pub_key": try row.blobOrNil("member_key").map {
                    try Ed25519.PublicKey(rawRepresentation: $0).spki
                },
                "relay_link": try Self.utf8Bytes(row, "relay_link"),
            ]
        )
        counts.countMoved("members of groups")
    }
}
