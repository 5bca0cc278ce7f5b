/// The result of the check of a badge.
public struct BadgeStatus: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let active = Self(rawValue: "active")
    public static let expired = Self(rawValue: "expired")
    public static let expiredOld = Self(rawValue: "expiredOld")
    public static let failed = Self(rawValue: "failed")
    public static let unknownKey = Self(rawValue: "unknownKey")

    public static let known: Set<Self> = [.active, .expired, .expiredOld, .failed, .unknownKey]
}

/// The type of a badge, which shows its reason.
public struct BadgeType: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let supporter = Self(rawValue: "supporter")
    public static let legend = Self(rawValue: "legend")
    public static let investor = Self(rawValue: "investor")

    public static let known: Set<Self> = [.supporter, .legend, .investor]
}

/// The content of a badge: its type, and the end of its validity.
public struct BadgeInfo: Codable, Hashable, Sendable {
    public var badgeType: BadgeType
    public var badgeExpiry: UTCTime?
    public var badgeExtra: String

    public init(badgeType: BadgeType, badgeExpiry: UTCTime? = nil, badgeExtra: String = "") {
        self.badgeType = badgeType
        self.badgeExpiry = badgeExpiry
        self.badgeExtra = badgeExtra
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        badgeType = try members.decode(BadgeType.self, forKey: .badgeType)
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
public struct BadgeProof: Codable, Hashable, Sendable {
    public var badgeKeyIdx: Int
    public var presHeader: String
    public var proof: String
    public var badgeInfo: BadgeInfo

    public init(badgeKeyIdx: Int, presHeader: String, proof: String, badgeInfo: BadgeInfo) {
        self.badgeKeyIdx = badgeKeyIdx
        self.presHeader = presHeader
        self.proof = proof
        self.badgeInfo = badgeInfo
    }
}

/// A badge as its issuer gives it to its owner. `masterKey` and `signature` are secrets of the owner, in base64url.
public struct BadgeCredential: Codable, Hashable, Sendable {
    public var badgeKeyIdx: Int
    public var masterKey: String
    public var signature: String
    public var badgeInfo: BadgeInfo

    public init(badgeKeyIdx: Int, masterKey: String, signature: String, badgeInfo: BadgeInfo) {
        self.badgeKeyIdx = badgeKeyIdx
        self.masterKey = masterKey
        self.signature = signature
        self.badgeInfo = badgeInfo
    }
}

/// A badge with the result of its check.
public struct LocalBadge: Codable, Hashable, Sendable {
    public var badge: BadgeInfo
    public var status: BadgeStatus

    public init(badge: BadgeInfo, status: BadgeStatus) {
        self.badge = badge
        self.status = status
    }
}
