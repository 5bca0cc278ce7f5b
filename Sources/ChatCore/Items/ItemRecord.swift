internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import JSON
internal import SQLCipher

/// A stored chat item, with its reactions.
struct ItemRecord: Sendable {
    let itemId: Int64
    let userId: Int64
    let chat: ChatKey
    /// The id of the group to which the support chat of the item belongs; nil in other chats.
    let supportGroupId: Int64?
    let isSent: Bool
    /// The id of the group member who has written the item. It is nil for the user's own items, for posts in the name
    /// of the group, and in chats that are not groups.
    let authorId: Int64?
    /// The record of the author; nil without an author, or if the query has not read the record.
    var authorRecord: MemberRecord?
    /// The id of the member who has forwarded the message to the user; nil if the author has sent the message directly.
    let forwarderId: Int64?
    let itemTs: Timestamp
    var status: ItemStatus
    var content: CIContent
    var text: String
    var markup: ItemMarkup
    let sharedID: SharedMessageID?
    var quotedMessage: CIQuote?
    /// The id of the group member who has written the quoted message; 0 for the user (see ``QuotedAuthor``).
    let quotedAuthorId: Int64?
    let forwardOrigin: CIForwardedFrom?
    /// The reason why the item is hidden; nil for a visible item.
    var hidingReason: HidingReason?
    var deletedTs: Timestamp?
    /// The record of the moderator who has deleted the item; nil without a moderator, or if the query has not read the
    /// record.
    var moderatorRecord: MemberRecord?
    var isEdited: Bool
    var isLive: Bool?
    var lifetimeSeconds: Int64?
    var deleteAt: Timestamp?
    var isViaProxy: Bool?
    let createdAt: Timestamp
    var updatedAt: Timestamp
    /// The id of the item's file.
    var fileId: Int64?
    /// The record of the item's file; nil without a file, or if the query has not read the record.
    var file: FileRecord?
    var reactions: [CIReactionCount] = []
    /// Whether the item is shown as a post of the group, without its author.
    let showsGroupAsSender: Bool
    /// The result of verifying the signature of the item in a channel; nil for an unsigned item.
    let signatureStatus: MsgSigStatus?
    var mentions: Mentions
    /// Whether the message mentions the user.
    var mentionsUser: Bool
    /// The records of the mentioned members that the query has read.
    var mentionedMembers: [MemberID: MemberRecord] = [:]

    static let columns = """
        i.chat_item_id, i.user_id, i.chat_type, i.chat_id, i.support_group_id, i.item_sent, i.author_member_id, i.forwarded_by_member_id, i.item_ts, i.item_status, i.item_content, i.item_text, i.formatted_text, i.shared_msg_id,
        i.quoted_item, i.item_deleted, i.item_deleted_by, i.item_deleted_ts, i.item_edited, i.item_live, i.timed_ttl,
        i.timed_delete_at, i.via_proxy, i.mentions, i.user_mention, i.show_group_as_sender, i.msg_signed, i.created_at, i.updated_at,
        i.file_id,
        i.quoted_member_id, \(QuotedAuthor.quotedItemIdColumn),
        \(ItemForwarding.columns)
        """

    init(_ row: Row) throws {
        itemId = try row.int64("chat_item_id")
        userId = try row.int64("user_id")
        chat = try ChatKey(row)
        supportGroupId = try row.int64OrNil("support_group_id")
        isSent = try row.bool("item_sent")
        authorId = try row.int64OrNil("author_member_id")
        forwarderId = try row.int64OrNil("forwarded_by_member_id")
        itemTs = Timestamp(nanoseconds: try row.int64("item_ts"))
        status = ItemStatus(stored: try row.string("item_status"))
        let stored = try row.string("item_content")
        // An item that cannot be decoded is shown as invalid, so that the other items of the chat can be read.
        content =
            (try? StoredJSON.decode(CIContent.self, stored))
            ?? .invalidJSON(direction: try row.bool("item_sent") ? .snd : .rcv, json: stored)
        text = try row.string("item_text")
        markup = ItemMarkup(stored: try row.stringOrNil("formatted_text"))
        sharedID = try row.blobOrNil("shared_msg_id").map(SharedMessageID.init(bytes:))
        quotedMessage = try StoredJSON.decodeIfPresent(CIQuote.self, row.stringOrNil("quoted_item"))
        quotedMessage?.itemId = try row.int64OrNil("quoted_item_id")
        quotedAuthorId = try row.int64OrNil("quoted_member_id")
        forwardOrigin = try ItemForwarding.readOrigin(row)
        hidingReason = HidingReason(stored: try row.int64("item_deleted"), by: try row.int64OrNil("item_deleted_by"))
        deletedTs = try row.int64OrNil("item_deleted_ts").map(Timestamp.init(nanoseconds:))
        isEdited = try row.bool("item_edited")
        isLive = try row.int64OrNil("item_live").map { $0 != 0 }
        lifetimeSeconds = try row.int64OrNil("timed_ttl")
        deleteAt = try row.int64OrNil("timed_delete_at").map(Timestamp.init(nanoseconds:))
        isViaProxy = try row.int64OrNil("via_proxy").map { $0 != 0 }
        mentions = Mentions(stored: try row.stringOrNil("mentions"))
        mentionsUser = try row.bool("user_mention")
        showsGroupAsSender = try row.bool("show_group_as_sender")
        signatureStatus = try row.stringOrNil("msg_signed").map(MsgSigStatus.init(rawValue:))
        fileId = try row.int64OrNil("file_id")
        createdAt = Timestamp(nanoseconds: try row.int64("created_at"))
        updatedAt = Timestamp(nanoseconds: try row.int64("updated_at"))
    }

    /// The number of seconds after sending in which the user can change an item for both sides: one day.
    static let editableSeconds: Int64 = 86400

    /// The content of a message; nil for an item that is not a message, for example a call. Only messages can be
    /// quoted, edited and reacted to.
    var messageContent: MsgContent? { content.messageContent }

    /// Whether the user can still change the item, or delete it for both sides. Notes have only one side, and can
    /// always be changed.
    /// - Parameter margin: additional seconds after the time limit that clients show, for decisions at the last moment.
    func isChangeable(at now: Timestamp, margin: Int64 = 0) -> Bool {
        guard case .sndMsgContent = content, !isHidden else { return false }
        if !chat.hasPeers { return true }
        return now < itemTs.adding(seconds: Self.editableSeconds + margin)
    }

    var isForwarded: Bool { forwardOrigin != nil }

    /// Whether the item was deleted or moderated, or is hidden because its author is blocked.
    var isHidden: Bool { hidingReason != nil }

    /// The id of the group, for an item in the chat of a group or in one of its support chats; nil in other chats.
    var groupId: Int64? {
        if case .group(let id) = chat { return id }
        return supportGroupId
    }

    /// The chat of the item in the form of commands, such as `@5` or `#2`. For an item in a support chat, this is the
    /// group.
    var subjectText: String { supportGroupId.map { ChatKey.group($0).subjectText } ?? chat.subjectText }

    /// The direction of the item, with its author.
    var direction: CIDirection { chat.direction(isSent: isSent, author: authorRecord) }

    func api(at now: Timestamp) -> ChatItem {
        let deletable = isChangeable(at: now)
        let content = messageContent
        let fragments = content == nil ? nil : markup.fragments(of: text)
        var meta = CIMeta(
            itemId: itemId,
            itemTs: itemTs.api,
            itemText: text,
            itemStatus: status.api,
            itemEdited: isEdited,
            userMention: mentionsUser,
            hasLink: content?.hasLink(fragments) ?? false,
            deletable: deletable,
            editable: deletable && !isForwarded,
            showGroupAsSender: showsGroupAsSender,
            createdAt: createdAt.api,
            updatedAt: updatedAt.api
        )
        meta.sentViaProxy = isViaProxy
        meta.msgSigned = signatureStatus
        meta.itemSharedMsgId = sharedID?.text
        meta.itemForwarded = forwardOrigin
        meta.forwardedByMember = forwarderId
        meta.itemDeleted = apiDeletion
        meta.itemTimed = lifetimeSeconds.map { CITimed(ttl: Int(clamping: $0), deleteAt: deleteAt?.api) }
        meta.itemLive = isLive
        return ChatItem(
            chatDir: direction,
            meta: meta,
            content: self.content,
            mentions: mentions.api(mentionedMembers),
            formattedText: fragments,
            quotedItem: quotedMessage,
            reactions: reactions,
            file: file?.api
        )
    }

    private var apiDeletion: CIDeleted? {
        switch hidingReason {
        case nil: nil
        case .blocked?: .blocked(deletedTs: deletedTs?.api)
        case .blockedByAdmin?: .blockedByAdmin(deletedTs: deletedTs?.api)
        case .deleted?: apiDeletedState
        case .moderated?:
            moderatorRecord.map { .moderated(deletedTs: deletedTs?.api, byGroupMember: $0.api) } ?? apiDeletedState
        }
    }

    private var apiDeletedState: CIDeleted { .deleted(deletedTs: deletedTs?.api, chatType: chat.chatType) }

    func api(in contact: Contact, at now: Timestamp) -> AChatItem {
        api(in: .direct(contact: contact), at: now)
    }

    func api(in chat: ChatInfo, at now: Timestamp) -> AChatItem {
        AChatItem(chatInfo: chat, chatItem: api(at: now))
    }
}

extension ItemRecord {
    /// The time by which the item is ordered in its chat (``StoredItemOrder``).
    var orderTs: Timestamp { chat.orderTime(sent: itemTs, created: createdAt) }

    /// The place of the item in the order of its chat.
    var place: ItemPlace { (orderTs.nanoseconds, itemId) }
}

extension ItemRecord {
    init(itemId: Int64, _ new: NewItem, in chat: some Conversation, at now: Timestamp) {
        self.itemId = itemId
        userId = chat.userId
        self.chat = chat.chatKey
        supportGroupId = chat.supportGroupId
        isSent = new.isSent
        authorId = new.author?.memberId
        authorRecord = new.author
        forwarderId = new.forwarderId
        itemTs = new.itemTs ?? now
        status = new.status
        content = new.content
        text = new.text
        markup = new.markup
        sharedID = new.sharedID
        quotedMessage = new.quotedMessage
        quotedAuthorId = QuotedAuthor.storedMemberId(new.quotedMessage)
        forwardOrigin = new.forwardOrigin
        hidingReason = new.hidingReason
        deletedTs = new.hidingReason == nil ? nil : now
        isEdited = false
        isLive = new.isLive ? true : nil
        lifetimeSeconds = new.lifetimeSeconds
        deleteAt = new.deleteAt
        isViaProxy = nil
        fileId = new.file?.fileId
        file = new.file
        mentions = new.mentions
        mentionsUser = new.mentions.includesUser(isSent: new.isSent, quoted: new.quotedMessage, in: chat)
        showsGroupAsSender = new.showsGroupAsSender
        signatureStatus = new.signatureStatus
        createdAt = now
        updatedAt = now
    }
}
