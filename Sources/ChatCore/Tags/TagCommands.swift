internal import ChatAPI
internal import ChatStore
internal import SQLCipher

extension RunningCommand {
    /// `/_get tags`: returns the tags of the user.
    func getChatTags(user: UserRecord) async throws -> ChatResponse {
        try await store.read { db in
            .chatTags(user: user.api, userTags: try ChatTags.findAll(user: user.userId, in: db))
        }
    }

    /// `/_create tag`: creates a tag at the end of the user's list of tags.
    func createChatTag(_ data: ChatTagData, user: UserRecord) async throws -> ChatResponse {
        try await store.writeAndAnswer { tx in
            try ChatTags.create(data, user: user.userId, tx)
            return .chatTags(user: user.api, userTags: try ChatTags.findAll(user: user.userId, in: tx.db))
        }
    }

    /// `/_tags`: replaces the tags of a chat.
    func setChatTags(_ tagIds: [Int64], of key: ChatKey, user: UserRecord) async throws -> ChatResponse {
        try await store.writeAndAnswer { tx in
            let chat = try key.getConversation(user, tx.db)
            try tx.db.delete(
                from: "chat_tags_chats",
                where: [
                    "user_id": chat.userId, "chat_type": chat.chatKey.kind.rawValue, "chat_id": chat.chatKey.chatId,
                ]
            )
            let tagIds = Set(tagIds).sorted()
            for tagId in tagIds {
                guard try ChatTags.exists(tagId, user: user.userId, tx.db) else {
                    throw ChatFailure(StoreError.foreignKeyViolation(message: "FOREIGN KEY constraint failed"))
                }
                try tx.db.insert(
                    into: "chat_tags_chats",
                    [
                        "user_id": chat.userId, "chat_type": chat.chatKey.kind.rawValue,
                        "chat_id": chat.chatKey.chatId, "chat_tag_id": tagId,
                    ]
                )
            }
            return .tagsUpdated(
                user: user.api,
                userTags: try ChatTags.findAll(user: user.userId, in: tx.db),
                chatTags: tagIds
            )
        }
    }

    /// `/_delete tag`: deletes a tag, and removes it from its chats. A missing tag is not an error.
    func deleteChatTag(_ tagId: Int64, user: UserRecord) async throws -> ChatResponse {
        try await store.writeAndAnswer { tx in
            try tx.db.delete(from: "chat_tags", where: ["user_id": user.userId, "chat_tag_id": tagId])
            return .cmdOk(user_: user.api)
        }
    }

    /// `/_update tag`: changes the text and the emoji of a tag.
    func updateChatTag(_ tagId: Int64, _ data: ChatTagData, user: UserRecord) async throws -> ChatResponse {
        try await store.writeAndAnswer { tx in
            try ChatTags.update(tagId, data, user: user.userId, tx)
            return .cmdOk(user_: user.api)
        }
    }

    /// `/_reorder tags`: puts the given tags first, in the given order. The other tags follow.
    func reorderChatTags(_ tagIds: [Int64], user: UserRecord) async throws -> ChatResponse {
        try await store.writeAndAnswer { tx in
            let known = try ChatTags.findAll(user: user.userId, in: tx.db).map(\.chatTagId)
            var order: [Int64] = []
            var placed: Set<Int64> = []
            for tagId in tagIds + known where known.contains(tagId) && placed.insert(tagId).inserted {
                order.append(tagId)
            }
            for (position, tagId) in order.enumerated() {
                try tx.db.update(
                    "chat_tags",
                    set: ["tag_order": Int64(position + 1)],
                    where: ["user_id": user.userId, "chat_tag_id": tagId]
                )
            }
            return .cmdOk(user_: user.api)
        }
    }
}
