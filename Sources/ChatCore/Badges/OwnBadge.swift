internal import ChatAPI
internal import ChatProtocol
internal import JSON
internal import SimpleXCrypto
internal import SQLCipher

/// The badge of the user, which the user presents to contacts and groups.
struct OwnBadge: Hashable, Sendable {
    let credential: BadgeCredential
    /// The encoded public key of the issuer.
    let issuer: [UInt8]
    let status: BadgeStatus

    /// Reads the columns of the user's profile; nil without a badge.
    init?(_ row: Row) throws {
        guard let credential = try StoredJSON.decodeIfPresent(BadgeCredential.self, row.stringOrNil("badge_credential"))
        else { return nil }
        self.credential = credential
        issuer = try row.blobOrNil("badge_issuer") ?? []
        status = try row.stringOrNil("badge_status").map(BadgeStatus.init(rawValue:)) ?? .unknownKey
    }

    var api: LocalBadge { LocalBadge(badge: credential.badgeInfo, status: status) }

    /// A proof for one receiver; nil for a badge that receivers would not show.
    func presentation() -> BadgeProof? {
        status == .active || status == .expired ? credential.proof(issuer: issuer) : nil
    }
}

extension UserRecord {
    /// The profile with a new proof of the user's badge. Must not be called for an incognito profile.
    func presented(_ profile: Profile) -> Profile {
        var profile = profile
        profile.badge = badge?.presentation()
        return profile
    }

    /// The profile that is sent to a new contact, with the user's badge unless there is an incognito profile.
    func presented(incognito: Profile?) -> Profile {
        incognito == nil ? presented(profileToSend()) : profileToSend(incognito: incognito)
    }

    /// The message that sends a profile to a contact, with the user's badge.
    func info(_ profile: Profile) throws -> ChatMessage { try .info(presented(profile)) }
}

extension ChatMessage {
    /// The message that sends a profile.
    static func info(_ profile: Profile) throws -> ChatMessage {
        ChatMessage(event: .info(profile: try JSONEncoder().encodeValue(profile)))
    }
}

extension BadgeCredential {
    /// The number of bytes of the master key.
    static let masterKeySize = 32
    /// The kind of a presentation header that is not bound to a chat.
    private static let unbound = UInt8(ascii: "T")
    /// The number of random bytes of a presentation header.
    private static let nonceSize = 16

    /// Whether the issuer has signed the badge.
    func isValid(with key: BBS.PublicKey) -> Bool {
        guard let master = masterKeyBytes, let signature = try? Base64URL.decode(signature) else { return false }
        return key.isValid(
            signature: signature,
            header: BadgeInfo.header,
            messages: [master.bytes] + badgeInfo.messages
        )
    }

    /// Makes a proof for one receiver; nil if the values of the credential have wrong forms. Proofs cannot be linked
    /// with each other.
    func proof(issuer: [UInt8]) -> BadgeProof? {
        let header = [Self.unbound] + RandomBytes.make(count: Self.nonceSize)
        guard let master = masterKeyBytes, let signature = try? Base64URL.decode(signature),
            let proof = try? BBS.proof(
                of: signature,
                issuer: issuer,
                header: BadgeInfo.header,
                presentationHeader: header,
                messages: [master.bytes] + badgeInfo.messages,
                hidden: [0]
            )
        else { return nil }
        return BadgeProof(
            badgeKeyIdx: badgeKeyIdx,
            presHeader: Base64URL.encode(header),
            proof: Base64URL.encode(proof),
            badgeInfo: badgeInfo
        )
    }

    private var masterKeyBytes: SecretBytes? {
        (try? Base64URL.decode(masterKey)).map { SecretBytes($0) }.flatMap { $0.count == Self.masterKeySize ? $0 : nil }
    }
}

extension RunningCommand {
    /// `/badge add`: stores a badge that the issuer has signed, and sends the profile with the badge to the contacts who
    /// know the profile.
    func addBadge(_ credential: BadgeCredential, user: UserRecord) async throws -> ChatResponse {
        guard let key = services.configuration.badgeKeys[credential.badgeKeyIdx] else {
            throw ChatFailure.command("unknown badge key index")
        }
        guard credential.isValid(with: key) else {
            throw ChatFailure.command("badge credential does not verify against configured key")
        }
        return try await store.answer { tx in
            let check = BadgeCheck(valid: credential.badgeInfo, at: tx.now)
            try tx.db.execute(
                """
                UPDATE contact_profiles SET badge_credential = ?, badge_issuer = ?, badge_status = ?, badge_changes_at = ?, updated_at = ?
                WHERE contact_profile_id = ?
                """,
                [
                    try StoredJSON.encode(credential), key.rawRepresentation, check.status.rawValue,
                    check.changesAt?.nanoseconds, tx.now.nanoseconds, user.profileId,
                ]
            )
            if check.changesAt != nil { tx.followUp.insert(.expiringItems) }
            // Members of groups get the profile with the next message.
            try tx.db.execute(
                "UPDATE users SET user_member_profile_updated_at = ?, updated_at = ? WHERE user_id = ?",
                [tx.now.nanoseconds, tx.now.nanoseconds, user.userId]
            )
            try AddressRecord.profileChanged(of: user, tx)
            let updated = try Self.user(user.userId, tx.db)
            for contact in try ContactRecord.all(user: user.userId, in: tx.db) where !contact.isIncognito {
                guard let connection = try? contact.sendable(user) else { continue }
                let profile = updated.profileToSend(preferences: contact.userPreferences, fallsBackToTTL: false)
                do { try tx.enqueue(updated.info(profile), to: connection) } catch let failure as ChatFailure {
                    try tx.emit(.chatError(chatError: failure.error), user: user.userId)
                }
            }
            return .cmdOk(user_: updated.api)
        }
    }
}
