internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import JSON
internal import SQLCipher

/// The badge of the user, which the user presents to contacts and groups.
struct OwnBadge: Hashable, Sendable {
    let credential: BadgeCredential
    /// The encoded public key of the issuer.
    let issuer: [UInt8]
    let status: BadgeStatus

    /// Reads the columns of the user's profile; nil without a badge, and for an unreadable badge, so that the user stays
    /// readable.
    init?(_ row: Row) throws {
        guard let text = try row.stringOrNil("badge_credential"),
            let credential = try? StoredJSON.decode(BadgeCredential.self, text)
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
