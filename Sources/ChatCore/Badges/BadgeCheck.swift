internal import ChatAPI
internal import SimpleXCrypto
internal import SQLCipher

/// The messages of a badge: the issuer signs the master key of the owner, the end of the validity, the type and a text.
/// A proof hides only the master key.
extension BadgeInfo {
    static let header = Array("SimpleX badges v1".utf8)

    /// The messages that a proof discloses.
    var messages: [[UInt8]] {
        [
            Array((badgeExpiry.map(Self.shortened) ?? "lifetime").utf8), Array(badgeType.rawValue.utf8),
            Array(badgeExtra.utf8),
        ]
    }

    /// The time without zeros at the end of the fraction: the form that is signed.
    private static func shortened(_ time: UTCTime) -> String {
        guard time.contains("."), time.hasSuffix("Z") else { return time }
        var digits = time.dropLast()
        while digits.last == "0" { digits.removeLast() }
        if digits.last == "." { digits.removeLast() }
        return digits + "Z"
    }
}

extension LocalBadge {
    /// The badge with the result of its check, `unknownKey` before a check; nil without a badge.
    init?(_ badge: BadgeInfo?, _ status: BadgeStatus?) {
        guard let badge else { return nil }
        self.init(badge: badge, status: status ?? .unknownKey)
    }
}

/// The result of the check of a badge.
struct BadgeCheck: Hashable, Sendable {
    /// The time in seconds for which an expired badge is shown as expired.
    static let expiredTime: Int64 = 31 * 86_400

    let status: BadgeStatus
    /// The time at which the status changes because the badge expires; nil if it does not change.
    let changesAt: Timestamp?

    /// Checks the proof in the profile of a peer.
    init(_ badge: BadgeProof, with keys: BadgeKeys, at now: Timestamp) {
        guard let key = keys[badge.badgeKeyIdx] else {
            self.init(.unknownKey)
            return
        }
        // The presentation header begins with a letter for its kind. This version accepts all kinds.
        guard let header = try? Base64URL.decode(badge.presHeader), !header.isEmpty,
            let proof = try? Base64URL.decode(badge.proof),
            key.isValid(
                proof: proof,
                header: BadgeInfo.header,
                presentationHeader: header,
                messages: [nil] + badge.badgeInfo.messages.map(Optional.some)
            )
        else {
            self.init(.failed)
            return
        }
        self.init(valid: badge.badgeInfo, at: now)
    }

    /// Makes the result for a badge with a valid proof.
    init(valid badge: BadgeInfo, at now: Timestamp) {
        guard let expiry = badge.badgeExpiry else {
            self.init(.active)
            return
        }
        guard let end = Timestamp(parsing: expiry) else {
            self.init(.failed)
            return
        }
        let gone = end.adding(seconds: Self.expiredTime)
        if now <= end {
            self.init(.active, end)
        } else if now <= gone {
            self.init(.expired, gone)
        } else {
            self.init(.expiredOld)
        }
    }

    private init(_ status: BadgeStatus, _ changesAt: Timestamp? = nil) {
        self.status = status
        self.changesAt = changesAt
    }
}

extension BadgeStatus {
    /// Whether the proof was valid.
    var isValid: Bool { self == .active || self == .expired || self == .expiredOld }
}

extension Profile {
    /// Whether the profiles are the same apart from the proof of the badge, which is another one in each message.
    func hasContent(of other: Profile) -> Bool {
        guard badge?.badgeInfo == other.badge?.badgeInfo else { return false }
        var (first, second) = (self, other)
        (first.badge, second.badge) = (nil, nil)
        return first == second
    }

    /// Whether a check of the badge can have a better result than the earlier check of the badge with the same content:
    /// a later version may know the key, and a peer may send a valid proof.
    func mayHeal(_ status: BadgeStatus?, of earlier: Profile) -> Bool {
        guard let badge, status?.isValid != true else { return false }
        return status != .failed || badge != earlier.badge
    }
}

extension Transaction {
    /// Checks the badge of a new profile; nil without a badge.
    func check(_ badge: BadgeProof?) -> BadgeCheck? { badge.map { BadgeCheck($0, with: badgeKeys, at: now) } }

    /// Checks the badge of a profile that replaces another profile. A valid badge with the same content keeps its proof,
    /// so that a peer cannot cause work with each message.
    func check(_ profile: inout Profile, instead earlier: Profile, _ status: BadgeStatus?) -> BadgeCheck? {
        guard let new = profile.badge else { return nil }
        if let old = earlier.badge, status?.isValid == true, old.badgeInfo == new.badgeInfo {
            profile.badge = old
            return BadgeCheck(valid: old.badgeInfo, at: now)
        }
        return check(new)
    }

    /// Stores a profile of a peer with the result of the check of its badge.
    func store(_ profile: Profile, _ check: BadgeCheck?, in profileId: Int64) throws {
        try db.execute(
            """
            UPDATE contact_profiles SET display_name = ?, profile = ?, updated_at = ?, badge_status = ?, badge_changes_at = ?
            WHERE contact_profile_id = ?
            """,
            [
                profile.displayName, try StoredJSON.encode(profile), now.nanoseconds, check?.status.rawValue,
                check?.changesAt?.nanoseconds, profileId,
            ]
        )
        if check?.changesAt != nil { followUp.insert(.expiringItems) }
    }
}

/// Badges whose status changes because they expire.
enum ExpiringBadges {
    /// The maximum number of badges that one transaction marks.
    static let batch: Int64 = 100

    /// Returns the time until the next badge expires; nil if none does.
    static func wait(_ now: Timestamp, _ db: StoreConnection) throws -> Duration? {
        try db.first("SELECT min(badge_changes_at) AS next FROM contact_profiles WHERE badge_changes_at IS NOT NULL")?
            .int64OrNil("next").map { max(.zero, Timestamp(nanoseconds: $0).duration(since: now)) }
    }

    /// Marks badges that have expired.
    /// - Returns: whether there may be more such badges.
    static func markDue(_ tx: Transaction) throws -> Bool {
        // A badge has expired just after its end.
        let rows = try tx.db.query(
            """
            SELECT contact_profile_id, badge_status, badge_changes_at FROM contact_profiles WHERE badge_changes_at < ?
            ORDER BY badge_changes_at LIMIT ?
            """,
            [tx.now.nanoseconds, batch]
        )
        for row in rows {
            let end = Timestamp(nanoseconds: try row.int64("badge_changes_at"))
            let gone = end.adding(seconds: BadgeCheck.expiredTime)
            let isShown = try row.string("badge_status") == BadgeStatus.active.rawValue && tx.now <= gone
            try tx.db.execute(
                "UPDATE contact_profiles SET badge_status = ?, badge_changes_at = ? WHERE contact_profile_id = ?",
                [
                    (isShown ? BadgeStatus.expired : .expiredOld).rawValue, isShown ? gone.nanoseconds : nil,
                    try row.int64("contact_profile_id"),
                ]
            )
        }
        return Int64(rows.count) == batch
    }
}
