internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import JSON
internal import SQLCipher

/// The values of a new chat item. The transaction that writes the item sets all other values.
struct NewItem {
    var isSent: Bool
    /// The group member who has written the item. It is nil for the user's own items, for posts in the name of the
    /// group, and in chats that are not groups.
    var author: MemberRecord?
    /// The id of the member who has forwarded the message to the user; nil if the author has sent the message directly.
    var forwarderId: Int64?
    var content: CIContent
    var text: String
    var status: ItemStatus
    /// The time of sending; nil for the time of the transaction. For a received message, this is the time at the
    /// server, or the time that the member states who has forwarded the message.
    var itemTs: Timestamp?
    var sharedID: SharedMessageID?
    var quotedMessage: CIQuote?
    var forwardOrigin: CIForwardedFrom?
    var lifetimeSeconds: Int64?
    var deleteAt: Timestamp?
    var isLive = false
    var mentions = Mentions.none
    /// Whether the item is shown as a post of the group, without its author.
    var showsGroupAsSender = false
    /// The reason why the item is hidden when it is written; nil for a visible item.
    var hidingReason: HidingReason?
    /// The file of the item; nil for an item without a file.
    var file: FileRecord?
    /// The result of verifying the signature of the item; nil for an unsigned item.
    var signatureStatus: MsgSigStatus?
    /// The markup of the text; `unparsed` if the text was not parsed before the transaction.
    var markup = ItemMarkup.unparsed

    /// Whether the item is sent or unread. Several callers of ``ItemWriter`` move the chat to the top of the chat list
    /// only for a sent or unread item.
    var isSentOrUnread: Bool { isSent || status == .rcvNew }

    init(isSent: Bool, content: CIContent, text: String, status: ItemStatus) {
        self.isSent = isSent
        self.content = content
        self.text = text
        self.status = status
    }

    /// Creates the item of a sent or received message.
    init(isSent: Bool, _ marked: MarkedContent, status: ItemStatus) {
        let content = marked.content
        self.init(
            isSent: isSent,
            content: isSent ? .sndMsgContent(msgContent: content) : .rcvMsgContent(msgContent: content),
            text: content.text,
            status: status
        )
        markup = marked.markup
    }
}

enum ItemWriter {
    /// Writes an item into a chat.
    /// - Parameter movesChat: whether the item moves the chat to the top of the list. A chat that the user has deleted
    ///   is always moved.
    static func create(
        _ new: NewItem,
        in chat: inout some Conversation,
        movesChat: Bool,
        _ tx: Transaction
    ) throws -> ItemRecord {
        let (contentText, tag) = try encodeContent(new.content)
        var new = new
        if tag != nil, new.markup == .unparsed { new.markup = ItemMarkup(of: new.text) }
        let forwarded = try ItemForwarding.makeStoredOrigin(new.forwardOrigin)
        let orderTs = chat.chatKey.orderTime(sent: new.itemTs ?? tx.now, created: tx.now)
        try tx.db.insert(
            into: "chat_items",
            [
                "user_id": chat.userId, "chat_type": chat.chatKey.kind.rawValue, "chat_id": chat.chatKey.chatId,
                "support_group_id": chat.supportGroupId, "item_sent": new.isSent,
                "author_member_id": new.author?.memberId, "forwarded_by_member_id": new.forwarderId,
                "item_ts": (new.itemTs ?? tx.now).nanoseconds, "item_status": new.status.storedText,
                "item_content": contentText, "msg_content_tag": tag, "item_text": new.text,
                "formatted_text": try new.markup.storedText(), "shared_msg_id": new.sharedID?.bytes,
                "quoted_item": try new.quotedMessage.map(QuotedAuthor.encodeQuote(of:)),
                "quoted_shared_msg_id": new.quotedMessage?.sharedMsgId.flatMap { SharedMessageID(parsing: $0)?.bytes },
                "quoted_member_id": QuotedAuthor.storedMemberId(new.quotedMessage), "item_forwarded": forwarded.text,
                "forwarded_chat_type": forwarded.chat?.kind.rawValue, "forwarded_chat_id": forwarded.chat?.chatId,
                "forwarded_item_id": forwarded.itemId, "item_live": new.isLive ? Int64(1) : nil,
                "timed_ttl": new.lifetimeSeconds,
                "timed_delete_at": new.deleteAt?.nanoseconds, "file_id": new.file?.fileId,
                "has_link": new.content.hasLink(new.markup, in: new.text), "mentions": new.mentions.storedText,
                "user_mention": new.mentions.includesUser(isSent: new.isSent, quoted: new.quotedMessage, in: chat),
                "item_deleted": new.hidingReason?.storedNumber ?? 0,
                "item_deleted_ts": new.hidingReason == nil ? nil : tx.now.nanoseconds, "order_ts": orderTs.nanoseconds,
                "show_group_as_sender": new.showsGroupAsSender, "msg_signed": new.signatureStatus?.rawValue,
                "created_at": tx.now.nanoseconds, "updated_at": tx.now.nanoseconds,
            ]
        )
        let itemId = tx.db.lastInsertRowID
        reportStep(new, itemId, in: chat, tx)
        if let file = new.file {
            try tx.db.update("files", set: ["chat_item_id": itemId], where: ["file_id": file.fileId])
        }
        new.file?.itemId = itemId
        try ChatCounts.countItem(chat.chatKey, user: chat.userId, at: orderTs, status: new.status.storedText, in: tx.db)
        if itemId % SearchSpan.smallSize == 0 { tx.followUpWork.insert(.searchIndex) }
        if new.deleteAt != nil { tx.followUpWork.insert(.timedItems) }
        if movesChat || chat.isChatDeleted { try chat.moveToTop(tx) }
        try chat.countWrittenItem(new, tx)
        return try ItemQueries.addMentionedMembers(
            [ItemRecord(itemId: itemId, new, in: chat, at: tx.now)],
            user: chat.userId,
            tx.db
        )[0]
    }

    /// Reports to the message traces that the user has sent a message, or that a message was received. Reports nothing
    /// for notes, and for items that are not messages.
    private static func reportStep(_ new: NewItem, _ itemId: Int64, in chat: some Conversation, _ tx: Transaction) {
        switch new.content {
        case .sndMsgContent where chat.chatKey.kind != .notes:
            tx.reportStep(MessageStepReport(.accept, of: itemId, from: tx.now, to: tx.now))
        case .rcvMsgContent:
            let relayTime = new.itemTs.map { min($0, tx.now) } ?? tx.now
            tx.reportStep(MessageStepReport(.receive, of: itemId, from: relayTime, to: tx.now))
        default: break
        }
    }

    /// Replaces the content of an item. The caller has already recorded the versions of the item.
    static func replaceContent(
        _ item: inout ItemRecord,
        content: CIContent,
        text: String,
        markup: ItemMarkup = .unparsed,
        mentions: Mentions = .none,
        edited: Bool,
        live: Bool?,
        in chat: (any Conversation)? = nil,
        _ tx: Transaction
    ) throws {
        let (contentText, tag) = try encodeContent(content)
        item.content = content
        item.text = text
        item.markup = tag != nil && markup == .unparsed ? ItemMarkup(of: text) : markup
        item.isEdited = item.isEdited || edited
        item.mentions = mentions
        item.mentionsUser =
            chat.map { mentions.includesUser(isSent: item.isSent, quoted: item.quotedMessage, in: $0) } ?? false
        if item.isLive != nil { item.isLive = live ?? false }
        try tx.db.update(
            "chat_items",
            set: [
                "item_content": contentText, "msg_content_tag": tag, "item_text": text,
                "formatted_text": try item.markup.storedText(), "has_link": content.hasLink(item.markup, in: text),
                "item_edited": item.isEdited, "item_live": item.isLive.map { Int64($0 ? 1 : 0) },
                "mentions": item.mentions.storedText, "user_mention": item.mentionsUser,
            ],
            where: ["chat_item_id": item.itemId]
        )
        item = try ItemQueries.addMentionedMembers([item], user: item.userId, tx.db)[0]
    }

    /// Records a new version of an item. The first call also records the previous content as a version.
    static func addVersion(
        of item: ItemRecord,
        old: MsgContent,
        new: MsgContent,
        at versionTs: Timestamp,
        _ tx: Transaction
    ) throws {
        let existing = try tx.db.queryFirst(
            "SELECT 1 FROM chat_item_versions WHERE chat_item_id = ? LIMIT 1",
            [item.itemId]
        )
        if existing == nil { try insertVersion(item.itemId, old, item.itemTs, tx) }
        try insertVersion(item.itemId, new, versionTs, tx)
    }

    /// Inserts a version of an item. Only the text of the content is stored.
    static func insertVersion(_ itemId: Int64, _ content: MsgContent, _ versionTs: Timestamp, _ tx: Transaction) throws
    {
        try tx.db.insert(
            into: "chat_item_versions",
            [
                "chat_item_id": itemId, "msg_content": try StoredJSON.encode(MsgContent.text(text: content.text)),
                "item_version_ts": versionTs.nanoseconds, "created_at": tx.now.nanoseconds,
            ]
        )
    }

    static func setStatus(_ item: inout ItemRecord, _ status: ItemStatus, _ tx: Transaction) throws {
        item.status = status
        item.updatedAt = tx.now
        try tx.db.execute(
            """
            UPDATE OR FAIL chat_items SET item_status = :item_status, via_proxy = :via_proxy, updated_at = :updated_at
            WHERE chat_item_id = :chat_item_id
            """,
            [
                "item_status": status.storedText, "via_proxy": item.isViaProxy.map { Int64($0 ? 1 : 0) },
                "updated_at": tx.now.nanoseconds, "chat_item_id": item.itemId,
            ]
        )
    }

    /// Marks an item as deleted, without removing the item.
    /// - Parameter moderator: the member of the group who has deleted the item for all members; nil if the author or
    ///   the user has deleted the item.
    static func markItemDeleted(
        _ item: inout ItemRecord,
        by moderator: MemberRecord? = nil,
        at deletedTs: Timestamp,
        _ tx: Transaction
    ) throws {
        item.hidingReason = moderator.map { .moderated(by: $0.memberId) } ?? .deleted
        item.moderatorRecord = moderator
        item.deletedTs = deletedTs
        item.updatedAt = tx.now
        try item.file?.cancelIfUnderway(tx)
        try tx.db.update(
            "chat_items",
            set: [
                "item_deleted": 1, "item_deleted_by": moderator?.memberId, "item_deleted_ts": deletedTs.nanoseconds,
                "updated_at": tx.now.nanoseconds,
            ],
            where: ["chat_item_id": item.itemId]
        )
        tx.redactItem(item)
    }

    /// Deletes the content and the file of an item, and marks the item as deleted by a moderator. The item itself is
    /// kept. This happens in groups that allow full deletion.
    static func deleteModeratedContent(
        _ item: inout ItemRecord,
        by moderator: MemberRecord,
        at deletedTs: Timestamp,
        _ tx: Transaction
    ) throws {
        let content: CIContent = item.isSent ? .sndModerated : .rcvModerated
        try tx.db.execute("DELETE FROM chat_item_versions WHERE chat_item_id = ?", [item.itemId])
        if let fileId = item.fileId {
            try tx.db.execute("UPDATE chat_items SET file_id = NULL WHERE chat_item_id = ?", [item.itemId])
            try tx.db.execute("DELETE FROM files WHERE file_id = ?", [fileId])
            (item.fileId, item.file) = (nil, nil)
        }
        try replaceContent(&item, content: content, text: "moderated", edited: false, live: nil, tx)
        try markItemDeleted(&item, by: moderator, at: deletedTs, tx)
    }

    /// Removes an item with its versions and its reactions.
    static func delete(_ item: ItemRecord, _ tx: Transaction) throws {
        if let sharedID = item.sharedID {
            try tx.db.execute(
                """
                DELETE FROM chat_item_reactions
                WHERE user_id = :user_id AND chat_type = :chat_type AND chat_id = :chat_id
                AND shared_msg_id = :shared_msg_id AND item_author_id = :item_author_id
                """,
                [
                    "user_id": item.userId, "chat_type": item.chat.kind.rawValue, "chat_id": item.chat.chatId,
                    "shared_msg_id": sharedID.bytes, "item_author_id": item.authorId ?? 0,
                ]
            )
        }
        try tx.db.execute("DELETE FROM chat_items WHERE chat_item_id = ?", [item.itemId])
        tx.redactItem(item)
    }

    private static func encodeContent(_ content: CIContent) throws -> (text: String, tag: String?) {
        (try StoredJSON.encode(content), content.messageContent?.tag)
    }
}
