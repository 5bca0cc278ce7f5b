internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import SimpleXCrypto
internal import SQLCipher

extension RunningCommand {
    /// `/badge add`: stores a badge that the issuer has signed, and sends the profile with the badge to the contacts
    /// who know the profile.
    func addBadge(_ credential: BadgeCredential, user: UserRecord) async throws -> ChatResponse {
        guard let key = services.configuration.badgeKeys[credential.badgeKeyIdx] else {
            throw ChatFailure.commandError("unknown badge key index")
        }
        guard credential.isValid(with: key) else {
            throw ChatFailure.commandError("badge credential does not verify against configured key")
        }
        let made = OwnBadge(credential, issuer: key.rawRepresentation, at: .now)
        let proofs = try await makeBadgeProofs(made, user: user)
        return try await store.writeAndAnswer { tx in
            let check = BadgeCheck(valid: credential.badgeInfo, at: tx.now)
            try tx.db.update(
                "contact_profiles",
                set: [
                    "badge_credential": try StoredJSON.encode(credential), "badge_issuer": key.rawRepresentation,
                    "badge_status": check.status.rawValue, "badge_changes_at": check.statusChangesAt?.nanoseconds,
                    "updated_at": tx.now.nanoseconds,
                ],
                where: ["contact_profile_id": user.profileId]
            )
            if check.statusChangesAt != nil { tx.followUpWork.insert(.expiringItems) }
            // Members of groups get the profile with the user's next message.
            try tx.db.update(
                "users",
                set: ["user_member_profile_updated_at": tx.now.nanoseconds, "updated_at": tx.now.nanoseconds],
                where: ["user_id": user.userId]
            )
            try AddressRecord.markLinkDataStale(of: user, tx)
            let updated = try Self.getUser(user.userId, tx.db)
            var proofs = proofs
            for contact in try ContactRecord.all(user: user.userId, in: tx.db) where !contact.isIncognito {
                guard let connection = try? contact.requireSendableConnection(user) else { continue }
                let profile = updated.profileToSend(preferences: contact.userPreferences, fallsBackToTTL: false)
                let message = try ChatMessage.makeProfileMessage(proofs.makeProfileWithNextProof(profile, of: updated))
                do { try tx.enqueue(message, to: connection) } catch let failure as ChatFailure {
                    try tx.emit(.chatError(chatError: failure.error), user: user.userId)
                }
            }
            return .cmdOk(user_: updated.api)
        }
    }

    /// Makes proofs of a badge for all contacts of a user who know the profile.
    func makeBadgeProofs(_ badge: OwnBadge?, user: UserRecord) async throws -> BadgeProofs {
        guard let badge else { return try await BadgeProofs(nil, contacts: 0) }
        let contacts = try await store.read { db in
            try ContactRecord.all(user: user.userId, in: db).count { !$0.isIncognito }
        }
        return try await BadgeProofs(badge, contacts: contacts)
    }
}
