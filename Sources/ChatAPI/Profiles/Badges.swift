/// The result of checking a badge: valid, expired, wrongly signed, or signed with an unknown key. `unknownKey` also
/// means that the badge was not checked yet.
package struct BadgeStatus: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let active = Self(rawValue: "active")
    package static let expired = Self(rawValue: "expired")
    package static let expiredOld = Self(rawValue: "expiredOld")
    package static let failed = Self(rawValue: "failed")
    package static let unknownKey = Self(rawValue: "unknownKey")

    package static let knownValues: Set<Self> = [.active, .expired, .expiredOld, .failed, .unknownKey]
}

/// The type of a badge: supporter, legend or investor.
package struct BadgeType: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let supporter = Self(rawValue: "supporter")
    package static let legend = Self(rawValue: "legend")
    package static let investor = Self(rawValue: "investor")

    package static let knownValues: Set<Self> = [.supporter, .legend, .investor]
}

/// The content of a badge, which is a signed mark of a supporter: its type, and the end of its validity.
package struct BadgeInfo: Codable, Hashable, Sendable {
    package var badgeType: BadgeType
    package var badgeExpiry: UTCTime?
    package var badgeExtra: String

    package init(badgeType: BadgeType, badgeExpiry: UTCTime? = nil, badgeExtra: String = "") {
        self.badgeType = badgeType
        self.badgeExpiry = badgeExpiry
        self.badgeExtra = badgeExtra
    }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        // The type must not change, because the issuer has signed it. So commands also accept a type that only later
        // versions know.
        badgeType = BadgeType(rawValue: try members.decode(String.self, forKey: .badgeType))
        badgeExpiry = try members.decodeIfPresent(UTCTime.self, forKey: .badgeExpiry)
        badgeExtra = try members.decode(String.self, forKey: .badgeExtra)
        if let badgeExpiry, !badgeExpiry.isUTCTime {
            throw DecodingError.dataCorruptedError(
                forKey: .badgeExpiry,
                in: members,
                debugDescription: "not a time in UTC"
            )
        }
    }
}

/// The proof that a profile owns its badge.
package struct BadgeProof: Codable, Hashable, Sendable {
    package var badgeKeyIdx: Int
    package var presHeader: String
    package var proof: String
    package var badgeInfo: BadgeInfo

    package init(badgeKeyIdx: Int, presHeader: String, proof: String, badgeInfo: BadgeInfo) {
        self.badgeKeyIdx = badgeKeyIdx
        self.presHeader = presHeader
        self.proof = proof
        self.badgeInfo = badgeInfo
    }
}

/// A badge in the form in which the issuer gives it to its owner. `masterKey` and `signature` are secrets of the owner,
/// in base64url.
package struct BadgeCredential: Codable, Hashable, Sendable {
    package var badgeKeyIdx: Int
    package var masterKey: String
    package var signature: String
    package var badgeInfo: BadgeInfo

    package init(badgeKeyIdx: Int, masterKey: String, signature: String, badgeInfo: BadgeInfo) {
        self.badgeKeyIdx = badgeKeyIdx
        self.masterKey = masterKey
        self.signature = signature
        self.badgeInfo = badgeInfo
    }
}

/// A badge in a profile, with the result of its check.
package struct LocalBadge: Codable, Hashable, Sendable {
    package var badge: BadgeInfo
    package var status: BadgeStatus

    package init(badge: BadgeInfo, status: BadgeStatus) {
        self.badge = badge
        self.status = status
    }
}
