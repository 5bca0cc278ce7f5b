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
}

/// A badge with the result of its check.
public struct LocalBadge: Codable, Hashable, Sendable {
    public var badge: BadgeInfo
    public var status: BadgeStatus
}
