internal import ChatAPI
internal import ChatProtocol
internal import SimpleXCrypto

/// The values that the issuer of a badge signs: the master key of the owner, the end of the validity, the type and a
/// text. BBS signatures call these values messages. A proof discloses all values except the master key.
extension BadgeInfo {
    static let signatureHeader = Array("SimpleX badges v1".utf8)

    /// The signed values that a proof discloses: the end of the validity, the type and the text.
    var signedMessages: [[UInt8]] {
        [
            Array((badgeExpiry.map(Self.removingTrailingZeros) ?? "lifetime").utf8), Array(badgeType.rawValue.utf8),
            Array(badgeExtra.utf8),
        ]
    }

    /// Returns the time without zeros at the end of the fraction of a second. The issuer signs the time in this form.
    private static func removingTrailingZeros(_ time: UTCTime) -> String {
        guard time.contains("."), time.hasSuffix("Z") else { return time }
        var digits = time.dropLast()
        while digits.last == "0" { digits.removeLast() }
        if digits.last == "." { digits.removeLast() }
        return digits + "Z"
    }
}

extension LocalBadge {
    /// Makes a badge with the result of its check, or with `unknownKey` before a check; nil without a badge.
    init?(_ badge: BadgeInfo?, _ status: BadgeStatus?) {
        guard let badge else { return nil }
        self.init(badge: badge, status: status ?? .unknownKey)
    }
}

/// The result of the check of a badge.
struct BadgeCheck: Hashable, Sendable {
    /// The result for a wrong proof.
    static let failed = BadgeCheck(.failed)
    /// The result for a proof that cannot be checked.
    static let unchecked = BadgeCheck(.unknownKey)
    /// The maximum number of proofs that one write transaction checks. One check takes about 15 ms, and all other
    /// writes wait for the transaction.
    static let maxChecksPerTransaction = 8
    /// The pause in seconds after an unsuccessful check of a badge. During the pause, no other proof of the peer is
    /// checked. The pause begins when the peer's profile is stored, and again after a postponed check.
    static let recheckPauseSeconds: Int64 = 3_600
    /// The time in seconds for which an expired badge is shown as expired.
    static let expiredBadgeShownSeconds: Int64 = 31 * 86_400

    let status: BadgeStatus
    /// The time at which the status changes; nil if it does not change. At this time the badge expires, an expired
    /// badge is no longer shown, or an unchecked proof is checked.
    let statusChangesAt: Timestamp?

    /// Checks the proof in the profile of a peer.
    init(_ badge: BadgeProof, with keys: BadgeKeys, at now: Timestamp) {
        guard let key = keys[badge.badgeKeyIdx], !badge.hasUnknownKind else {
            self.init(.unknownKey)
            return
        }
        guard let header = try? Base64URL.decode(badge.presHeader), !header.isEmpty,
            let proof = try? Base64URL.decode(badge.proof),
            key.isValid(
                proof: proof,
                header: BadgeInfo.signatureHeader,
                presentationHeader: header,
                messages: [nil] + badge.badgeInfo.signedMessages.map(Optional.some)
            )
        else {
            self.init(.failed)
            return
        }
        self.init(valid: badge.badgeInfo, at: now)
    }

    /// Makes the result for a proof that is checked at a later time.
    init(uncheckedUntil time: Timestamp) { self.init(.unknownKey, time) }

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
        let gone = end.adding(seconds: Self.expiredBadgeShownSeconds)
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
        self.statusChangesAt = changesAt
    }
}

extension BadgeProof {
    /// Whether a check of the proof can have another result than `unknownKey`.
    func canBeChecked(with keys: BadgeKeys) -> Bool { keys[badgeKeyIdx] != nil && !hasUnknownKind }

    /// Whether the kind in the presentation header differs from ``BadgeCredential/unboundProofHeaderKind``. A proof of
    /// an unknown kind may be bound to a peer or a chat. This version of the program cannot check the binding, and
    /// would accept a copied proof.
    fileprivate var hasUnknownKind: Bool {
        guard let kind = (try? Base64URL.decode(presHeader))?.first else { return false }
        return kind != BadgeCredential.unboundProofHeaderKind
    }
}

extension BadgeStatus {
    /// Whether the proof was valid.
    var isValid: Bool { self == .active || self == .expired || self == .expiredOld }
}

extension Profile {
    /// Whether the profiles are equal apart from the proof of the badge, which differs in each message.
    func hasSameContent(of other: Profile) -> Bool {
        guard badge?.badgeInfo == other.badge?.badgeInfo else { return false }
        var (first, second) = (self, other)
        (first.badge, second.badge) = (nil, nil)
        return first == second
    }

    /// Whether a new check of the badge can have a better result than the check of the badge in `earlier`, which had
    /// the result `status`. After the earlier check, a new version of this program may know the key, or the peer may
    /// have sent a valid proof.
    func mayImproveBadgeStatus(_ status: BadgeStatus?, of earlier: Profile) -> Bool {
        guard let badge, status?.isValid != true else { return false }
        return status != .failed || badge != earlier.badge
    }
}
