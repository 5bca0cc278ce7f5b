internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import ChatText
internal import JSON
internal import SMP
internal import SimpleXCrypto
internal import SQLCipher

extension RunningCommand {
    /// `/u`: returns the active user.
    func showActiveUser() async throws -> ChatResponse {
        guard let user = try await store.read({ try UserRecord.findActive(in: $0) }) else {
            throw ChatFailure(ChatErrorType.noActiveUser)
        }
        return .activeUser(user: user.api)
    }

    /// `/_create user`: creates a user. Activates the user if the command requests it, or if there is no active user.
    func createActiveUser(_ new: NewUser) async throws -> ChatResponse {
        // A new user without a profile gets a random name.
        var chosen = new.profile ?? Profile(displayName: RandomName.make(), fullName: "")
        // A SimpleX name must lead to the user's address, and a new user has no address. So the profile gets no SimpleX
        // name.
        chosen.contactDomain = nil
        chosen.badge = nil
        let profile = chosen
        try DisplayName.check(profile.displayName)
        // The user in the agent's database is created first. Without a user in the chat database, it is harmless. A
        // user in the chat database could not connect without a user in the agent's database.
        let isFree = try await store.read { db in try UserNames.makeStoredName(profile.displayName, in: db) != nil }
        guard isFree else { throw ChatFailure(ChatErrorType.userExists(contactName: profile.displayName)) }
        let (servers, key) = (try await prepareInitialServers(new.servers), claim?.agentRequestID)
        let agentServers = try await services.makeAgentServers(servers, in: store)
        let agentUserId = try await services.withAgent { agent in
            try await agent.createUser(
                servers: agentServers.relays,
                fileServers: agentServers.files,
                isService: new.clientService,
                for: key
            )
        }
        return try await store.writeAndAnswer { tx in
            guard let name = try UserNames.makeStoredName(profile.displayName, in: tx.db) else {
                throw ChatFailure(ChatErrorType.userExists(contactName: profile.displayName))
            }
            // A user with a past timestamp is created with a time 30 days ago, so that it is sorted after the users in
            // use.
            let createdAt = new.pastTimestamp ? tx.now.adding(seconds: -30 * 86400) : tx.now
            let userId = try Self.insertUser(new, profile, name: name, agentUserId, at: createdAt, tx)
            for server in servers { try ServerRecord.insert(server, user: userId, in: tx.db) }
            if services.configuration.addsContactCards {
                let presets = new.servers.map(ServerPresets.init) ?? services.configuration.serverPresets
                let made = try Self.getUser(userId, tx.db)
                for card in presets.operators.flatMap(\.contactCards) { try card.add(to: made, tx) }
            }
            try services.addChatRelays(new.servers, user: userId, in: tx.db)
            // The first user becomes active even if the command does not request this. So a store with users always has
            // an active user.
            let staysInactive = try !new.isActivated && UserRecord.findActive(in: tx.db) != nil
            guard staysInactive else { return .activeUser(user: try Self.activateUser(userId, tx).api) }
            tx.hasChangedUsers = true
            return .activeUser(user: try Self.getUser(userId, tx.db).api)
        }
    }

    /// Inserts the rows of a new user.
    /// - Parameter name: the stored name, which no other user has.
    /// - Returns: the id of the user.
    private static func insertUser(
        _ new: NewUser,
        _ profile: Profile,
        name: String,
        _ agentUserId: Int64,
        at createdAt: Timestamp,
        _ tx: Transaction
    ) throws -> Int64 {
        try tx.db.insert(
            into: "contact_profiles",
            [
                "display_name": profile.displayName, "profile": try StoredJSON.encode(profile),
                "created_at": createdAt.nanoseconds, "updated_at": createdAt.nanoseconds,
            ]
        )
        let profileId = tx.db.lastInsertRowID
        try tx.db.insert(
            into: "users",
            [
                "agent_user_id": agentUserId, "contact_profile_id": profileId, "local_display_name": name,
                "chat_relay": new.userChatRelay, "client_service": new.clientService,
                "created_at": createdAt.nanoseconds, "updated_at": createdAt.nanoseconds,
            ]
        )
        let userId = tx.db.lastInsertRowID
        try tx.db.update("contact_profiles", set: ["user_id": userId], where: ["contact_profile_id": profileId])
        _ = try LocalDisplayNames.create(profile.displayName, user: userId, in: tx.db)
        try NoteFolderRecord.create(user: userId, at: createdAt, in: tx.db)
        return userId
    }

    /// Returns the servers of a new user. If the user has chosen other servers than those of the configuration, also
    /// stores the operators of the chosen servers.
    private func prepareInitialServers(_ wanted: InitialServers?) async throws -> [NewServer] {
        guard let wanted = wanted.map(ServerPresets.init), wanted != services.configuration.serverPresets else {
            return services.chooseServers()
        }
        let servers = try services.chooseServers(chosen: wanted)
        try await store.write { tx in try ServerOperators.storePresets(wanted.operators, tx) }
        return servers
    }

    /// `/users`: returns all users that are not hidden, and the active user even if it is hidden.
    func listUsers() async throws -> ChatResponse {
        try await store.read { db in
            let users = try UserRecord.all(in: db).filter { !$0.isHidden || $0.isActive }
            let counts = try ChatCounts.countUnreadItemsByUser(db)
            return .usersList(users: users.map { UserInfo(user: $0.api, unreadCount: counts[$0.userId] ?? 0) })
        }
    }

    /// `/_user`: activates a user. A hidden user is activated only with its password.
    func setActiveUser(_ userId: Int64, password: String?) async throws -> ChatResponse {
        try await viewPasswordTries.runTry(password) {
            try await store.writeAndAnswer { tx in
                _ = try ViewPassword.authorize(UserRecord.find(userId, in: tx.db), password)
                return .activeUser(user: try Self.activateUser(userId, tx).api)
            }
        }
    }

    /// `/_delete user`: deletes a user. The active user can be deleted only if no other visible user exists. The agent
    /// deletes its data of the user later. With `deletingQueues`, the agent also deletes the queues on the relays.
    func deleteUser(_ userId: Int64, deletingQueues: Bool, password: String?) async throws -> ChatResponse {
        try await viewPasswordTries.runTry(password) { try await deleteUser(userId, deletingQueues, password) }
    }

    private func deleteUser(_ userId: Int64, _ deletingQueues: Bool, _ password: String?) async throws -> ChatResponse {
        try await store.writeAndAnswer { tx in
            let user = try ViewPassword.authorize(UserRecord.find(userId, in: tx.db), password)
            let others = try UserRecord.all(in: tx.db).filter { $0.userId != userId && !$0.isHidden }
            guard !user.isActive || others.isEmpty else {
                throw ChatFailure(ChatErrorType.cantDeleteActiveUser(userId: userId))
            }
            try tx.db.execute("DELETE FROM contacts WHERE user_id = ?", [userId])
            try tx.db.execute("DELETE FROM users WHERE user_id = ?", [userId])
            // The entries of the user in the journal are deleted with the user.
            try tx.deleteEvents(of: userId)
            tx.hasChangedUsers = true
            try tx.db.insert(
                into: "retired_users",
                or: .replace,
                ["agent_user_id": user.agentUserId, "del_smp_queues": deletingQueues]
            )
            tx.followUpWork.insert(.retiredConnections)
            // An event is emitted only if the queues on the relays are deleted too.
            if deletingQueues { try tx.emit(.agentUserDeleted(agentUserId: user.agentUserId), user: nil) }
            return .cmdOk(user_: nil)
        }
    }

    /// `/_profile`: changes the profile, except its SimpleX name (`/_set domain`).
    func setProfile(_ profile: Profile, user: UserRecord) async throws -> ChatResponse {
        var profile = profile
        profile.contactDomain = user.profile.contactDomain
        profile.badge = nil
        return try await updateProfile(profile, user: user)
    }

    /// Changes the profile, and sends it to all contacts that know the user by this profile.
    func updateProfile(_ profile: Profile, user: UserRecord) async throws -> ChatResponse {
        guard profile != user.profile else { return .userProfileNoChange(user: user.api) }
        // An unchanged name is not checked again, since it was valid when it was chosen.
        if profile.displayName != user.profile.displayName { try DisplayName.check(profile.displayName) }
        let proofs = try await makeBadgeProofs(user.badge, user: user)
        return try await store.writeAndAnswer { tx in
            if profile.displayName != user.profile.displayName {
                // The new name must also differ from the local names of the user's contacts.
                let taken = try tx.db.firstRow(
                    "SELECT 1 FROM display_names WHERE user_id = :user_id AND local_display_name = :local_display_name",
                    ["user_id": user.userId, "local_display_name": profile.displayName]
                )
                guard taken == nil,
                    let stored = try UserNames.makeStoredName(profile.displayName, except: user.userId, in: tx.db)
                else {
                    throw ChatFailure(StoreError.duplicateName)
                }
                try LocalDisplayNames.delete(user.localDisplayName, user: user.userId, in: tx.db)
                _ = try LocalDisplayNames.create(profile.displayName, user: user.userId, in: tx.db)
                try tx.db.update("users", set: ["local_display_name": stored], where: ["user_id": user.userId])
            }
            try tx.db.update(
                "contact_profiles",
                set: [
                    "display_name": profile.displayName, "profile": try StoredJSON.encode(profile),
                    "updated_at": tx.now.nanoseconds,
                ],
                where: ["contact_profile_id": user.profileId]
            )
            try tx.db.update("users", set: ["updated_at": tx.now.nanoseconds], where: ["user_id": user.userId])
            // Members of groups get the new profile only if the display name, the full name or the picture has changed.
            let (new, old) = (profile, user.profile)
            if new.displayName != old.displayName || new.fullName != old.fullName || new.image != old.image {
                try tx.db.update(
                    "users",
                    set: ["user_member_profile_updated_at": tx.now.nanoseconds],
                    where: ["user_id": user.userId]
                )
            }
            try AddressRecord.markLinkDataStale(of: user, tx)
            let updated = try Self.getUser(user.userId, tx.db)
            let summary = try Self.announceProfile(updated, instead: user, proofs, tx)
            return .userProfileUpdated(
                user: updated.api,
                fromProfile: user.profile,
                toProfile: profile,
                updateSummary: summary
            )
        }
    }

    /// Sends the changed profile of a user to all contacts, except contacts that know an incognito profile instead.
    /// Writes items about changed preferences into the chats with the contacts.
    private static func announceProfile(
        _ user: UserRecord,
        instead before: UserRecord,
        _ proofs: BadgeProofs,
        _ tx: Transaction
    ) throws -> UserProfileUpdateSummary {
        var proofs = proofs
        var sent = 0
        var errors: [ChatError] = []
        var changed: [Contact] = []
        var items: [AChatItem] = []
        for contact in try ContactRecord.all(user: user.userId, in: tx.db) where !contact.isIncognito {
            guard let connection = try? contact.requireSendableConnection(before) else { continue }
            let profile = user.profileToSend(preferences: contact.userPreferences, fallsBackToTTL: false)
            guard profile != before.profileToSend(preferences: contact.userPreferences, fallsBackToTTL: false) else {
                continue
            }
            do {
                try tx.enqueue(.makeProfileMessage(proofs.makeProfileWithNextProof(profile, of: user)), to: connection)
            } catch let failure as ChatFailure {
                errors.append(failure.error)
                continue
            }
            sent += 1
            let differs = DirectFeature.allCases.contains {
                contact.feature($0, user: before) != contact.feature($0, user: user)
            }
            guard differs else { continue }
            var updated = contact
            let written = try FeatureItems.writeChangeItems(from: contact, before, to: &updated, user, side: .user, tx)
            let shown = updated.api(user)
            items += written.map { $0.api(in: shown, at: tx.now) }
            changed.append(shown)
        }
        if !errors.isEmpty { try tx.emit(.chatErrors(chatErrors: errors), user: user.userId) }
        // One event contains the items of all contacts. It is emitted even without items.
        if sent + errors.count > 0 { try tx.emit(.newChatItems(user: user.api, chatItems: items), user: user.userId) }
        return UserProfileUpdateSummary(updateSuccesses: sent, updateFailures: errors.count, changedContacts: changed)
    }

    private static func activateUser(_ userId: Int64, _ tx: Transaction) throws -> UserRecord {
        tx.hasChangedUsers = true
        let order =
            try tx.db.firstRow("SELECT coalesce(max(active_order), 0) + 1 AS next FROM users")?.int64("next") ?? 1
        try tx.db.execute("UPDATE users SET active_user = 0 WHERE active_user = 1")
        try tx.db.update("users", set: ["active_user": 1, "active_order": order], where: ["user_id": userId])
        return try getUser(userId, tx.db)
    }

    /// Finds a user.
    /// - Throws: `userUnknown`.
    static func getUser(_ userId: Int64, _ db: StoreConnection) throws -> UserRecord {
        guard let user = try UserRecord.find(userId, in: db) else { throw ChatFailure(ChatErrorType.userUnknown) }
        return user
    }
}
