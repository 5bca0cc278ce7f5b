internal import ChatAPI
internal import ChatMoving
internal import ChatProtocol
internal import ChatStore
internal import JSON
internal import SQLCipher

extension AppChatImport {
    mutating func importItems() throws {
        var taken = 0, left = 0, unread = 0
        try app.forEach("chat_items", by: "chat_item_id") { row in
            guard let chat = try findChat(of: row), let id = row.int("chat_item_id"), let user = row.int("user_id")
            else {
                left += 1
                return
            }
            let stored = row.text("item_content") ?? ""
            let content = row.parseJSON("item_content").flatMap(AppContent.convertToAPIForm).flatMap {
                try? JSONDecoder().decode(CIContent.self, from: $0)
            }
            if content == nil { unread += 1 }
            let itemTs = row.readNanoseconds("item_ts") ?? now.nanoseconds,
                created = row.readNanoseconds("created_at") ?? itemTs,
                text = row.text("item_text") ?? ""
            let order = chat.key.orderTime(
                sent: Timestamp(nanoseconds: itemTs),
                created: Timestamp(nanoseconds: created)
            )
            let quote = try parseQuote(row, group: chat.group),
                forwarded = try ItemForwarding.makeStoredOrigin(parseForwarding(row))
            try db.insert(
                into: "chat_items",
                [
                    "chat_item_id": id, "user_id": user, "chat_type": chat.key.kind.rawValue,
                    "chat_id": chat.key.chatId, "support_group_id": chat.isSupport ? chat.group : nil,
                    "item_sent": row.flag("item_sent"),
                    "author_member_id": chat.group == nil ? nil : row.int("group_member_id"),
                    "forwarded_by_member_id": row.int("forwarded_by_group_member_id"), "item_ts": itemTs,
                    "item_status": ItemStatus(app: row.text("item_status") ?? "").storedText,
                    "item_content": try content.map { try StoredJSON.encode($0) } ?? stored,
                    "msg_content_tag": content?.messageContent?.tag, "item_text": text,
                    "shared_msg_id": row.blob("shared_msg_id"), "quoted_item": quote.text,
                    "quoted_shared_msg_id": row.blob("quoted_shared_msg_id"), "quoted_member_id": quote.author,
                    "item_forwarded": forwarded.text, "forwarded_chat_type": forwarded.chat?.kind.rawValue,
                    "forwarded_chat_id": forwarded.chat?.chatId, "forwarded_item_id": forwarded.itemId,
                    "item_deleted": row.int("item_deleted") ?? 0,
                    "item_deleted_by": row.int("item_deleted_by_group_member_id"),
                    "item_deleted_ts": row.readNanoseconds("item_deleted_ts"), "item_edited": row.flag("item_edited"),
                    "item_live": row.int("item_live"), "timed_ttl": row.int("timed_ttl"),
                    "timed_delete_at": row.readNanoseconds("timed_delete_at"), "via_proxy": row.int("via_proxy"),
                    "has_link": hasLinkColumn ? row.flag("has_link") : content?.hasLink(.unparsed, in: text) ?? false,
                    "user_mention": row.flag("user_mention"), "show_group_as_sender": row.flag("show_group_as_sender"),
                    "order_ts": order.nanoseconds, "created_at": created,
                    "msg_signed": row.text("msg_signed").map { $0 == "no_key" ? "signedNoKey" : $0 },
                    "updated_at": row.readNanoseconds("updated_at") ?? created,
                ]
            )
            taken += 1
        }
        counts.countMoved("items", taken)
        counts.countOmitted("items of chats that were left behind", left)
        counts.countOmitted("items whose content cannot be read (they are shown as such)", unread)
        try importMentions()
        try importItemVersions()
        try importReactions()
        try importMemberDeliveryStatuses()
        try importDeliveries()
    }

    /// Finds the chat of an item; nil if the chat is not imported.
    private func findChat(of row: AppRow) throws -> (key: ChatKey, group: Int64?, isSupport: Bool)? {
        if let contact = row.int("contact_id") {
            return try hasContact(contact) ? (.contact(contact), nil, false) : nil
        }
        if let group = row.int("group_id") {
            guard let owner = try findOwner(of: group) else { return nil }
            guard row.text("group_scope_tag") != nil else { return (.group(group), group, false) }
            let member = row.int("group_scope_group_member_id") ?? owner.membership
            return try hasMember(member) ? (.memberSupport(member), group, true) : nil
        }
        return row.int("note_folder_id") == nil ? nil : (.notes(1), nil, false)
    }

    private func parseQuote(_ row: AppRow, group: Int64?) throws -> (text: String?, author: Int64?) {
        guard let content = row.decode(MsgContent.self, "quoted_content"),
            let sentAt = row.readNanoseconds("quoted_sent_at")
        else { return (nil, nil) }
        var quote = CIQuote(
            sharedMsgId: row.blob("quoted_shared_msg_id").map { SharedMessageID(bytes: $0).text },
            sentAt: Timestamp(nanoseconds: sentAt).api,
            content: content,
            formattedText: ItemMarkup(of: content.text).fragments(of: content.text)
        )
        let isSent = row.int("quoted_sent").map { $0 != 0 }
        var author: Int64?
        if let group {
            if isSent == true {
                (quote.chatDir, author) = (.groupSnd, 0)
            } else if let member = row.blob("quoted_member_id") {
                author = try db.firstRow(
                    "SELECT group_member_id FROM group_members WHERE group_id = :group_id AND member_id = :member_id",
                    ["group_id": group, "member_id": member]
                )?.int64("group_member_id")
            }
        } else if let isSent {
            quote.chatDir = isSent ? .directSnd : .directRcv
        }
        return (try StoredJSON.encode(quote), author)
    }

    private func parseForwarding(_ row: AppRow) -> CIForwardedFrom? {
        let name = row.text("fwd_from_chat_name") ?? "",
            direction: MsgDirection = row.flag("fwd_from_msg_dir") ? .snd : .rcv
        return switch row.text("fwd_from_tag") {
        case nil: nil
        case "contact"?:
            .contact(
                chatName: name,
                msgDir: direction,
                contactId: row.int("fwd_from_contact_id"),
                chatItemId: row.int("fwd_from_chat_item_id")
            )
        case "group"?:
            .group(
                chatName: name,
                msgDir: direction,
                groupId: row.int("fwd_from_group_id"),
                chatItemId: row.int("fwd_from_chat_item_id")
            )
        default: .unknown
        }
    }

    private func importMentions() throws {
        try app.forEach("chat_item_mentions", by: "chat_item_mention_id") { row in
            guard let item = row.int("chat_item_id"), let name = row.text("display_name"),
                let member = row.blob("member_id")
            else { return }
            guard let stored = try db.queryFirst("SELECT mentions FROM chat_items WHERE chat_item_id = ?", [item])
            else {
                return
            }
            var mentions = Mentions(stored: try stored.stringOrNil("mentions"))
            mentions.memberIDs[name] = MemberID(bytes: member)
            try db.update("chat_items", set: ["mentions": mentions.storedText], where: ["chat_item_id": item])
        }
    }

    private func isItemImported(_ item: Int64?) throws -> Bool {
        guard let item else { return false }
        return try db.queryFirst("SELECT 1 FROM chat_items WHERE chat_item_id = ?", [item]) != nil
    }

    private func importItemVersions() throws {
        try app.forEach("chat_item_versions", by: "chat_item_version_id") { row in
            guard try isItemImported(row.int("chat_item_id")) else { return }
            let ts = row.readNanoseconds("item_version_ts") ?? now.nanoseconds
            try db.insert(
                into: "chat_item_versions",
                [
                    "chat_item_version_id": row.int("chat_item_version_id"), "chat_item_id": row.int("chat_item_id"),
                    "msg_content": row.text("msg_content"), "item_version_ts": ts,
                    "created_at": row.readNanoseconds("created_at") ?? ts,
                ]
            )
        }
    }

    private mutating func importReactions() throws {
        var taken = 0
        try app.forEach("chat_item_reactions", by: "chat_item_reaction_id") { row in
            guard let reaction = row.decode(MsgReaction.self, "reaction"), let message = row.blob("shared_msg_id")
            else { return }
            var values: [(String, Argument)] = [
                ("shared_msg_id", message), ("reaction_sent", row.flag("reaction_sent")),
                ("reaction", try StoredJSON.encode(reaction)),
                ("reaction_ts", row.readNanoseconds("reaction_ts") ?? now.nanoseconds),
            ]
            if let contact = row.int("contact_id"), try hasContact(contact) {
                let owner = try db.queryFirst("SELECT user_id FROM contacts WHERE contact_id = ?", [contact])
                let user = try owner?.int64("user_id")
                values += [("user_id", user), ("chat_type", ChatKey.Kind.contact.rawValue), ("chat_id", contact)]
            } else if let group = row.int("group_id"), let owner = try findOwner(of: group) {
                let author = try row.blob("item_member_id").flatMap {
                    try db.firstRow(
                        """
                        SELECT group_member_id FROM group_members WHERE group_id = :group_id AND member_id = :member_id
                        """,
                        ["group_id": group, "member_id": $0]
                    )?.int64("group_member_id")
                }
                values += [
                    ("user_id", owner.user), ("chat_type", ChatKey.Kind.group.rawValue), ("chat_id", group),
                    ("author_member_id", row.flag("reaction_sent") ? 0 : row.int("group_member_id") ?? 0),
                    ("item_author_id", author == owner.membership ? 0 : author ?? 0),
                ]
            } else {
                return
            }
            try db.insert(into: "chat_item_reactions", or: .ignore, columns: values)
            taken += 1
        }
        counts.countMoved("reactions", taken)
    }

    /// Imports the delivery statuses of items that were sent to groups, for each member.
    private func importMemberDeliveryStatuses() throws {
        try app.forEach("group_snd_item_statuses", by: "group_snd_item_status_id") { row in
            guard try isItemImported(row.int("chat_item_id")), let member = row.int("group_member_id"),
                try hasMember(member)
            else { return }
            try db.insert(
                into: "group_item_statuses",
                or: .ignore,
                [
                    "chat_item_id": row.int("chat_item_id"), "group_member_id": member,
                    "status": GroupSndStatus(app: row.text("group_snd_item_status") ?? "").storedText,
                    "via_proxy": row.int("via_proxy"),
                ]
            )
        }
        try db.execute(
            """
            INSERT INTO group_item_totals (chat_item_id, members, sent, received, received_other)
            SELECT chat_item_id, count(*), sum(status = :sent), sum(status = :received_intact),
              sum(status = :received_altered)
            FROM group_item_statuses GROUP BY chat_item_id
            """,
            [
                "sent": GroupSndStatus.sent.storedText, "received_intact": GroupSndStatus.receivedIntact.storedText,
                "received_altered": GroupSndStatus.receivedAltered.storedText,
            ]
        )
    }

    private static let maxDeliveries = 100_000

    /// Imports the newest sent messages with their recipients. The receipt of a recipient can still arrive for these
    /// messages.
    private func importDeliveries() throws {
        let isSent = "agent_msg_id IS NOT NULL AND agent_msg_meta IS NULL AND delivery_status NOT LIKE 'snd_rcvd%'"
        let first = try app.query(
            "SELECT msg_delivery_id AS n FROM msg_deliveries WHERE \(isSent) ORDER BY msg_delivery_id DESC LIMIT 1 OFFSET \(Self.maxDeliveries - 1)"
        ).first?.int("n")
        try app.forEach(
            "msg_deliveries",
            by: "msg_delivery_id",
            where: "msg_delivery_id >= ? AND \(isSent)",
            first ?? 0
        ) { row in
            let item = try app.query(
                "SELECT chat_item_id FROM chat_item_messages WHERE message_id = ? LIMIT 1",
                row.int("message_id")
            ).first?.int("chat_item_id")
            guard try isItemImported(item), let connection = row.int("connection_id"),
                try db.queryFirst("SELECT 1 FROM connections WHERE connection_id = ?", [connection]) != nil
            else { return }
            try db.insert(
                into: "deliveries",
                [
                    "connection_id": connection, "chat_item_id": item, "agent_msg_id": row.int("agent_msg_id"),
                    "delivery_status": "sent", "created_at": row.readNanoseconds("created_at") ?? now.nanoseconds,
                ]
            )
        }
    }
}
