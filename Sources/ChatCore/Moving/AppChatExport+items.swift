internal import Agent
internal import ChatAPI
internal import ChatMoving
internal import ChatStore
internal import JSON
internal import SimpleXCrypto
internal import SQLCipher

extension AppChatExport {
    mutating func exportItems() throws {
        var given = 0
        try forEachRow("chat_items", by: "chat_item_id") { row in
            let user = try row.int64("user_id"), key = try ChatKey(row), id = try row.int64("chat_item_id")
            guard let place = try makeChatColumns(key, row, user) else { return }
            let own = try row.string("item_content")
            let stored = unacceptedItemIds.contains(id) ? Self.reopenInvitation(own) : own
            let content = (try? JSONValue(parsing: stored, limits: .forOwnText)).flatMap(AppContent.convertToAppForm)
            let sent = try row.bool("item_sent")
            try appDatabase.insert(
                into: "chat_items",
                columns: place + makeQuoteColumns(row, user) + makeForwardingColumns(row, user) + [
                    ("chat_item_id", id), ("user_id", user),
                    (
                        "group_member_id",
                        try row.int64OrNil("author_member_id").flatMap { memberNumbers.assignedNumber(user, $0) }
                    ),
                    ("item_sent", sent),
                    ("item_ts", try Self.timeText(row, "item_ts")), ("item_deleted", row["item_deleted"]),
                    ("item_content", content?.text ?? stored),
                    ("item_text", row["item_text"]), ("created_at", try Self.timeText(row, "created_at")),
                    ("updated_at", try Self.timeText(row, "updated_at")),
                    ("item_status", ItemStatus(stored: try row.string("item_status")).api.appText),
                    ("shared_msg_id", row["shared_msg_id"]),
                    ("item_edited", row["item_edited"]), ("timed_ttl", row["timed_ttl"]),
                    ("timed_delete_at", try Self.timeText(row, "timed_delete_at")),
                    ("item_live", row["item_live"]),
                    (
                        "item_deleted_by_group_member_id",
                        try row.int64OrNil("item_deleted_by").flatMap { memberNumbers.assignedNumber(user, $0) }
                    ),
                    ("item_deleted_ts", try Self.timeText(row, "item_deleted_ts")),
                    (
                        "forwarded_by_group_member_id",
                        try row.int64OrNil("forwarded_by_member_id").flatMap { memberNumbers.assignedNumber(user, $0) }
                    ),
                    ("item_content_tag", content?.tag), ("via_proxy", row["via_proxy"]),
                    ("msg_content_tag", row["msg_content_tag"]),
                    ("user_mention", row["user_mention"]), ("show_group_as_sender", row["show_group_as_sender"]),
                    ("has_link", row["has_link"]),
                    ("msg_signed", try row.stringOrNil("msg_signed").map { $0 == "signedNoKey" ? "no_key" : $0 }),
                ]
            )
            try exportMentions(row, in: key, user)
            given += 1
        }
        counts.countMoved("items", given)
        try exportItemVersions()
        try exportReactions()
        try exportMemberDeliveryStatuses()
    }

    /// Returns the columns that store the chat of an item in the apps' database, with their values. Returns nil for a
    /// support chat without a member. No stored item belongs to such a chat.
    private func makeChatColumns(_ key: ChatKey, _ row: Row, _ user: Int64) throws -> [(String, Argument)]? {
        switch key {
        case .contact(let contact): return [("contact_id", contactNumbers[user, contact])]
        case .group(let group): return [("group_id", groupNumbers[user, group])]
        case .notes: return [("note_folder_id", user)]
        case .memberSupport(let member), .supportChatReference(_, let member?):
            let group = try row.int64("support_group_id")
            let isOwn = memberships[AppRowIDs.Key(user: user, id: group)] == member
            return [
                ("group_id", groupNumbers[user, group]), ("group_scope_tag", "member_support"),
                ("group_scope_group_member_id", isOwn ? nil : memberNumbers[user, member]),
            ]
        case .supportChatReference: return nil
        }
    }

    private func exportMentions(_ row: Row, in key: ChatKey, _ user: Int64) throws {
        guard let group = key.groupNumber(groupNumbers, user, row) else { return }
        for (name, member) in Mentions(stored: try row.stringOrNil("mentions")).memberIDs {
            try appDatabase.insert(
                into: "chat_item_mentions",
                [
                    "group_id": group, "member_id": member.bytes, "chat_item_id": row["chat_item_id"],
                    "display_name": name,
                ]
            )
        }
    }

    /// Exports the delivery status of each item that was sent to a group, for each member.
    private func exportMemberDeliveryStatuses() throws {
        for row in try db.query(
            "SELECT s.*, i.user_id FROM group_item_statuses s JOIN chat_items i USING (chat_item_id)",
            []
        ) {
            guard let member = memberNumbers.assignedNumber(try row.int64("user_id"), try row.int64("group_member_id"))
            else {
                continue
            }
            try appDatabase.insert(
                into: "group_snd_item_statuses",
                [
                    "chat_item_id": row["chat_item_id"], "group_member_id": member,
                    "group_snd_item_status": GroupSndStatus(stored: try row.string("status")).appText,
                    "via_proxy": row["via_proxy"],
                ]
            )
        }
    }

    private func makeQuoteColumns(_ row: Row, _ user: Int64) throws -> [(String, Argument)] {
        guard let quote = try StoredJSON.decodeIfPresent(CIQuote.self, row.stringOrNil("quoted_item")) else {
            return []
        }
        let author = try row.int64OrNil("quoted_member_id")
        var isSent: Bool?
        switch quote.chatDir {
        case .directSnd?, .groupSnd?, .localSnd?: isSent = true
        case .directRcv?, .groupRcv?, .localRcv?: isSent = false
        default: isSent = author.map { $0 == 0 }
        }
        let member = try author.flatMap { author in
            author == 0
                ? nil
                : try db.firstRow(
                    """
                    SELECT member_id FROM group_members WHERE user_id = :user_id AND group_member_id = :group_member_id
                    """,
                    ["user_id": user, "group_member_id": author]
                )?.blob("member_id")
        }
        return [
            ("quoted_shared_msg_id", row["quoted_shared_msg_id"]),
            ("quoted_sent_at", Timestamp(parsing: quote.sentAt)?.appText),
            ("quoted_content", try StoredJSON.encode(quote.content)), ("quoted_sent", isSent),
            ("quoted_member_id", member),
        ]
    }

    /// Returns the content of an accepted group invitation with the status of an open invitation.
    private static func reopenInvitation(_ stored: String) -> String {
        guard var content = try? JSONValue(parsing: stored, limits: .forOwnText).objectValue,
            var invitation = content["groupInvitation"]?.objectValue, invitation["status"] == "accepted"
        else { return stored }
        invitation["status"] = "pending"
        content["groupInvitation"] = .object(invitation)
        return JSONValue.object(content).text
    }

    private func makeForwardingColumns(_ row: Row, _ user: Int64) throws -> [(String, Argument)] {
        guard let stored = try row.stringOrNil("item_forwarded") else { return [] }
        let (chat, item) = (try row.int64OrNil("forwarded_chat_id"), try row.int64OrNil("forwarded_item_id"))
        let known = try item.flatMap {
            try db.queryFirst("SELECT 1 FROM chat_items WHERE chat_item_id = ?", [$0]) == nil ? nil : $0
        }
        func makeOriginColumns(_ tag: String, _ name: String, _ direction: MsgDirection) -> [(String, Argument)] {
            [
                ("fwd_from_tag", tag), ("fwd_from_chat_name", name), ("fwd_from_msg_dir", direction == .snd),
                ("fwd_from_chat_item_id", known),
            ]
        }
        return switch try? StoredJSON.decode(CIForwardedFrom.self, stored) {
        case .contact(let name, let direction, _, _)?:
            makeOriginColumns("contact", name, direction) + [
                ("fwd_from_contact_id", chat.flatMap { contactNumbers.assignedNumber(user, $0) })
            ]
        case .group(let name, let direction, _, _)?:
            makeOriginColumns("group", name, direction) + [
                ("fwd_from_group_id", chat.flatMap { groupNumbers.assignedNumber(user, $0) })
            ]
        default: [("fwd_from_tag", "unknown")]
        }
    }

    private func exportItemVersions() throws {
        try forEachRow("chat_item_versions", by: "chat_item_version_id") { row in
            try appDatabase.insert(
                into: "chat_item_versions",
                [
                    "chat_item_version_id": row["chat_item_version_id"], "chat_item_id": row["chat_item_id"],
                    "msg_content": row["msg_content"], "item_version_ts": try Self.timeText(row, "item_version_ts"),
                    "created_at": try Self.timeText(row, "created_at"),
                ]
            )
        }
    }

    private mutating func exportReactions() throws {
        var given = 0
        try forEachRow("chat_item_reactions", by: "chat_item_reaction_id") { row in
            let user = try row.int64("user_id"), ts = try Self.timeText(row, "reaction_ts")
            var place: [(String, Argument)]
            switch try ChatKey(row) {
            case .contact(let id): place = [("contact_id", contactNumbers.assignedNumber(user, id))]
            case .group(let id):
                // For an item of the user, the stored author is 0. The app needs the user's membership in the group
                // instead.
                let author = try row.int64("item_author_id"), reacting = try row.int64("author_member_id")
                let item = author == 0 ? memberships[AppRowIDs.Key(user: user, id: id)] ?? 0 : author
                let member = try db.firstRow(
                    """
                    SELECT member_id FROM group_members WHERE user_id = :user_id AND group_member_id = :group_member_id
                    """,
                    ["user_id": user, "group_member_id": item]
                )
                place = [
                    ("group_id", groupNumbers.assignedNumber(user, id)),
                    ("item_member_id", try member?.blob("member_id")),
                    ("group_member_id", reacting == 0 ? nil : memberNumbers.assignedNumber(user, reacting)),
                ]
            case .notes, .memberSupport, .supportChatReference: return
            }
            place += [
                ("shared_msg_id", row["shared_msg_id"]), ("reaction", row["reaction"]),
                ("reaction_sent", row["reaction_sent"]), ("reaction_ts", ts),
                ("created_at", ts), ("updated_at", ts),
            ]
            try appDatabase.insert(into: "chat_item_reactions", columns: place)
            given += 1
        }
        counts.countMoved("reactions", given)
    }

}

extension ChatKey {
    fileprivate func groupNumber(_ groups: AppRowIDs, _ user: Int64, _ row: Row) -> Int64? {
        switch self {
        case .group(let id): groups.assignedNumber(user, id)
        case .memberSupport: (try? row.int64OrNil("support_group_id"))?.flatMap { groups.assignedNumber(user, $0) }
        case .contact, .notes, .supportChatReference: nil
        }
    }
}
