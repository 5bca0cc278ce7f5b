internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import JSON
internal import SimpleXCrypto
internal import SQLCipher

extension AppChatImport {
    mutating func importGroups() throws {
        var taken = 0, channels = 0, left = 0
        try app.forEach("groups", by: "group_id") { row in
            guard let id = row.int("group_id"), let found = try findGroup(row) else { return left += 1 }
            guard let (user, membership, profile) = found.importedData else { return channels += 1 }
            let isChannel = row.flag("use_relays")
            taken += 1
            let created = row.readNanoseconds("created_at") ?? now.nanoseconds
            let progress: Int64 =
                row.flag("conn_link_started_connection") ? 2 : row.flag("conn_link_prepared_connection") ? 1 : 0
            try db.insert(
                into: "groups",
                [
                    "user_id": user, "group_id": id, "local_display_name": row.text("local_display_name"),
                    "profile": try StoredJSON.encode(Self.parseGroupProfile(profile)),
                    "local_alias": row.text("local_alias") ?? "", "membership_id": membership,
                    "next_index": row.int("member_index") ?? 0, "enable_ntfs": Self.parseNotificationFilter(row),
                    "send_rcpts": row.int("send_rcpts"), "favorite": row.flag("favorite"),
                    "unread_chat": row.flag("unread_chat"), "custom_data": row.text("custom_data"),
                    "ui_themes": row.text("ui_themes"), "chat_item_ttl": row.int("chat_item_ttl"),
                    "invitation": row.text("inv_queue_info"), "invitation_item_id": row.int("chat_item_id"),
                    "member_profile_sent_at": row.readNanoseconds("user_member_profile_sent_at"),
                    "business": try Self.encodeBusiness(row), "via_group_link_uri": row.text("via_group_link_uri"),
                    "conn_full_link_to_connect": row.text("conn_full_link_to_connect"),
                    "conn_short_link_to_connect": row.text("conn_short_link_to_connect"),
                    "welcome_shared_msg_id": row.blob("welcome_shared_msg_id"),
                    "request_shared_msg_id": row.blob("request_shared_msg_id"), "connecting_progress": progress,
                    "created_at": created, "public_group_id": isChannel ? profile.blob("public_group_id") : nil,
                    "root_key": Self.parsePublicKey(row, "root_pub_key"),
                    "member_key":
                        row.blob("member_priv_key").flatMap { try? Ed25519.PrivateKey(pkcs8: $0) }?.rawRepresentation,
                    "public_members": row.int("public_member_count"),
                    "roster_version": isChannel ? row.int("roster_version") : nil,
                    "complete_roster_version": isChannel ? row.int("applied_complete_roster_version") : nil,
                    "checked_domain": row.int("group_domain_verified") == nil ? nil : profile.text("group_domain"),
                    "domain_verified": row.int("group_domain_verified"),
                    "updated_at": row.readNanoseconds("updated_at") ?? created,
                    "chat_ts": row.readNanoseconds("chat_ts") ?? created,
                ]
            )
        }
        counts.countMoved("groups", taken)
        counts.countOmitted("channels that the user owns or serves", channels)
        counts.countOmitted("groups without the user's membership or without a profile", left)
        try importMembers()
    }

    private struct FoundGroup {
        let userId: Int64
        let membershipId: Int64
        let profileRow: AppRow
        /// Whether the group is imported. Channels that the user owns or relays are not imported, because the import
        /// does not support their additional data.
        let isImported: Bool

        var importedData: (user: Int64, membership: Int64, profile: AppRow)? {
            isImported ? (userId, membershipId, profileRow) : nil
        }
    }

    /// Finds the data of a group in the database of the app; nil if the user is no member of the group, or if the group
    /// has no profile.
    private func findGroup(_ row: AppRow) throws -> FoundGroup? {
        let membership = try app.query(
            "SELECT group_member_id FROM group_members WHERE group_id = ? AND member_category = 'user' ORDER BY group_member_id LIMIT 1",
            row.int("group_id")
        ).first
        guard let user = row.int("user_id"), let membership = membership?.int("group_member_id"),
            let profile = try app.query(
                "SELECT * FROM group_profiles WHERE group_profile_id = ?",
                row.int("group_profile_id")
            ).first
        else { return nil }
        let isTaken =
            !row.flag("use_relays")
            || row.blob("root_priv_key") == nil && row.text("relay_own_status") == nil
                && profile.blob("public_group_id") != nil
        return FoundGroup(userId: user, membershipId: membership, profileRow: profile, isImported: isTaken)
    }

    /// Finds the user of a group, and the user's membership; nil for a group that is not imported.
    func findOwner(of group: Int64) throws -> (user: Int64, membership: Int64)? {
        try groupCache.findValue(group) {
            guard let row = try app.query("SELECT * FROM groups WHERE group_id = ?", group).first else { return nil }
            return try findGroup(row)?.importedData.map { ($0.user, $0.membership) }
        }
    }

    private static func parsePublicKey(_ row: AppRow, _ column: String) -> [UInt8]? {
        row.blob(column).flatMap { try? Ed25519.PublicKey(spki: $0) }?.rawRepresentation
    }

    private static func parseGroupProfile(_ row: AppRow) -> GroupProfile {
        var profile = parseOrdinaryProfile(row)
        guard let type = row.text("group_type"), let link = row.text("group_link"), let id = row.blob("public_group_id")
        else { return profile }
        profile.publicGroup = PublicGroupProfile(
            groupType: GroupType(rawValue: type),
            groupLink: link,
            publicGroupId: BytesText.base64URL(id)
        )
        let claim = parseDomainClaim(row, "group_domain")
        if claim != nil || row.text("group_web_page") != nil || row.int("domain_web_page") != nil
            || row.int("allow_embedding") != nil
        {
            profile.publicGroup?.publicGroupAccess = PublicGroupAccess(
                groupWebPage: row.text("group_web_page"),
                groupDomainClaim: claim,
                domainWebPage: row.flag("domain_web_page"),
                allowEmbedding: row.flag("allow_embedding")
            )
        }
        return profile
    }

    private static func parseOrdinaryProfile(_ row: AppRow) -> GroupProfile {
        GroupProfile(
            displayName: row.text("display_name") ?? "",
            fullName: row.text("full_name") ?? "",
            shortDescr: row.text("short_descr"),
            description: row.text("description"),
            image: row.text("image"),
            groupPreferences: row.decode(GroupPreferences.self, "preferences"),
            memberAdmission: row.decode(GroupMemberAdmission.self, "member_admission")
        )
    }

    private static func encodeBusiness(_ row: AppRow) throws -> String? {
        guard let type = row.text("business_chat"), let business = row.blob("business_member_id"),
            let customer = row.blob("customer_member_id")
        else { return nil }
        return try StoredJSON.encode(
            BusinessChatInfo(
                chatType: BusinessChatType(rawValue: type),
                businessId: MemberID(bytes: business).text,
                customerId: MemberID(bytes: customer).text
            )
        )
    }

    private mutating func importMembers() throws {
        var taken = 0
        try app.forEach("group_members", by: "group_member_id") { row in
            guard let id = row.int("group_member_id"), let group = row.int("group_id"),
                let owner = try findOwner(of: group)
            else { return }
            taken += 1
            let isUser = row.text("member_category") == "user"
            let created = row.readNanoseconds("created_at") ?? now.nanoseconds
            let inviter = try row.int("invited_by").flatMap { try representsUser($0) ? 0 : hasContact($0) ? $0 : nil }
            let index = try row.int("index_in_group") ?? findNextMemberIndex(in: group, owner.user)
            try db.insert(
                into: "group_members",
                [
                    "user_id": owner.user, "group_member_id": id, "group_id": group, "index_in_group": index,
                    "member_id": row.blob("member_id"), "member_role": row.text("member_role"),
                    "member_category": row.text("member_category"), "member_status": row.text("member_status"),
                    "show_messages": row.flag("show_messages"),
                    "blocked_by_admin": row.text("member_restriction") == "blocked", "invited_by": inviter,
                    "invited_by_member_id": row.int("invited_by_group_member_id"),
                    "local_display_name": row.text("local_display_name"),
                    "contact_id": isUser ? nil : try row.int("contact_id").flatMap { try hasContact($0) ? $0 : nil },
                    "contact_profile_id": row.int("contact_profile_id"),
                    "incognito_profile_id": isUser ? row.int("member_profile_id") : nil,
                    "peer_min_version": row.int("peer_chat_min_version") ?? 1,
                    "peer_max_version": row.int("peer_chat_max_version") ?? 1,
                    "invitation": row.text("sent_inv_queue_info"),
                    "link_profile_received": row.flag("xgrplinkmem_received"),
                    "support_ts": row.readNanoseconds("support_chat_ts"),
                    "support_attention": row.int("support_chat_items_member_attention") ?? 0,
                    "support_mentions": row.int("support_chat_items_mentions") ?? 0,
                    "support_last_message_ts": row.readNanoseconds("support_chat_last_msg_from_member_ts"),
                    "welcome_shared_msg_id": row.blob("member_welcome_shared_msg_id"),
                    "member_key": Self.parsePublicKey(row, "member_pub_key"), "relay_link": row.text("relay_link"),
                    "created_at": created, "updated_at": row.readNanoseconds("updated_at") ?? created,
                ]
            )
        }
        counts.countMoved("members of groups", taken)
        let current = try db.query("SELECT DISTINCT member_status FROM group_members LIMIT 100", []).map {
            try $0.string("member_status")
        }
        .filter { GroupMemberStatus(rawValue: $0).isCurrent }
        try db.execute(
            """
            UPDATE groups SET next_index = max(next_index,
              coalesce((SELECT max(index_in_group) + 1 FROM group_members m WHERE m.user_id = groups.user_id AND m.group_id = groups.group_id), 0)),
              current_members = (SELECT count(*) FROM group_members m WHERE m.user_id = groups.user_id AND m.group_id = groups.group_id
              AND m.member_status IN (\(placeholders(current.count))))
            """,
            current.map { $0 }
        )
        try importReceivedMessageIDs()
    }

    private func findNextMemberIndex(in group: Int64, _ user: Int64) throws -> Int64 {
        try db.firstRow(
            """
            SELECT coalesce(max(index_in_group) + 1, 0) AS next FROM group_members
            WHERE user_id = :user_id AND group_id = :group_id
            """,
            ["user_id": user, "group_id": group]
        )?.int64("next") ?? 0
    }

    /// Imports the ids of received messages of groups. Members may forward these messages again, and this program then
    /// recognizes the messages by their ids.
    private func importReceivedMessageIDs() throws {
        let condition =
            "group_id IS NOT NULL AND shared_msg_id IS NOT NULL AND msg_sent = 0 AND author_group_member_id IS NOT NULL"
        try app.forEach("messages", by: "message_id", where: condition) { row in
            guard let group = row.int("group_id"), let owner = try findOwner(of: group) else { return }
            try db.insert(
                into: "received_group_messages",
                or: .ignore,
                [
                    "user_id": owner.user, "group_id": group, "author_member_id": row.int("author_group_member_id"),
                    "shared_msg_id": row.blob("shared_msg_id"), "forwarded_by": row.int("forwarded_by_group_member_id"),
                ]
            )
        }
    }
}
