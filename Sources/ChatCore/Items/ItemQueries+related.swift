internal import ChatAPI
internal import ChatProtocol
internal import ChatStore

/// Reading of the reactions, members and files that belong to items.
extension ItemQueries {
    /// Adds the reactions, the mentioned members, the authors and the files to items of several chats of one user.
    static func addRelatedRecords(_ items: [ItemRecord], _ db: StoreConnection) throws -> [ItemRecord] {
        guard let userId = items.first?.userId else { return items }
        return try addFiles(addAuthors(addReactions(items, db), user: userId, db), db)
    }

    /// Adds the reactions, the mentioned members, the authors and the files to items of one chat.
    static func addRelatedRecords(
        _ items: [ItemRecord],
        in chat: some Conversation,
        _ db: StoreConnection
    ) throws -> [ItemRecord] {
        try addFiles(addAuthors(addReactions(items, in: chat, db), user: chat.userId, db), db)
    }

    /// Adds the files to the items.
    private static func addFiles(_ items: [ItemRecord], _ db: StoreConnection) throws -> [ItemRecord] {
        let ids = items.compactMap(\.fileId)
        guard !ids.isEmpty else { return items }
        let files = try FileRecord.findAll(ids, in: db)
        return items.map { item in
            var item = item
            item.file = item.fileId.flatMap { files[$0] }
            return item
        }
    }

    /// Adds the mentioned members to the items.
    static func addMentionedMembers(
        _ items: [ItemRecord],
        user userId: Int64,
        _ db: StoreConnection
    ) throws -> [ItemRecord] {
        guard items.contains(where: { !$0.mentions.memberIDs.isEmpty }) else { return items }
        return try items.map { item in
            guard let groupId = item.groupId, !item.mentions.memberIDs.isEmpty else { return item }
            var item = item
            for id in item.mentions.memberIDs.values {
                item.mentionedMembers[id] = try MemberRecord.find(id, group: groupId, user: userId, db)
            }
            return item
        }
    }

    private static func addAuthors(
        _ items: [ItemRecord],
        user userId: Int64,
        _ db: StoreConnection
    ) throws -> [ItemRecord] {
        let items = try addMentionedMembers(items, user: userId, db)
        let authors = Set(
            items.compactMap(\.authorId) + items.compactMap(\.hidingReason?.moderatorId)
                + items.compactMap(\.quotedAuthorId)
        ).subtracting([0])
        guard !authors.isEmpty else { return items }
        // The connections of the members in `authors` are left out, as in the original.
        let members = try MemberRecord.findAll(authors, user: userId, in: db).mapValues { member in
            var member = member
            member.connection = nil
            return member
        }
        return items.map { item in
            var item = item
            item.authorRecord = item.authorId.flatMap { members[$0] }
            if let quoted = item.quotedAuthorId.flatMap({ members[$0] }) {
                item.quotedMessage?.chatDir = .groupRcv(groupMember: quoted.api)
            }
            item.moderatorRecord = item.hidingReason?.moderatorId.flatMap { members[$0] }
            return item
        }
    }

    private static func addReactions(_ items: [ItemRecord], _ db: StoreConnection) throws -> [ItemRecord] {
        var reactions: [Int64: [CIReactionCount]] = [:]
        for chunk in items.map(\.itemId).chunks(of: 500) {
            let rows = try db.query(
                """
                SELECT i.chat_item_id AS id, r.reaction AS reaction, max(r.reaction_sent) AS sent, count(*) AS n
                FROM chat_items i JOIN chat_item_reactions r
                  ON r.user_id = i.user_id AND r.chat_type = i.chat_type AND r.chat_id = i.chat_id AND r.shared_msg_id = i.shared_msg_id
                  AND r.item_author_id = coalesce(i.author_member_id, 0)
                WHERE i.chat_item_id IN (\(placeholders(chunk.count))) GROUP BY i.chat_item_id, r.reaction ORDER BY r.reaction
                """,
                chunk.arguments
            )
            for row in rows {
                reactions[try row.int64("id"), default: []].append(
                    CIReactionCount(
                        reaction: try StoredJSON.decode(MsgReaction.self, row.string("reaction")),
                        userReacted: try row.bool("sent"),
                        totalReacted: try row.readClampedCount("n")
                    )
                )
            }
        }
        guard !reactions.isEmpty else { return items }
        return items.map { item in
            var item = item
            item.reactions = reactions[item.itemId] ?? []
            return item
        }
    }

    /// Adds to each item the reactions of the user and of the peers, sorted by their stored text. Items without a
    /// shared id, such as notes, have no reactions.
    private static func addReactions(
        _ items: [ItemRecord],
        in chat: some Conversation,
        _ db: StoreConnection
    ) throws -> [ItemRecord] {
        let shared = items.compactMap(\.sharedID)
        guard !shared.isEmpty else { return items }
        var reactions: [ReactedItem: [CIReactionCount]] = [:]
        for chunk in shared.chunks(of: 500) {
            let marks = placeholders(chunk.count)
            let rows = try db.query(
                """
                SELECT shared_msg_id, item_author_id, reaction, max(reaction_sent) AS sent, count(*) AS n
                FROM chat_item_reactions WHERE user_id = ? AND chat_type = ? AND chat_id = ? AND shared_msg_id IN (\(marks))
                GROUP BY shared_msg_id, item_author_id, reaction ORDER BY reaction
                """,
                chat.keyArguments + chunk.map(\.bytes).arguments
            )
            for row in rows {
                let reaction = try StoredJSON.decode(MsgReaction.self, row.string("reaction"))
                let key = ReactedItem(
                    sharedID: SharedMessageID(bytes: try row.blob("shared_msg_id")),
                    authorId: try row.int64("item_author_id")
                )
                reactions[key, default: []].append(
                    CIReactionCount(
                        reaction: reaction,
                        userReacted: try row.bool("sent"),
                        totalReacted: try row.readClampedCount("n")
                    )
                )
            }
        }
        guard !reactions.isEmpty else { return items }
        return items.map { item in
            var item = item
            item.reactions =
                item.sharedID.flatMap { reactions[ReactedItem(sharedID: $0, authorId: item.authorId ?? 0)] } ?? []
            return item
        }
    }
}

/// The fields by which a reaction refers to an item.
private struct ReactedItem: Hashable {
    let sharedID: SharedMessageID
    let authorId: Int64
}
