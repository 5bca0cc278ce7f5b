internal import ChatAPI
internal import JSON
internal import SQLCipher

extension RunningCommand {
    /// `/_settings`: sets which messages notify, whether receipts are sent (nil: as for the user), and whether the chat
    /// is a favourite.
    func setChatSettings(_ settings: ChatSettings, of chat: ChatKey, user: UserRecord) async throws -> ChatResponse {
        let response: ChatResponse = try await store.answer { tx in
            try chat.update(
                "enable_ntfs = ?, send_rcpts = ?, favorite = ?",
                [settings.enableNtfs.rawValue, settings.sendRcpts, settings.favorite],
                user,
                tx.db
            )
            return .cmdOk(user_: user.api)
        }
        agent.reviewNotifications()
        return response
    }

    /// `/_set custom`: stores data of another program with a contact or a group.
    func setCustomData(_ data: JSONObject?, of chat: ChatKey, user: UserRecord) async throws -> ChatResponse {
        try await store.answer { tx in
            try chat.update(
                "custom_data = ?, updated_at = ?",
                [data.map { JSONValue.object($0).text }, tx.now.nanoseconds],
                user,
                tx.db
            )
            return .cmdOk(user_: user.api)
        }
    }

    /// `/_ttl`: sets the time for which messages are kept in chats without their own time.
    func setItemTTL(_ ttl: ItemTTL, user: UserRecord) async throws -> ChatResponse {
        try await store.answer { tx in
            try tx.db.execute("UPDATE users SET chat_item_ttl = ? WHERE user_id = ?", [ttl.seconds, user.userId])
            tx.followUp.insert(.expiringItems)
            return .cmdOk(user_: user.api)
        }
    }

    /// `/_ttl` without a time: returns the user's time in seconds; 0 means for ever.
    func getItemTTL(user: UserRecord) async throws -> ChatResponse {
        try await store.read { db in
            let ttl = try db.first("SELECT chat_item_ttl FROM users WHERE user_id = ?", [user.userId])?.int64(
                "chat_item_ttl"
            )
            return .chatItemTTL(user: user.api, chatItemTTL: ttl ?? 0)
        }
    }

    /// `/_ttl` of a chat: sets the chat's own time; nil means the user's time.
    func setChatTTL(_ ttl: ItemTTL?, of chat: ChatKey, user: UserRecord) async throws -> ChatResponse {
        try await store.answer { tx in
            // The original does not report a chat that does not exist.
            try chat.update("chat_item_ttl = ?", [ttl?.seconds], user, tx.db)
            tx.followUp.insert(.expiringItems)
            return .cmdOk(user_: user.api)
        }
    }

    /// `/_ttl` of notes. Notes never expire, so a TTL that would delete them sooner has no effect: the response is
    /// `cmdOk`, and an event reports the error.
    func keepNotes(_ noteFolderId: Int64, _ ttl: ItemTTL?, user: UserRecord) async throws -> ChatResponse {
        try await store.answer { tx in
            _ = try NoteFolderRecord.get(noteFolderId, user: user, in: tx.db)
            let general =
                try tx.db.first("SELECT chat_item_ttl FROM users WHERE user_id = ?", [user.userId])?.int64(
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

/// The time for which items are kept.
struct ItemTTL: Sendable {
    /// The time in seconds; 0 means for ever.
    let seconds: Int64

    init(_ seconds: Int64) throws {
        // The original's parser accepts no negative numbers here.
        guard seconds >= 0 else { throw ChatFailure.command("Failed reading: empty") }
        self.seconds = seconds
    }
}
