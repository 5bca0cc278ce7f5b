internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import Concurrency
internal import JSON
internal import SQLCipher

/// The badge of the user, which the user presents to contacts and groups.
struct OwnBadge: Hashable, Sendable {
    let credential: BadgeCredential
    /// The encoded public key of the issuer.
    let issuerKey: [UInt8]
    let status: BadgeStatus

    /// Reads the badge in the row of the user's profile; nil without a badge. An unreadable badge also gives nil,
    /// because the user must stay readable.
    init?(_ row: Row) throws {
        guard let text = try row.stringOrNil("badge_credential"),
            let credential = try? StoredJSON.decode(BadgeCredential.self, text)
        else { return nil }
        self.credential = credential
        issuerKey = try row.blobOrNil("badge_issuer") ?? []
        status = try row.stringOrNil("badge_status").map(BadgeStatus.init(rawValue:)) ?? .unknownKey
    }

    var api: LocalBadge { LocalBadge(badge: credential.badgeInfo, status: status) }

    /// Makes a proof for one receiver; nil for a badge that receivers would not show.
    func makeProof() -> BadgeProof? { isShown ? credential.makeProof(issuer: issuerKey) : nil }

    /// Whether receivers would show the badge.
    fileprivate var isShown: Bool { status == .active || status == .expired }
}

extension OwnBadge {
    /// Makes the badge of a credential that was checked.
    init(_ credential: BadgeCredential, issuer: [UInt8], at now: Timestamp) {
        self.credential = credential
        self.issuerKey = issuer
        status = BadgeCheck(valid: credential.badgeInfo, at: now).status
    }
}

/// Proofs of the user's badge for the contacts to which one change of the profile is sent. A proof takes about 8 ms,
/// and all other writes wait for a write transaction. So the proofs are made before the write transaction, on a thread
/// for blocking work.
struct BadgeProofs: Sendable {
    /// The maximum number of proofs for one change. With more contacts, some contacts get equal proofs.
    static let maxProofs = 1_000

    private let credential: BadgeCredential?
    private var proofs: [BadgeProof]
    private var usedProofCount = 0

    /// Makes one proof for each contact, up to the limit. Makes no proof for a badge that receivers would not show.
    init(_ badge: OwnBadge?, contacts: Int, limit: Int = BadgeProofs.maxProofs) async throws {
        credential = badge?.credential
        proofs = []
        guard let badge else { return }
        for _ in 0..<min(contacts, limit) {
            guard let proof = try await runBlocking({ badge.makeProof() }) else { return }
            proofs.append(proof)
        }
    }

    /// The number of different proofs.
    var count: Int { proofs.count }

    /// Returns the profile with the next proof. One new proof is made for all contacts if there is no proof yet, or if
    /// another command has changed the badge after the proofs were made.
    mutating func makeProfileWithNextProof(_ profile: Profile, of user: UserRecord) -> Profile {
        var profile = profile
        profile.badge = takeNextProof(user.badge)
        return profile
    }

    private mutating func takeNextProof(_ badge: OwnBadge?) -> BadgeProof? {
        guard let badge, badge.isShown else { return nil }
        if badge.credential != credential || proofs.isEmpty {
            self = BadgeProofs(badge.credential, badge.makeProof().map { [$0] } ?? [])
        }
        guard !proofs.isEmpty else { return nil }
        defer { usedProofCount += 1 }
        return proofs[usedProofCount % proofs.count]
    }

    private init(_ credential: BadgeCredential, _ proofs: [BadgeProof]) {
        self.credential = credential
        self.proofs = proofs
    }
}

extension UserRecord {
    /// Returns the profile with a new proof of the user's badge. Must not be called for an incognito profile.
    func profileWithNewProof(_ profile: Profile) -> Profile {
        var profile = profile
        profile.badge = badge?.makeProof()
        return profile
    }

    /// Returns the profile to send to a new contact: the incognito profile if there is one, otherwise the user's
    /// profile with the badge.
    func profileWithNewProof(incognito: Profile?) -> Profile {
        incognito == nil ? profileWithNewProof(profileToSend()) : profileToSend(incognito: incognito)
    }

    /// Makes the message that sends a profile with the user's badge to a contact.
    func makeProfileMessage(_ profile: Profile) throws -> ChatMessage {
        try .makeProfileMessage(profileWithNewProof(profile))
    }
}

extension ChatMessage {
    /// Makes the message that sends a profile.
    static func makeProfileMessage(_ profile: Profile) throws -> ChatMessage {
        ChatMessage(event: .info(profile: try JSONEncoder().encodeValue(profile)))
    }
}
