internal import ChatAPI
internal import SQLCipher

extension ChatController {
    /// `/_settings`: which messages notify, whether receipts are sent (nil: as the user does), whether the chat is a favourite.
    func setChatSettings(_ settings: ChatSettings, of contactId: Int64, user: UserRecord) async throws -> ChatResponse {
        try await store.answer { tx in
            _ = try ContactRecord.get(contactId, user: user, in: tx.db)
            try tx.db.execute(
                "UPDATE contacts SET enable_ntfs = ?, send_rcpts = ?, favorite = ? WHERE user_id = ? AND contact_id = ?",
                [settings.enableNtfs.rawValue, settings.sendRcpts, settings.favorite, user.userId, contactId])
            return .cmdOk(user_: user.api)
        }
    }

    /// `/_ttl`: how long messages are kept in the chats that have no time of their own.
    func setItemTTL(_ ttl: ItemTTL, user: UserRecord) async throws -> ChatResponse {
        try await store.answer { tx in
            try tx.db.execute("UPDATE users SET chat_item_ttl = ? WHERE user_id = ?", [ttl.seconds, user.userId])
            tx.followUp.insert(.expiringItems)
            return .cmdOk(user_: user.api)
        }
    }

    /// `/_ttl` without a time; 0 is for ever.
    func getItemTTL(user: UserRecord) async throws -> ChatResponse {
        try await store.read { db in
            let ttl = try db.first("SELECT chat_item_ttl FROM users WHERE user_id = ?", [user.userId])?.int64("chat_item_ttl")
            return .chatItemTTL(user: user.api, chatItemTTL: ttl ?? 0)
        }
    }

    /// `/_ttl` of a chat: its own time, or (nil) that of the user.
    func setChatTTL(_ ttl: ItemTTL?, of contactId: Int64, user: UserRecord) async throws -> ChatResponse {
        try await store.answer { tx in
            // The original says nothing of a contact that is not there.
            _ = try ContactRecord.get(contactId, user: user, in: tx.db)
            try tx.db.execute(
                "UPDATE contacts SET chat_item_ttl = ? WHERE user_id = ? AND contact_id = ?", [ttl?.seconds, user.userId, contactId])
            tx.followUp.insert(.expiringItems)
            return .cmdOk(user_: user.api)
        }
    }

    /// What is in notes stays, whatever is asked; that it should go sooner than the rest is told to be impossible, not answered.
    func keepNotes(_ noteFolderId: Int64, _ ttl: ItemTTL?, user: UserRecord) async throws -> ChatResponse {
        try await store.answer { tx in
            _ = try NoteFolderRecord.get(noteFolderId, user: user, in: tx.db)
            let general = try tx.db.first("SELECT chat_item_ttl FROM users WHERE user_id = ?", [user.userId])?.int64("chat_item_ttl") ?? 0
            let wanted = ttl?.seconds ?? general
            if wanted > 0, wanted < general || general == 0 {
                try tx.emit(.chatError(chatError: .error(errorType: .commandError(message: "not supported"))), user: user.userId)
            }
            return .cmdOk(user_: user.api)
        }
    }
}

/// For how long items are kept.
struct ItemTTL: Sendable {
    /// 0 is for ever.
    let seconds: Int64

    init(_ seconds: Int64) throws {
        // The original's parser knows no negative numbers here.
        guard seconds >= 0 else { throw ChatFailure.command("Failed reading: empty") }
        self.seconds = seconds
    }
}
