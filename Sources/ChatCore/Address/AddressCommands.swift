internal import Agent
internal import ChatAPI
internal import ChatStore
internal import JSON
internal import SQLCipher
internal import SimpleXCrypto

/// Commands about a user's address.
extension RunningCommand {
    /// `/_address`: creates an address for contact requests, and stores the address in the database. The queue of the
    /// address is at a server of the user.
    func createAddress(user: UserRecord) async throws -> ChatResponse {
        let exists = try await store.read { db in try AddressRecord.find(user: user.userId, in: db) != nil }
        guard !exists else { throw ChatFailure(StoreError.duplicateContactLink) }
        let data = try ShortLinkData.encode(user, AddressSettings(businessAddress: false))
        let key = claim?.agentRequestID
        // The address of a channel relay gets this key. The relay signs its answers to tests with the key, and owners
        // of channels check the signatures with the public key.
        let root = try Ed25519.PrivateKey()
        let identity =
            user.isChatRelay
            ? LinkIdentity(rootKey: root, entityID: Digest.sha256(root.publicKey.rawRepresentation)) : nil
        let (id, request, short) = try await services.withAgent {
            try await $0.createAddress(
                user: user.agentUserId,
                userData: data,
                type: user.isChatRelay ? .relay : .contact,
                identity: identity,
                for: key,
                patience: .interactive
            )
        }
        let created = try await store.write { tx -> ChatResponse? in
            guard try AddressRecord.find(user: user.userId, in: tx.db) == nil else {
                // A concurrent command has already stored an address, so the new address of this command is deleted.
                try tx.requestDeletionInAgent(of: id.text, user: user.userId)
                return nil
            }
            try tx.db.insert(
                into: "user_addresses",
                [
                    "user_id": user.userId, "connection_id": try ConnectionRecord.reserveRowId(in: tx.db),
                    "agent_conn_id": id.text, "conn_full_link": request.uri, "conn_short_link": short?.shownURI,
                    "settings": try StoredJSON.encode(AddressSettings(businessAddress: false)),
                    "created_at": tx.now.nanoseconds,
                ]
            )
            return try tx.storeAnswer(
                .userContactLinkCreated(
                    user: user.api,
                    connLinkContact: CreatedConnLink(connFullLink: request.uri, connShortLink: short?.shownURI)
                )
            )
        }
        guard let created else { throw ChatFailure(StoreError.duplicateContactLink) }
        return created
    }

    /// `/_delete_address`: deletes the address, and removes the address from the profile. Contacts with undecided
    /// requests remain, but these requests can no longer be accepted.
    func deleteAddress(user: UserRecord) async throws -> ChatResponse {
        try await store.write { tx in
            let address = try AddressRecord.get(user: user, in: tx.db)
            try tx.requestDeletionInAgent(of: address.agentConnId, user: user.userId)
            try tx.db.execute("DELETE FROM user_addresses WHERE user_contact_link_id = ?", [address.linkId])
            // The address is deleted, so no connection may refer to it.
            try tx.db.update(
                "connections",
                set: ["via_user_contact_link": nil],
                where: ["user_id": user.userId, "via_user_contact_link": address.linkId]
            )
        }
        var updated = user
        if user.profile.contactLink != nil {
            var profile = user.profile
            profile.contactLink = nil
            _ = try await updateProfile(profile, user: user)
            updated = try await store.read { db in try Self.getUser(user.userId, db) }
        }
        return .userContactLinkDeleted(user: updated.api)
    }

    /// `/_show_address`: returns the user's address.
    func showAddress(user: UserRecord) async throws -> ChatResponse {
        try await store.read { db in
            .userContactLink(user: user.api, contactLink: try AddressRecord.get(user: user, in: db).api)
        }
    }

    /// `/_short_link_address`: replaces the data behind the short link. An address without a short link gets a short
    /// link.
    func addAddressShortLink(user: UserRecord) async throws -> ChatResponse {
        let address = try await store.read { db in try AddressRecord.get(user: user, in: db) }
        return .userContactLink(
            user: user.api,
            contactLink: try await refreshLinkData(address, user).api
        )
    }

    /// `/_profile_address`: adds the address to the profile that contacts get, or removes the address from this
    /// profile.
    func setProfileAddress(_ enable: Bool, user: UserRecord) async throws -> ChatResponse {
        let address = try await store.read { db in try AddressRecord.get(user: user, in: db) }
        var profile = user.profile
        profile.contactLink = enable ? address.profileLink : nil
        return try await updateProfile(profile, user: user)
    }

    /// `/_address_settings`: sets how the address handles future requests.
    func setAddressSettings(_ settings: AddressSettings, user: UserRecord) async throws -> ChatResponse {
        let address = try await store.read { db in try AddressRecord.get(user: user, in: db) }
        if settings.autoAccept?.acceptIncognito == true {
            guard address.shortLink == nil else {
                throw ChatFailure.commandError("incognito not allowed for address with short link data")
            }
            guard !settings.businessAddress else {
                throw ChatFailure.commandError("a business address shows its own profile: accept without incognito")
            }
        }
        if settings == address.settings { return .userContactLinkUpdated(user: user.api, contactLink: address.api) }
        // If the program stops before it stores the new settings, the next start of the program writes the old settings
        // to the link again.
        if address.shortLink != nil {
            try await store.write { tx in try AddressRecord.markLinkDataStale(of: user, isUnderway: true, tx) }
        }
        do {
            if address.shortLink != nil { try await refreshLinkData(address, user, settings) }
            return try await store.writeAndAnswer { tx in
                try AddressRecord.get(user: user, in: tx.db).storeSettings(settings, of: user, tx)
                return .userContactLinkUpdated(
                    user: user.api,
                    contactLink: try AddressRecord.get(user: user, in: tx.db).api
                )
            }
        } catch {
            // The link may already have the new settings, although the database still has the old settings. The address
            // is marked, so that the background worker writes the old settings to the link again.
            try? await store.write { try AddressRecord.markLinkDataStale(of: user, $0) }
            throw error
        }
    }
}
