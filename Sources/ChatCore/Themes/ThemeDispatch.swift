internal import ChatAPI
internal import ChatStore
internal import SQLCipher

extension RunningCommand {
    func run(_ command: ThemeCommand, as userId: Int64?) async throws -> ChatResponse {
        switch command {
        case .setUserUIThemes(let named, let themes): return try await setUserThemes(themes, of: named, as: userId)
        case .setChatUIThemes(let chat, let themes):
            if chat.chatType == .local || chat.chatType == .contactConnection || chat.chatScope != nil {
                throw ChatFailure.commandError("not supported")
            }
            return try await setChatThemes(themes, of: ChatKey(chat), user: findUser(userId))
        }
    }

    /// `/_set theme user`: sets the theme of a user. The user does not have to be the active user.
    private func setUserThemes(
        _ themes: UIThemeEntityOverrides?,
        of named: Int64,
        as userId: Int64?
    ) async throws -> ChatResponse {
        try await store.writeAndAnswer { tx in
            let user = try Self.findUserOrActive(userId, tx.db)
            guard let target = try UserRecord.find(named, in: tx.db), target.isActive || !target.isHidden else {
                throw ChatFailure(StoreError.userNotFound(userId: named))
            }
            try tx.db.update(
                "users",
                set: ["ui_themes": try themes.map(StoredJSON.encode), "updated_at": tx.now.nanoseconds],
                where: ["user_id": target.userId]
            )
            return .cmdOk(user_: user.api)
        }
    }

    /// `/_set theme`: sets the theme of a chat.
    private func setChatThemes(
        _ themes: UIThemeEntityOverrides?,
        of chat: ChatKey,
        user: UserRecord
    ) async throws -> ChatResponse {
        try await store.writeAndAnswer { tx in
            try chat.setChatColumns(
                ["ui_themes": try themes.map(StoredJSON.encode), "updated_at": tx.now.nanoseconds],
                user,
                tx.db
            )
            return .cmdOk(user_: user.api)
        }
    }
}
