internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import JSON
internal import SQLCipher

/// The last messages of a group, which are sent to a new member. Messages that were already sent to the member while
/// the member was joining are not repeated.
enum GroupHistory {
    private static let maxMessages = 100

    /// Sends the history as forwarded messages, and then the description of the group. Sends nothing if the group does
    /// not allow history.
    static func sendHistory(to member: MemberRecord, in group: GroupRecord, _ tx: Transaction) throws {
        guard group.preferences.history.enable == .on, member.versions.maximum >= ChatVersionRange.historyVersion,
            let connection = member.connection
        else { return }
        let ids = try tx.db.query(
            """
            SELECT i.chat_item_id FROM chat_items i WHERE i.user_id = ? AND i.chat_type = ? AND i.chat_id = ? AND i.msg_content_tag IS NOT NULL
              AND i.shared_msg_id IS NOT NULL AND i.item_deleted = 0
              AND NOT EXISTS (SELECT 1 FROM group_item_statuses s WHERE s.chat_item_id = i.chat_item_id AND s.group_member_id = ?)
            \(StoredItemOrder.newestFirst) LIMIT ?
            """,
            group.keyArguments + [member.memberId, Int64(maxMessages)]
        ).map { try $0.int64("chat_item_id") }
        let items = try ItemQueries.findItems(ids.reversed(), in: group, tx.db)
        let quoted = try ItemQueries.findItems(items.compactMap { $0.quotedMessage?.itemId }, in: group, tx.db)
        // A quote contains the current content of the quoted message.
        let contents = Dictionary(quoted.map { ($0.itemId, $0.messageContent) }) { first, _ in first }
        var messages = try items.flatMap { item in
            var item = item
            if let content = item.quotedMessage?.itemId.flatMap({ contents[$0] }) ?? nil {
                item.quotedMessage?.content = content
            }
            return try Self.makeMessages(of: item, in: group, over: connection, tx)
        }
        if let description = group.profile.description, try !hasReadDescription(member, tx),
            member.versions.maximum >= ChatVersionRange.historyWithDescriptionVersion
        {
            let content = try JSONEncoder().encodeValue(MsgContent.text(text: description))
            messages.append(
                try OutgoingChatMessage(
                    ChatMessage(event: .messageNew(MessageContainer(content: content))),
                    over: [connection]
                )
            )
        }
        try tx.enqueue(messages, to: [connection])
    }

    /// Returns the history that the user, as a relay of a channel, sends to a new subscriber. Each element is one
    /// encoded message. The caller joins several elements into one sent message.
    static func makeHistoryElements(
        for member: MemberRecord,
        in group: GroupRecord,
        _ tx: Transaction
    ) throws -> [[UInt8]] {
        guard group.preferences.history.enable == .on, member.versions.maximum >= ChatVersionRange.historyVersion else {
            return []
        }
        let ids = try tx.db.query(
            """
            SELECT i.chat_item_id FROM chat_items i WHERE i.user_id = ? AND i.chat_type = ? AND i.chat_id = ? AND i.msg_content_tag IS NOT NULL
              AND i.shared_msg_id IS NOT NULL AND i.item_deleted = 0 AND i.item_sent = 0
            \(StoredItemOrder.newestFirst) LIMIT ?
            """,
            group.keyArguments + [Int64(maxMessages)]
        ).map { try $0.int64("chat_item_id") }
        let items = try ItemQueries.findItems(ids.reversed(), in: group, tx.db)
        let quoted = try ItemQueries.findItems(items.compactMap { $0.quotedMessage?.itemId }, in: group, tx.db)
        let contents = Dictionary(quoted.map { ($0.itemId, $0.messageContent) }) { first, _ in first }
        return try items.flatMap { item -> [[UInt8]] in
            var item = item
            if let content = item.quotedMessage?.itemId.flatMap({ contents[$0] }) ?? nil {
                item.quotedMessage?.content = content
            }
            return try makeForwardedMessages(of: item, by: item.authorRecord, in: group, tx).compactMap { forwarded in
                // A message that is too long for forwarding is left out.
                let element = try? ChatMessage(sharedID: .random(), event: .group(.forward(forwarded))).encoded()
                return element.flatMap { BinaryBatch.splitIntoBatches(sizes: [$0.count]).tooLarge.isEmpty ? $0 : nil }
            }
        }
    }

    /// Whether the member has already read the description in the data of the link by which the member joined.
    private static func hasReadDescription(_ member: MemberRecord, _ tx: Transaction) throws -> Bool {
        try tx.db.firstRow(
            """
            SELECT 1 FROM group_members
            WHERE user_id = :user_id AND group_member_id = :group_member_id AND welcome_shared_msg_id IS NOT NULL
            """,
            ["user_id": member.userId, "group_member_id": member.memberId]
        ) != nil
    }

    /// Returns the messages for an item of the history: the message itself, and the description of its file if file
    /// servers still keep the file.
    private static func makeMessages(
        of item: ItemRecord,
        in group: GroupRecord,
        over connection: ConnectionRecord,
        _ tx: Transaction
    ) throws -> [OutgoingChatMessage] {
        guard let author = item.isSent ? group.membership : item.authorRecord else { return [] }
        // A message that is too long for forwarding is left out.
        return try makeForwardedMessages(of: item, by: author, in: group, tx).compactMap { forwarded in
            try? OutgoingChatMessage(ChatMessage(event: .group(.forward(forwarded))), over: [connection])
        }
    }

    /// Returns the messages to forward for an item.
    /// - Parameter author: the author of the item; nil for a message that an owner has sent in the name of the channel.
    private static func makeForwardedMessages(
        of item: ItemRecord,
        by author: MemberRecord?,
        in group: GroupRecord,
        _ tx: Transaction
    ) throws -> [ForwardedMessage] {
        let file = try item.file.flatMap { try HistoryFile($0, of: item, tx) }
        guard let content = item.messageContent, author != nil || item.showsGroupAsSender,
            author?.isBlockedByAdmin != true,
            file != nil || !content.text.isEmpty
        else {
            return []
        }
        let versions = author?.versions ?? .supported
        var container = MessageContainer(content: try JSONEncoder().encodeValue(content))
        container.ttlSeconds = item.lifetimeSeconds
        container.mentions = item.mentions.messageJSON
        container.quote = try GroupQuotes.makeQuote(item.quotedMessage, in: group)
        container.file = file?.invitation
        if author == nil { container.isSentAsGroup = true }
        let message = ChatMessage(versions: versions, sharedID: item.sharedID, event: .messageNew(container))
        let parts = file?.descriptionPartEvents.map { ChatMessage(versions: versions, event: $0) } ?? []
        return ([message] + parts).map { message in
            ForwardedMessage(
                author: author?.sharedID,
                authorName: author?.shortName ?? "",
                sentAt: item.itemTs.text,
                message: message.json
            )
        }
    }
}

/// Quotes in the messages of a group.
enum GroupQuotes {
    static func makeQuote(_ quoted: CIQuote?, in group: GroupRecord) throws -> QuotedMessage? {
        guard let quoted else { return nil }
        var message = QuotedMessage(
            messageID: quoted.sharedMsgId.flatMap { SharedMessageID(parsing: $0) },
            sentAt: quoted.sentAt,
            sent: quoted.chatDir == .groupSnd,
            content: try JSONEncoder().encodeValue(quoted.content)
        )
        message.memberID = authorID(quoted.chatDir, in: group)
        return message
    }

    /// Returns the id of the author of a quoted message; nil if the group itself is the author, or if the author is
    /// unknown.
    static func authorID(_ direction: CIDirection?, in group: GroupRecord) -> String? {
        switch direction {
        case .groupSnd: group.membership.sharedID.text
        case .groupRcv(let member): member.memberId
        default: nil
        }
    }
}

/// The file of an earlier message, for a member who joins later: the invitation to receive the file, and the messages
/// with the parts of its description.
private struct HistoryFile {
    let invitation: JSONValue
    let descriptionPartEvents: [ChatMessageEvent]

    /// Number of seconds for which file servers keep files.
    private static let serverFileLifetimeSeconds: Int64 = 2 * 86_400

    /// Prepares a file for a new member; nil if the file cannot be received yet, or can no longer be received.
    init?(_ file: FileRecord, of item: ItemRecord, _ tx: Transaction) throws {
        guard file.transport == .xftp, !file.isCancelled,
            item.itemTs.adding(seconds: Self.serverFileLifetimeSeconds) > tx.now,
            let id = item.sharedID
        else { return nil }
        let own =
            try file.isSent
            ? tx.db.queryFirst(
                "SELECT descr_id FROM snd_files WHERE file_id = ? ORDER BY snd_file_id LIMIT 1",
                [file.fileId]
            )?.int64OrNil("descr_id") : nil
        guard
            let description = try (own ?? file.descriptionId).flatMap({ try FileDescriptionRecord.find($0, in: tx.db) }
            ), description.isComplete
        else {
            return nil
        }
        invitation = OutgoingFile.makeInvitation(name: file.name, size: file.size)
        descriptionPartEvents = DescriptionParts.split(description.text).map {
            .fileDescription(messageID: id, description: $0)
        }
    }
}
