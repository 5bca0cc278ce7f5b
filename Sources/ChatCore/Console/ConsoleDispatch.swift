internal import ChatAPI

/// The execution of terminal commands: resolves names, and runs the command with ids that has the same effect.
struct Console {
    /// The execution of the terminal command. The commands with ids run through it.
    let terminal: RunningCommand
    let rights: CommandRights

    /// Runs a command with ids. The command has the rights of the terminal command's sender.
    func run(_ command: ChatCommand, as userId: Int64?) async throws -> ChatResponse {
        try await terminal.run(command, as: userId, with: rights)
    }

    func run(_ command: ConsoleCommand, as userId: Int64?) async throws -> ChatResponse {
        switch command {
        case .own(let action): return try await run(action, user: terminal.user(userId))
        case .user(let name, .activate(let password)):
            return try await run(.users(.setActiveUser(userId: self.userId(named: name), viewPwd: password)), as: nil)
        case .user(let name, .delete(let password)):
            let other = try await terminal.store.read { db in
                guard let row = try db.first("SELECT user_id FROM users WHERE local_display_name = ?", [name]) else {
                    throw ChatFailure(StoreError.userNotFoundByName(contactName: name))
                }
                return try row.int64("user_id")
            }
            return try await run(.users(.deleteUser(userId: other, delSMPQueues: true, viewPwd: password)), as: userId)
        case .request(let name, let action):
            let id = try await requestId(named: name, user: terminal.user(userId))
            let command: ContactCommand =
                switch action {
                case .accept(let incognito): .acceptContact(incognito: incognito, contactReqId: id)
                case .reject: .rejectContact(contactReqId: id)
                }
            return try await run(.contacts(command), as: userId)
        case .contact(let name, let action):
            let user = try await terminal.user(userId)
            return try await run(action, of: contactId(named: name, user: user), user: user)
        case .group(let name, let action):
            let user = try await terminal.user(userId)
            return try await run(action, in: groupId(named: name, user: user), user: user)
        case .chat(let name, let action): return try await run(action, in: name, user: terminal.user(userId))
        }
    }

    private func userId(named name: String) async throws -> Int64 {
        let id = try await terminal.store.read { db in
            try db.first("SELECT user_id FROM users WHERE local_display_name = ?", [name])?.int64("user_id")
        }
        guard let id else { throw ChatFailure(ChatErrorType.userUnknown) }
        return id
    }

    private func requestId(named name: String, user: UserRecord) async throws -> Int64 {
        let id = try await terminal.store.read { db in
            try db.first(
                """
                SELECT r.contact_request_id AS id FROM contact_requests r
                JOIN contacts c ON c.user_id = r.user_id AND c.contact_id = r.contact_id
                WHERE r.user_id = ? AND c.local_display_name = ? ORDER BY id DESC LIMIT 1
                """,
                [user.userId, name]
            )?.int64("id")
        }
        guard let id else { throw ChatFailure(StoreError.contactRequestNotFoundByName(contactName: name)) }
        return id
    }

    func contactId(named name: String, user: UserRecord) async throws -> Int64 {
        guard let id = try await contactIdIfAny(named: name, user) else {
            throw ChatFailure(StoreError.contactNotFoundByName(contactName: name))
        }
        return id
    }

    func contactIdIfAny(named name: String, _ user: UserRecord) async throws -> Int64? {
        try await terminal.store.read { db in
            try db.first(
                "SELECT contact_id FROM contacts WHERE user_id = ? AND local_display_name = ?",
                [user.userId, name]
            )?
            .int64("contact_id")
        }
    }

    func groupId(named name: String, user: UserRecord) async throws -> Int64 {
        let id = try await terminal.store.read { db in
            try db.first(
                "SELECT group_id FROM groups WHERE user_id = ? AND local_display_name = ?",
                [user.userId, name]
            )?.int64("group_id")
        }
        guard let id else { throw ChatFailure(StoreError.groupNotFoundByName(groupName: name)) }
        return id
    }

    private func run(
        _ action: ConsoleCommand.ContactAction,
        of contactId: Int64,
        user: UserRecord
    ) async throws -> ChatResponse {
        let command: ChatCommand =
            switch action {
            case .info: .contacts(.contactInfo(contactId: contactId))
            case .delete(let mode):
                .contacts(.deleteChat(chat: ChatRef(chatType: .direct, chatId: contactId), mode: mode))
            case .code: .security(.getContactCode(contactId: contactId))
            case .verify(let code): .security(.verifyContact(contactId: contactId, connectionCode: code))
            case .enable: .contacts(.enableContact(contactId: contactId))
            case .switch: .security(.switchContact(contactId: contactId))
            case .abortSwitch: .security(.abortSwitchContact(contactId: contactId))
            case .sync(let force): .security(.syncContactRatchet(contactId: contactId, force: force))
            case .queueInfo: .diagnostics(.contactQueueInfo(contactId: contactId))
            case .call:
                .calls(
                    .sendCallInvitation(
                        contactId: contactId,
                        callType: CallType(media: .video, capabilities: CallCapabilities(encryption: true))
                    )
                )
            case .setPreference(let feature, let allowed):
                .contacts(
                    .setContactPrefs(
                        contactId: contactId,
                        preferences: try await preferences(contactId, user) { preferences in
                            preferences[feature] = allowed.map { SimplePreference(allow: $0) }
                        }
                    )
                )
            case .setTimedMessages(let wish):
                .contacts(
                    .setContactPrefs(
                        contactId: contactId,
                        preferences: try await preferences(contactId, user) { preferences in
                            let ttl = preferences.timedMessages?.ttl
                            preferences.timedMessages =
                                switch wish {
                                case nil: nil
                                case .on(let ttl)?: TimedMessagesPreference(allow: .yes, ttl: ttl)
                                case .onKeepingTTL?: TimedMessagesPreference(allow: .yes, ttl: ttl)
                                case .off?: TimedMessagesPreference(allow: .no, ttl: ttl)
                                }
                        }
                    )
                )
            }
        return try await run(command, as: user.userId)
    }

    /// The user's preferences for this contact after a change.
    private func preferences(
        _ contactId: Int64,
        _ user: UserRecord,
        _ change: (inout Preferences) -> Void
    ) async throws -> Preferences {
        var preferences = try await terminal.store.read { db in
            try ContactRecord.get(contactId, user: user, in: db).userPreferences
        }
        change(&preferences)
        return preferences
    }
}

extension Preferences {
    subscript(feature: ConsoleFeature) -> SimplePreference? {
        get {
            switch feature {
            case .voice: voice
            case .files: files
            case .calls: calls
            case .delete: fullDelete
            }
        }
        set {
            switch feature {
            case .voice: voice = newValue
            case .files: files = newValue
            case .calls: calls = newValue
            case .delete: fullDelete = newValue
            }
        }
    }
}
