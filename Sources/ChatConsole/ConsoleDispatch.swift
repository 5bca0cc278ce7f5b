package import ChatAPI

/// Runs terminal commands, which contain names instead of ids: finds the ids for the names, and runs the equivalent
/// command with ids.
package struct Console<Engine: ConsoleEngine>: Sendable {
    let engine: Engine

    package init(_ engine: Engine) { self.engine = engine }

    /// Runs a command that contains ids instead of names. The command has the rights of the terminal command's sender.
    func run(_ command: ChatCommand, as userId: Int64?) async throws -> ChatResponse {
        try await engine.run(command, as: userId)
    }

    package func run(_ command: ConsoleCommand, as userId: Int64?) async throws -> ChatResponse {
        switch command {
        case .ownUser(let action): return try await run(action, user: engine.findUser(userId))
        case .user(let name, .activate(let password)):
            let id = try await resolveUserId(.user(name))
            return try await run(.users(.setActiveUser(userId: id, viewPwd: password)), as: nil)
        case .user(let name, .delete(let password)):
            // A password belongs to a hidden user. With a password, a visible user of the same name is not deleted.
            let id = try await resolveUserId(password == nil ? .user(name) : .hiddenUser(name))
            do {
                return try await run(.users(.deleteUser(userId: id, delSMPQueues: true, viewPwd: password)), as: userId)
            } catch let failure as ChatFailure {
                guard case .error(errorType: .userUnknown) = failure.error else { throw failure }
                throw ChatFailure(StoreError.userNotFoundByName(contactName: name))
            }
        case .request(let name, let action):
            let id = try await resolveRequestId(named: name, user: engine.findUser(userId))
            let command: ContactCommand =
                switch action {
                case .accept(let incognito): .acceptContact(incognito: incognito, contactReqId: id)
                case .reject: .rejectContact(contactReqId: id)
                }
            return try await run(.contacts(command), as: userId)
        case .contact(let name, let action):
            let user = try await engine.findUser(userId)
            return try await run(action, of: resolveContactId(named: name, user: user), user: user)
        case .group(let name, let action):
            let user = try await engine.findUser(userId)
            return try await run(action, in: resolveGroupId(named: name, user: user), user: user)
        case .chat(let name, let action): return try await run(action, in: name, user: engine.findUser(userId))
        }
    }

    /// Returns the id of a user; 0 for an unknown name. No user has the id 0, so the command fails like a command with a
    /// wrong password of a hidden user. Otherwise, the answer would show whether a hidden user has this name.
    private func resolveUserId(_ name: ConsoleName) async throws -> Int64 { try await engine.findId(of: name) ?? 0 }

    private func resolveRequestId(named name: String, user: Engine.User) async throws -> Int64 {
        guard let id = try await engine.findId(of: .request(name, userId: user.userId)) else {
            throw ChatFailure(StoreError.contactRequestNotFoundByName(contactName: name))
        }
        return id
    }

    func resolveContactId(named name: String, user: Engine.User) async throws -> Int64 {
        guard let id = try await findContactId(named: name, user) else {
            throw ChatFailure(StoreError.contactNotFoundByName(contactName: name))
        }
        return id
    }

    func findContactId(named name: String, _ user: Engine.User) async throws -> Int64? {
        try await engine.findId(of: .contact(name, userId: user.userId))
    }

    func resolveGroupId(named name: String, user: Engine.User) async throws -> Int64 {
        guard let id = try await engine.findId(of: .group(name, userId: user.userId)) else {
            throw ChatFailure(StoreError.groupNotFoundByName(groupName: name))
        }
        return id
    }

    private func run(
        _ action: ConsoleCommand.ContactAction,
        of contactId: Int64,
        user: Engine.User
    ) async throws -> ChatResponse {
        let command: ChatCommand =
            switch action {
            case .showInfo: .contacts(.contactInfo(contactId: contactId))
            case .delete(let mode):
                .contacts(.deleteChat(chat: ChatRef(chatType: .direct, chatId: contactId), mode: mode))
            case .showSecurityCode: .security(.getContactCode(contactId: contactId))
            case .verifySecurityCode(let code): .security(.verifyContact(contactId: contactId, connectionCode: code))
            case .enable: .contacts(.enableContact(contactId: contactId))
            case .switchQueue: .security(.switchContact(contactId: contactId))
            case .abortQueueSwitch: .security(.abortSwitchContact(contactId: contactId))
            case .syncRatchet(let force): .security(.syncContactRatchet(contactId: contactId, force: force))
            case .showQueueInfo: .diagnostics(.contactQueueInfo(contactId: contactId))
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
                        preferences: try await readChangedPreferences(contactId, user) { preferences in
                            preferences[feature] = allowed.map { SimplePreference(allow: $0) }
                        }
                    )
                )
            case .setTimedMessages(let wish):
                .contacts(
                    .setContactPrefs(
                        contactId: contactId,
                        preferences: try await readChangedPreferences(contactId, user) { preferences in
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

    /// Reads the user's preferences for a contact, applies `change` to them, and returns the result without storing it.
    private func readChangedPreferences(
        _ contactId: Int64,
        _ user: Engine.User,
        _ change: (inout Preferences) -> Void
    ) async throws -> Preferences {
        let chat = ChatRef(chatType: .direct, chatId: contactId)
        guard case .direct(let contact) = try await engine.readInfo(of: chat, user) else {
            throw ChatFailure(StoreError.contactNotFound(contactId: contactId))
        }
        var preferences = contact.userPreferences
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
