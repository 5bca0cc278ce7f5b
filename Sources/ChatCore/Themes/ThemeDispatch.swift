internal import ChatAPI
internal import SQLCipher

extension ChatController {
    func run(_ command: ThemeCommand, as userId: Int64?) async throws -> ChatResponse {
        switch command {
        case .setUserUIThemes(let named, let themes): return try await setUserThemes(themes, of: named, as: userId)
        case .setChatUIThemes(let chat, let themes):
            if chat.chatType == .local || chat.chatType == .contactConnection { throw ChatFailure.command("not supported") }
            return try await setChatThemes(themes, of: Self.contact(chat, command.name), user: user(userId))
        }
    }

    /// `/_set theme user`: of any user, also one that is not active.
    private func setUserThemes(_ themes: UIThemeEntityOverrides?, of named: Int64, as userId: Int64?) async throws -> ChatResponse {
        try await store.answer { tx in
            let user = try Self.userOrActive(userId, tx.db)
            guard let target = try UserRecord.find(named, in: tx.db), target.isActive || !target.isHidden else {
                throw ChatFailure(StoreError.userNotFound(userId: named))
            }
            try tx.db.execute(
                "UPDATE users SET ui_themes = ?, updated_at = ? WHERE user_id = ?",
                [try themes.map(StoredJSON.encode), tx.now.nanoseconds, target.userId])
            return .cmdOk(user_: user.api)
        }
    }

    /// `/_set theme`
    private func setChatThemes(_ themes: UIThemeEntityOverrides?, of contactId: Int64, user: UserRecord) async throws -> ChatResponse {
        try await store.answer { tx in
            _ = try ContactRecord.get(contactId, user: user, in: tx.db)
            try tx.db.execute(
                "UPDATE contacts SET ui_themes = ? WHERE user_id = ? AND contact_id = ?",
                [try themes.map(StoredJSON.encode), user.userId, contactId])
            return .cmdOk(user_: user.api)
        }
    }
}
