internal import ChatAPI
internal import ChatStore
internal import SQLCipher

extension RunningCommand {
    /// `/_hide user`: hides a user, and disables the user's notifications. Commands for the hidden user then need the
    /// user's password, unless the user is active.
    func hideUser(_ userId: Int64, password: String, active: UserRecord) async throws -> ChatResponse {
        try await changePrivacy(of: userId, active: active) { user, tx in
            guard !user.isHidden else { throw ChatFailure(ChatErrorType.userAlreadyHidden(userId: userId)) }
            guard !password.isEmpty else { throw ChatFailure(ChatErrorType.emptyUserPassword(userId: userId)) }
            let visible = try UserRecord.all(in: tx.db).filter { !$0.isHidden && $0.userId != userId }
            guard !visible.isEmpty else { throw ChatFailure(ChatErrorType.cantHideLastUser(userId: userId)) }
            let kept = ViewPassword.makeSaltedHash(password)
            try tx.db.update(
                "users",
                set: ["view_pwd_hash": kept.hash, "view_pwd_salt": kept.salt, "show_ntfs": 0],
                where: ["user_id": userId]
            )
        }
    }

    /// `/_unhide user`: makes a hidden user visible again.
    func unhideUser(_ userId: Int64, password: String, active: UserRecord) async throws -> ChatResponse {
        try await viewPasswordTries.runTry(password) {
            try await changePrivacy(of: userId, password: password, active: active) { user, tx in
                guard user.isHidden else { throw ChatFailure(ChatErrorType.userNotHidden(userId: userId)) }
                // Unlike other commands, this command needs the password even for the active user.
                guard ViewPassword.matches(user, password) else { throw ChatFailure(ChatErrorType.userUnknown) }
                try tx.db.execute(
                    "UPDATE users SET view_pwd_hash = NULL, view_pwd_salt = NULL, show_ntfs = 1 WHERE user_id = ?",
                    [userId]
                )
            }
        }
    }

    /// `/_mute user`, `/_unmute user`: disables or enables the notifications of a user.
    func setNotifications(of userId: Int64, shown: Bool, active: UserRecord) async throws -> ChatResponse {
        try await changePrivacy(of: userId, active: active) { user, tx in
            guard !user.isHidden else { throw ChatFailure(ChatErrorType.hiddenUserAlwaysMuted(userId: userId)) }
            try tx.db.update("users", set: ["show_ntfs": shown], where: ["user_id": userId])
        }
    }

    private func changePrivacy(
        of userId: Int64,
        password: String? = nil,
        active: UserRecord,
        _ change: @escaping @Sendable (UserRecord, Transaction) throws -> Void
    ) async throws -> ChatResponse {
        try await store.writeAndAnswer { tx in
            try change(ViewPassword.authorize(UserRecord.find(userId, in: tx.db), password), tx)
            tx.hasChangedUsers = true
            return .userPrivacy(
                user: try Self.getUser(active.userId, tx.db).api,
                updatedUser: try Self.getUser(userId, tx.db).api
            )
        }
    }

    /// `/_set receipts contacts`, `/_set receipts groups`: sets whether a user sends receipts to contacts, or in small
    /// groups. Clears the settings of single contacts or groups on request.
    func setReceipts(
        _ kind: ReceiptKind,
        _ settings: UserMsgReceiptSettings,
        of userId: Int64,
        active: UserRecord
    ) async throws -> ChatResponse {
        try await changeUser(userId, active: active) { tx in
            let (column, table) =
                switch kind {
                case .contacts: ("send_rcpts_contacts", "contacts")
                case .groups: ("send_rcpts_small_groups", "groups")
                }
            try tx.db.update("users", set: [column: settings.enable], where: ["user_id": userId])
            if settings.clearOverrides {
                try tx.db.update(table, set: ["send_rcpts": nil], where: ["user_id": userId])
            }
        }
    }

    /// Changes the settings of the user `userId`, who need not be the active user. The response contains the user
    /// `active`.
    private func changeUser(
        _ userId: Int64,
        active: UserRecord,
        _ change: @escaping @Sendable (Transaction) throws -> Void
    ) async throws -> ChatResponse {
        try await store.writeAndAnswer { tx in
            _ = try ViewPassword.authorize(UserRecord.find(userId, in: tx.db), nil)
            try change(tx)
            return .cmdOk(user_: active.api)
        }
    }

    enum ReceiptKind: Sendable { case contacts, groups }

    /// `/set receipts all`: sets whether receipts are sent, for all users that are not hidden.
    func setAllReceipts(_ enabled: Bool) async throws -> ChatResponse {
        try await store.writeAndAnswer { tx in
            try tx.db.execute(
                """
                UPDATE users SET send_rcpts_contacts = :send_rcpts_contacts,
                send_rcpts_small_groups = :send_rcpts_small_groups WHERE view_pwd_hash IS NULL
                """,
                ["send_rcpts_contacts": enabled, "send_rcpts_small_groups": enabled]
            )
            return .cmdOk(user_: nil)
        }
    }

    /// `/_set accept member contacts`: sets whether requests of group members for a direct chat are accepted
    /// automatically.
    func setAutoAcceptMemberContacts(_ enabled: Bool, of userId: Int64, active: UserRecord) async throws -> ChatResponse
    {
        try await changeUser(userId, active: active) { tx in
            try tx.db.update("users", set: ["auto_accept_member_contacts": enabled], where: ["user_id": userId])
        }
    }

    /// `/_set accept group invitations`: sets whether invitations to groups are accepted automatically.
    func setAutoAcceptGroupInvitations(
        _ enabled: Bool,
        of userId: Int64,
        active: UserRecord
    ) async throws -> ChatResponse {
        try await changeUser(userId, active: active) { tx in
            try tx.db.update("users", set: ["auto_accept_group_invitations": enabled], where: ["user_id": userId])
        }
    }

    /// `/_read user`: marks all items of the user as read, and removes the unread marks of contacts and notes.
    func markAllItemsRead(user: UserRecord) async throws -> ChatResponse {
        try await store.writeAndAnswer { tx in
            try tx.db.execute(
                """
                UPDATE chat_items SET item_status = 'rcvRead', updated_at = :updated_at
                WHERE user_id = :user_id AND item_status = 'rcvNew'
                """,
                ["updated_at": tx.now.nanoseconds, "user_id": user.userId]
            )
            try tx.db.execute("UPDATE contacts SET unread_chat = 0 WHERE user_id = ?", [user.userId])
            try tx.db.execute("UPDATE note_folders SET unread_chat = 0 WHERE user_id = ?", [user.userId])
            return .cmdOk(user_: user.api)
        }
    }
}
