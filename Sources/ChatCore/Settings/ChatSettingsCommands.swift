internal import ChatAPI
internal import ChatStore
internal import JSON
internal import SQLCipher

extension RunningCommand {
    /// `/_settings`: sets the messages that cause notifications, whether receipts are sent, and whether the chat is a
    /// favourite. Without a value for receipts, the user's setting applies.
    func setChatSettings(_ settings: ChatSettings, of chat: ChatKey, user: UserRecord) async throws -> ChatResponse {
        try await store.writeAndAnswer { tx in
            try chat.setChatColumns(
                [
                    "enable_ntfs": settings.enableNtfs.rawValue, "send_rcpts": settings.sendRcpts,
                    "favorite": settings.favorite,
                ],
                user,
                tx.db
            )
            tx.followUpWork.insert(.notifications)
            return .cmdOk(user_: user.api)
        }
    }

    /// `/_set custom`: stores data of another program in a contact or a group.
    func setCustomData(_ data: JSONObject?, of chat: ChatKey, user: UserRecord) async throws -> ChatResponse {
        try await store.writeAndAnswer { tx in
            try chat.setChatColumns(
                ["custom_data": data.map { JSONValue.object($0).text }, "updated_at": tx.now.nanoseconds],
                user,
                tx.db
            )
            return .cmdOk(user_: user.api)
        }
    }

    /// `/_ttl`: sets the time after which messages are deleted in chats without their own time.
    func setItemTTL(_ ttl: ItemTTL, user: UserRecord) async throws -> ChatResponse {
        try await store.writeAndAnswer { tx in
            try tx.db.update("users", set: ["chat_item_ttl": ttl.seconds], where: ["user_id": user.userId])
            tx.followUpWork.insert(.expiringItems)
            return .cmdOk(user_: user.api)
        }
    }

    /// `/_ttl` without a time: returns the user's time in seconds, after which messages are deleted in chats without
    /// their own time; 0 if messages are never deleted.
    func getItemTTL(user: UserRecord) async throws -> ChatResponse {
        try await store.read { db in try Self.readItemTTL(of: user, db) }
    }

    static func readItemTTL(of user: UserRecord, _ db: StoreConnection) throws -> ChatResponse {
        let ttl = try db.queryFirst("SELECT chat_item_ttl FROM users WHERE user_id = ?", [user.userId])?.int64(
            "chat_item_ttl"
        )
        return .chatItemTTL(user: user.api, chatItemTTL: ttl ?? 0)
    }

    /// `/_ttl` of a chat: sets the time after which messages of the chat are deleted. Without a time, the user's time
    /// applies.
    func setChatTTL(_ ttl: ItemTTL?, of chat: ChatKey, user: UserRecord) async throws -> ChatResponse {
        try await store.writeAndAnswer { tx in
            // The original does not report a missing chat as an error.
            try chat.setChatColumns(["chat_item_ttl": ttl?.seconds], user, tx.db)
            tx.followUpWork.insert(.expiringItems)
            return .cmdOk(user_: user.api)
        }
    }

    /// `/_ttl` of notes: changes nothing, because notes never expire. The response is always `cmdOk`. A time above 0
    /// also causes an error event if it is shorter than the user's time for other chats, or if the user has no time for
    /// them.
    func setNotesTTL(_ noteFolderId: Int64, _ ttl: ItemTTL?, user: UserRecord) async throws -> ChatResponse {
        try await store.writeAndAnswer { tx in
            _ = try NoteFolderRecord.get(noteFolderId, user: user, in: tx.db)
            let general =
                try tx.db.queryFirst("SELECT chat_item_ttl FROM users WHERE user_id = ?", [user.userId])?.int64(
                    "chat_item_ttl"
                ) ?? 0
            let wanted = ttl?.seconds ?? general
            if wanted > 0, wanted < general || general == 0 {
                try tx.emit(
                    .chatError(chatError: .error(errorType: .commandError(message: "not supported"))),
                    user: user.userId
                )
            }
            return .cmdOk(user_: user.api)
        }
    }
}

/// The time after which items are deleted.
struct ItemTTL: Sendable {
    /// The time in seconds; 0 if items are never deleted.
    let seconds: Int64

    init(_ seconds: Int64) throws {
        // The parser of the original accepts no negative times.
        guard seconds >= 0 else { throw ChatFailure.commandError("Failed reading: empty") }
        self.seconds = seconds
    }
}
