internal import ChatAPI
internal import ChatProtocol
internal import SimpleXCrypto

/// The values that the issuer of a badge signs: the master key of the owner, the end of the validity, the type and a
/// text. BBS signatures call such values messages. A proof discloses all of them except the master key.
extension BadgeInfo {
    static let signatureHeader = Array("SimpleX badges v1".utf8)

    /// The messages that a proof discloses.
    var signedMessages: [[UInt8]] {
        [
            Array((badgeExpiry.map(Self.removingTrailingZeros) ?? "lifetime").utf8), Array(badgeType.rawValue.utf8),
            Array(badgeExtra.utf8),
        ]
    }

    /// The time without zeros at the end of the fraction: the form that is signed.
    private static func removingTrailingZeros(_ time: UTCTime) -> String {
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
    /// The result for a wrong proof.
    static let failed = BadgeCheck(.failed)
    /// The result for a proof that cannot be checked.
    static let unchecked = BadgeCheck(.unknownKey)
    /// The maximum number of proofs that one write transaction checks. One check takes about 15 ms, and all other
    /// writes wait for the transaction.
    static let maxChecksPerTransaction = 8
    /// The time in seconds without a check of another proof after the last change of a profile whose badge is not valid.
    static let retrySeconds: Int64 = 3_600
    /// The time in seconds for which an expired badge is shown as expired.
    static let shownExpiredSeconds: Int64 = 31 * 86_400

    let status: BadgeStatus
    /// The time at which the status changes because the badge expires, or at which the proof is checked; nil if the
    /// status does not change.
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
        let gone = end.adding(seconds: Self.shownExpiredSeconds)
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

    /// Whether the presentation header begins with the letter of another kind than ``BadgeCredential/unboundHeaderKind``. Such a
    /// proof can be bound to values that this version does not know, and would be shown for a peer who copied it.
    fileprivate var hasUnknownKind: Bool {
        guard let kind = (try? Base64URL.decode(presHeader))?.first else { return false }
        return kind != BadgeCredential.unboundHeaderKind
    }
}

extension BadgeStatus {
    /// Whether the proof was valid.
    var isValid: Bool { self == .active || self == .expired || self == .expiredOld }
}

extension Profile {
    /// Whether the profiles are the same apart from the proof of the badge, which is another one in each message.
    func hasSameContent(of other: Profile) -> Bool {
        guard badge?.badgeInfo == other.badge?.badgeInfo else { return false }
        var (first, second) = (self, other)
        (first.badge, second.badge) = (nil, nil)
        return first == second
    }

    /// Whether a check of the badge can have a better result than the earlier check of the badge with the same content:
    /// a later version may know the key, and a peer may send a valid proof.
    func mayImproveBadgeStatus(_ status: BadgeStatus?, of earlier: Profile) -> Bool {
        guard let badge, status?.isValid != true else { return false }
        return status != .failed || badge != earlier.badge
    }
}
