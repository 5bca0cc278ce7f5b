internal import Agent
internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import JSON
internal import SQLCipher

extension RunningCommand {
    /// `/_contacts`: lists the contacts that have a connection. Requests, prepared contacts, and deleted contacts with
    /// a kept chat have no connection.
    func listContacts(user: UserRecord) async throws -> ChatResponse {
        try await store.read { db in
            let contacts = try ContactRecord.all(user: user.userId, in: db).filter { $0.connection != nil }
            return .contactsList(user: user.api, contacts: contacts.map { $0.api(user) })
        }
    }

    /// `/_info @`: returns the contact, with the agent's statistics if the contact has a connection.
    func showContactInfo(_ contactId: Int64, user: UserRecord) async throws -> ChatResponse {
        let (contact, incognito) = try await store.read { db in
            let contact = try ContactRecord.get(contactId, user: user, in: db)
            return (contact, try IncognitoProfile.find(contact.connection?.incognitoProfileId, in: db))
        }
        var stats: ConnectionStats?
        if let connection = contact.connection, let id = connection.agentConnectionID {
            try connection.checkNotDeleted()
            stats = ConnectionStats(
                try await services.withAgent { try await $0.fetchConnectionQueueStates(id) },
                services.agent
            )
        }
        return .contactInfo(
            user: user.api,
            contact: contact.api(user),
            connectionStats_: stats,
            customUserProfile: incognito
        )
    }

    /// `/_set alias @`: sets the alias of a contact.
    func setContactAlias(_ contactId: Int64, _ alias: String, user: UserRecord) async throws -> ChatResponse {
        try await store.writeAndAnswer { tx in
            var contact = try ContactRecord.get(contactId, user: user, in: tx.db)
            contact.localAlias = alias
            try tx.db.update(
                "contact_profiles",
                set: ["local_alias": alias, "updated_at": tx.now.nanoseconds],
                where: ["contact_profile_id": contact.profileId]
            )
            return .contactAliasUpdated(user: user.api, toContact: contact.api(user))
        }
    }

    /// `/_enable @`: resets the count of authentication errors of the connection, so that messages are sent again.
    func enableContact(_ contactId: Int64, user: UserRecord) async throws -> ChatResponse {
        try await store.writeAndAnswer { tx in
            let contact = try ContactRecord.get(contactId, user: user, in: tx.db)
            guard let connection = contact.connection else {
                throw ChatFailure(ChatErrorType.contactNotActive(contact: contact.api(user)))
            }
            try tx.db.execute(
                "UPDATE connections SET auth_err_counter = 0 WHERE connection_id = ?",
                [connection.connectionId]
            )
            return .cmdOk(user_: user.api)
        }
    }

    /// `/_set alias :`: sets the alias of a pending connection. The contact of the connection gets this alias.
    func setConnectionAlias(_ connectionId: Int64, _ alias: String, user: UserRecord) async throws -> ChatResponse {
        try await store.writeAndAnswer { tx in
            var connection = try ConnectionRecord.getPending(connectionId, user: user, in: tx.db)
            connection.localAlias = alias
            connection.updatedAt = tx.now
            try tx.db.update(
                "connections",
                set: ["local_alias": alias, "updated_at": tx.now.nanoseconds],
                where: ["connection_id": connectionId]
            )
            return .connectionAliasUpdated(user: user.api, toConnection: connection.apiPendingConnection)
        }
    }

    /// `/_set prefs @`: sets the user's preferences for one contact, and sends these preferences to the contact. The
    /// preferences for the contact override the preferences of the user's profile.
    func setContactPreferences(
        _ contactId: Int64,
        _ preferences: Preferences,
        user: UserRecord
    ) async throws -> ChatResponse {
        try await store.writeAndAnswer { tx in
            let before = try ContactRecord.get(contactId, user: user, in: tx.db)
            guard let connection = before.connection else {
                throw ChatFailure(ChatErrorType.contactNotActive(contact: before.api(user)))
            }
            guard before.userPreferences != preferences else {
                return .contactPrefsUpdated(user: user.api, fromContact: before.api(user), toContact: before.api(user))
            }
            var contact = before
            contact.userPreferences = preferences
            try tx.db.update(
                "contacts",
                set: ["user_preferences": try StoredJSON.encode(preferences), "updated_at": tx.now.nanoseconds],
                where: ["user_id": user.userId, "contact_id": contactId]
            )
            contact.updatedAt = tx.now
            let sent = try user.profileToSend(
                over: connection,
                preferences: before.userPreferences,
                fallsBackToTTL: false,
                in: tx.db
            )
            let new = try user.profileToSend(
                over: connection,
                preferences: preferences,
                fallsBackToTTL: false,
                in: tx.db
            )
            if new != sent {
                do {
                    try tx.enqueue(
                        connection.incognitoProfileId == nil ? user.makeProfileMessage(new) : .makeProfileMessage(new),
                        to: contact.requireSendableConnection(user)
                    )
                } catch let failure as ChatFailure {
                    // The message with the preferences cannot be sent. The preferences are stored nevertheless, and the
                    // contact gets the preferences when it connects.
                    try tx.emit(.chatError(chatError: failure.error), user: user.userId)
                }
                try FeatureItems.emitChangeItems(from: before, user, to: &contact, user, side: .user, tx)
            }
            return .contactPrefsUpdated(user: user.api, fromContact: before.api(user), toContact: contact.api(user))
        }
    }
}

// MARK: Deleting

extension RunningCommand {
    /// `/_delete @`: deletes the contact with the chat, or only the contact, or only the messages. If only the contact
    /// is deleted, the chat stays readable.
    func deleteContact(_ contactId: Int64, _ mode: ChatDeleteMode, user: UserRecord) async throws -> ChatResponse {
        let undecided = try await store.read { db in
            try ContactRecord.get(contactId, user: user, in: db).requestId
                .flatMap { try ContactRequestRecord.find($0, user: user, in: db) }.flatMap {
                    $0.connectionId == nil ? $0.invitationID : nil
                }
        }
        let answer = try await store.writeAndAnswer { tx in
            var contact = try ContactRecord.get(contactId, user: user, in: tx.db)
            switch mode {
            case .full(let notify):
                let answer = ChatResponse.contactDeleted(user: user.api, contact: contact.api(user))
                try Self.deleteEntirely(contact, notify: notify, user, tx)
                return answer
            case .entity(let notify):
                try CallRecord.endForDeletedContact(contact, user, tx)
                try Self.retireConnections(of: contact, notify: notify, tx)
                contact.connection = nil
                try contact.setStatus(.deletedByUser, tx)
                return .contactDeleted(user: user.api, contact: contact.api(user))
            case .messages:
                try ItemDeletion.deleteAllItems(contact, tx)
                contact.isChatDeleted = true
                try tx.db.update(
                    "contacts",
                    set: ["chat_deleted": 1],
                    where: ["user_id": user.userId, "contact_id": contactId]
                )
                return .contactDeleted(user: user.api, contact: contact.api(user))
            }
        }
        // The agent still stores the undecided request of the contact, so the request is rejected.
        if case .full = mode, let undecided { try await services.agent.rejectRequest(undecided) }
        return answer
    }

    /// Deletes the contact with its chat, its connections and its requests.
    static func deleteEntirely(_ contact: ContactRecord, notify: Bool, _ user: UserRecord, _ tx: Transaction) throws {
        try retireConnections(of: contact, notify: notify, tx)
        try tx.db.delete(from: "contacts", where: ["user_id": user.userId, "contact_id": contact.contactId])
        // The contact may be a member of groups. The member stays, with its profile and name.
        try tx.db.update(
            "group_members",
            set: ["contact_id": nil],
            where: ["user_id": user.userId, "contact_id": contact.contactId]
        )
        if tx.db.changeCount == 0 {
            try tx.db.execute("DELETE FROM contact_profiles WHERE contact_profile_id = ?", [contact.profileId])
            try LocalDisplayNames.delete(contact.localDisplayName, user: user.userId, in: tx.db)
        }
        try tx.redactChat(contact)
    }

    private static func retireConnections(of contact: ContactRecord, notify: Bool, _ tx: Transaction) throws {
        let own = try ConnectionRecord.all(of: contact, in: tx.db)
        for connection in own { try tx.retireConnection(connection, farewell: notify && contact.isActive) }
        // A repeated request has several connections. Remove all of them: otherwise the next request would reuse the
        // request id, and the peer would mistake the new request for the request that it has already answered.
        for id in own.compactMap(\.requestID) {
            for connection in try ConnectionRecord.findPending(requestID: id, user: contact.userId, in: tx.db) {
                try tx.retireConnection(connection, farewell: false)
            }
        }
    }

    /// `/_delete :`: deletes a pending connection.
    func deletePendingConnection(_ connectionId: Int64, user: UserRecord) async throws -> ChatResponse {
        let connection = try await store.write { tx in
            let connection = try ConnectionRecord.getPending(connectionId, user: user, in: tx.db)
            try tx.retireConnection(connection, farewell: false)
            return connection
        }
        return .contactConnectionDeleted(user: user.api, connection: connection.apiPendingConnection)
    }
}

extension ContactRecord {
    mutating func setStatus(_ status: ContactStatus, _ tx: Transaction) throws {
        self.status = status
        updatedAt = tx.now
        try tx.db.update(
            "contacts",
            set: ["contact_status": status.rawValue, "updated_at": tx.now.nanoseconds],
            where: ["user_id": userId, "contact_id": contactId]
        )
    }
}
