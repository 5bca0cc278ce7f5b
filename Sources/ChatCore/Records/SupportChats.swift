internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import SQLCipher

/// Conversations between one member and the moderators of a group.
///
/// The items of a support chat have a separate key (``ChatKey/memberSupport(_:)``) and do not belong to the chat of the
/// group. The counts, pages and searches of the chat of the group do not include these items.
enum SupportChats {
    /// Returns an SQL condition for members who need the attention of moderators.
    /// - Parameter row: the alias of the table with a dot (`m.`), or an empty string.
    static func attentionCondition(_ row: String) -> String {
        """
        \(row)member_category <> 'user' AND (\(row)member_status IN ('pending_approval', 'pending_review') OR \(row)support_attention > 0 \
        OR \(row)support_mentions > 0)
        """
    }

    static let attentionCountColumn = """
        (SELECT count(*) FROM group_members x WHERE x.user_id = g.user_id AND x.group_id = g.group_id AND \(attentionCondition("x."))) AS members_require_attention
        """

    /// The SQL column with the number of received reports in a group, without deleted reports.
    static let reportCountColumn = """
        (SELECT count(*) FROM chat_items i WHERE i.user_id = g.user_id AND i.support_group_id = g.group_id AND i.msg_content_tag = 'report'
          AND i.item_deleted = 0 AND i.item_sent = 0) AS reports_count
        """

    static func countReports(of groupId: Int64, user userId: Int64, _ db: StoreConnection) throws -> Int {
        let row = try db.firstRow(
            "SELECT \(reportCountColumn) FROM groups g WHERE g.user_id = :user_id AND g.group_id = :group_id",
            ["user_id": userId, "group_id": groupId]
        )
        return try row?.readClampedCount("reports_count") ?? 0
    }

    /// Deletes the items of all support chats of a group.
    static func deleteItems(_ groupId: Int64, user userId: Int64, _ tx: Transaction) throws {
        try tx.db.execute(
            """
            DELETE FROM chat_item_reactions WHERE user_id = :user_id AND chat_type = \(ChatKey.Kind.support.rawValue)
              AND chat_id IN (SELECT group_member_id FROM group_members
              WHERE user_id = :user_id AND group_id = :group_id AND support_ts IS NOT NULL)
            """,
            ["user_id": userId, "group_id": groupId]
        )
        try tx.db.delete(from: "chat_items", where: ["user_id": userId, "support_group_id": groupId])
        try tx.db.execute(
            """
            UPDATE group_members SET support_attention = 0, support_mentions = 0
            WHERE user_id = :user_id AND group_id = :group_id AND (support_attention > 0 OR support_mentions > 0)
            """,
            ["user_id": userId, "group_id": groupId]
        )
    }

    /// The first version of the chat protocol with support chats and the review of new members.
    static let firstChatVersion = 15
    static let firstChatVersionWithReports = 12
}

/// A support chat, as stored in the row of its member.
struct SupportChat: Sendable {
    var chatTs: Timestamp
    var unreadCount: Int64 = 0
    var attentionCount: Int64 = 0
    var mentionCount: Int64 = 0
    var lastMessageTime: Timestamp?

    init(ts: Timestamp) { self.chatTs = ts }

    /// Reads the columns of the support chat; nil for a member without a support chat.
    init?(_ row: Row) throws {
        guard let ts = try row.int64OrNil("m_support_ts") else { return nil }
        self.chatTs = Timestamp(nanoseconds: ts)
        unreadCount = try row.readClampedCount("m_unread_count")
        attentionCount = try row.readClampedCount("support_attention")
        mentionCount = try row.readClampedCount("support_mentions")
        lastMessageTime = try row.int64OrNil("support_last_message_ts").map(Timestamp.init(nanoseconds:))
    }

    static let columns =
        "m.support_ts AS m_support_ts, m.unread_count AS m_unread_count, m.support_attention, m.support_mentions, m.support_last_message_ts"

    var api: GroupSupportChat {
        GroupSupportChat(
            chatTs: chatTs.api,
            unread: unreadCount,
            memberAttention: attentionCount,
            mentions: mentionCount,
            lastMsgFromMemberTs: lastMessageTime?.api
        )
    }
}

/// The support chat that a group record stands for: the support chat of the user, or of another member.
struct SupportScope: Sendable {
    /// The member whose support chat this is; nil for the support chat of the user.
    var member: MemberRecord?
    /// The lowest chat version that a moderator needs to receive the messages of the support chat.
    var minModeratorChatVersion = SupportChats.firstChatVersion
}

extension MemberRecord {
    /// Stores the columns of the support chat except the number of unread items, which the triggers of the database
    /// count.
    mutating func setSupportChat(_ support: SupportChat?, _ tx: Transaction) throws {
        self.supportChat = support
        try tx.db.update(
            "group_members",
            set: [
                "support_ts": support?.chatTs.nanoseconds, "support_attention": support?.attentionCount ?? 0,
                "support_mentions": support?.mentionCount ?? 0,
                "support_last_message_ts": support?.lastMessageTime?.nanoseconds,
            ],
            where: ["user_id": userId, "group_member_id": memberId]
        )
    }
}

extension GroupRecord {
    /// The member of the support chat that this record stands for; nil for the chat of the whole group.
    var supportMember: MemberRecord? { scope.map { $0.member ?? membership } }

    /// This group as the chat of the whole group, and not as a support chat.
    var groupWithoutScope: GroupRecord {
        var group = self
        group.scope = nil
        return group
    }

    /// Returns this group as the support chat of a member.
    func supportChatGroup(of member: MemberRecord) -> GroupRecord {
        var group = self
        group.scope = SupportScope(member: member.memberId == membership.memberId ? nil : member)
        return group
    }

    /// Returns this group as the support chat of a member.
    /// - Parameter memberId: the member; nil for the user's own support chat.
    /// - Throws: `groupMemberNotFound`.
    func supportChatGroup(of memberId: Int64?, _ db: StoreConnection) throws -> GroupRecord {
        try memberId.map { supportChatGroup(of: try MemberRecord.get($0, in: self, db)) }
            ?? supportChatGroup(of: membership)
    }

    mutating func setSupportChat(_ support: SupportChat?, _ tx: Transaction) throws {
        if var member = scope?.member {
            try member.setSupportChat(support, tx)
            scope?.member = member
        } else {
            try membership.setSupportChat(support, tx)
        }
        membersRequiringAttentionCount = try Self.countMembersRequiringAttention(groupId, user: userId, tx.db)
    }

    /// Creates the support chat that this record stands for, if its member has no support chat yet.
    mutating func openSupportChat(_ tx: Transaction) throws {
        guard let member = supportMember, member.supportChat == nil else { return }
        try setSupportChat(SupportChat(ts: tx.now), tx)
    }

    /// Finds the support chat that contains a message; nil for an unknown message, or a message in the chat of the
    /// group.
    /// - Parameter author: the author of the message; nil or the user's membership for a message of the user.
    func findSupportChat(
        with id: SharedMessageID,
        by author: MemberRecord?,
        _ db: StoreConnection
    ) throws -> GroupRecord? {
        let isOwn = author.map { $0.category == .user } ?? true
        let row = try db.queryFirst(
            """
            SELECT chat_id FROM chat_items WHERE user_id = ? AND support_group_id = ? AND shared_msg_id = ?
              AND \(isOwn ? "item_sent = 1" : "author_member_id = ?") LIMIT 1
            """,
            [userId, groupId, id.bytes] + (isOwn ? [] : [author?.memberId])
        )
        return try row.map { try supportChatGroup(of: MemberRecord.get($0.int64("chat_id"), in: self, db)) }
    }

    static func countMembersRequiringAttention(
        _ groupId: Int64,
        user userId: Int64,
        _ db: StoreConnection
    ) throws -> Int64 {
        try db.queryFirst(
            "SELECT count(*) AS n FROM group_members WHERE user_id = ? AND group_id = ? AND \(SupportChats.attentionCondition(""))",
            [userId, groupId]
        )?
        .int64("n") ?? 0
    }

    /// Sets the counts of the support chat to zero after all its items were read.
    mutating func resetSupportCounts(_ tx: Transaction) throws {
        guard var support = supportMember?.supportChat else { return }
        (support.unreadCount, support.attentionCount, support.mentionCount) = (0, 0, 0)
        try setSupportChat(support, tx)
        guard let member = supportMember else { return }
        try tx.db.update(
            "group_members",
            set: ["updated_at": tx.now.nanoseconds],
            where: ["user_id": userId, "group_member_id": member.memberId]
        )
        if scope?.member == nil { membership.updatedAt = tx.now } else { scope?.member?.updatedAt = tx.now }
    }
}

extension MemberRecord {
    static func findSupportChat(_ memberId: Int64, _ user: UserRecord, _ db: StoreConnection) throws -> GroupRecord? {
        guard let member = try find(memberId, user: user.userId, in: db),
            let group = try GroupRecord.find(member.groupId, user: user.userId, in: db)
        else { return nil }
        return group.supportChatGroup(of: member)
    }

    func supportsChatVersion(_ version: Int) -> Bool { (connection?.peerVersions ?? versions).maximum >= version }
}

extension GroupMemberStatus {
    /// Whether the member waits for the decision about its admission.
    var isPending: Bool { self == .pending_approval || self == .pending_review }
}

extension CIContent {
    var isReport: Bool { messageContent?.tag == MsgContentTag.report.rawValue }
}

extension MemberRecord {
    mutating func deleteSupportChat(_ tx: Transaction) throws {
        guard supportChat != nil else { return }
        let ids = try tx.db.query(
            """
            SELECT chat_item_id FROM chat_items
            WHERE user_id = :user_id AND chat_type = :chat_type AND chat_id = :chat_id
            """,
            ["user_id": userId, "chat_type": ChatKey.Kind.support.rawValue, "chat_id": memberId]
        )
        .map { try $0.int64("chat_item_id") }
        tx.redactItems(ids, of: .group(groupId), user: userId)
        try tx.db.delete(
            from: "chat_item_reactions",
            where: ["user_id": userId, "chat_type": ChatKey.Kind.support.rawValue, "chat_id": memberId]
        )
        try tx.db.delete(
            from: "chat_items",
            where: ["user_id": userId, "chat_type": ChatKey.Kind.support.rawValue, "chat_id": memberId]
        )
        try setSupportChat(nil, tx)
    }
}
