internal import ChatAPI
internal import ChatStore
internal import ChatText
internal import SQLCipher

extension RunningCommand {
    /// `/_get item info`: returns an item with all its versions, the newest first. If the item was forwarded and the
    /// original still exists, the answer also contains the original.
    func getItemInfo(_ itemId: Int64, in key: ChatKey, user: UserRecord) async throws -> ChatResponse {
        try await store.read { db in
            let chat = try key.getConversation(user, db)
            let item = try ItemQueries.get(itemId, in: chat, db)
            var info = ChatItemInfo(itemVersions: try Self.readVersions(of: item, db))
            if item.isSent, key.isOfGroup { info.memberDeliveryStatuses = try GroupItemStatuses.all(of: itemId, db) }
            if let originId = item.forwardOrigin?.originItemId,
                let origin = try item.forwardOrigin?.originChat?.getConversation(user, db)
            {
                info.forwardedFromChatItem = try ItemQueries.findItems([originId], in: origin, db).first?.api(
                    in: origin.chatInfo(user),
                    at: .now
                )
            }
            return .chatItemInfo(
                user: user.api,
                chatItem: item.api(in: chat.chatInfo(user), at: .now),
                chatItemInfo: info
            )
        }
    }

    /// Returns the versions of an item. If the item was not changed, its content is the only version.
    private static func readVersions(of item: ItemRecord, _ db: StoreConnection) throws -> [ChatItemVersion] {
        let versions = try db.query(
            "SELECT * FROM chat_item_versions WHERE chat_item_id = ? ORDER BY chat_item_version_id DESC",
            [item.itemId]
        ).map { row in
            let content = try StoredJSON.decode(MsgContent.self, row.string("msg_content"))
            return ChatItemVersion(
                chatItemVersionId: try row.int64("chat_item_version_id"),
                msgContent: content,
                formattedText: MarkdownParser.parse(content.text),
                itemVersionTs: Timestamp(nanoseconds: try row.int64("item_version_ts")).api,
                createdAt: Timestamp(nanoseconds: try row.int64("created_at")).api
            )
        }
        guard versions.isEmpty, let content = item.messageContent else { return versions }
        return [
            ChatItemVersion(
                chatItemVersionId: item.itemId,
                msgContent: content,
                formattedText: MarkdownParser.parse(content.text),
                itemVersionTs: item.itemTs.api,
                createdAt: item.createdAt.api
            )
        ]
    }
}
