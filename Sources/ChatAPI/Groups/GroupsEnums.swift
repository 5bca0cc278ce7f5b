/// The role of the other side in a business chat: the business, or its customer.
public struct BusinessChatType: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let business = Self(rawValue: "business")
    public static let customer = Self(rawValue: "customer")

    public static let known: Set<Self> = [.business, .customer]
}

/// A feature that is on or off for a whole group.
public struct GroupFeature: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let timedMessages = Self(rawValue: "timedMessages")
    public static let directMessages = Self(rawValue: "directMessages")
    public static let fullDelete = Self(rawValue: "fullDelete")
    public static let reactions = Self(rawValue: "reactions")
    public static let voice = Self(rawValue: "voice")
    public static let files = Self(rawValue: "files")
    public static let simplexLinks = Self(rawValue: "simplexLinks")
    public static let reports = Self(rawValue: "reports")
    public static let history = Self(rawValue: "history")
    public static let support = Self(rawValue: "support")
    public static let sessions = Self(rawValue: "sessions")
    public static let comments = Self(rawValue: "comments")
    public static let signMessages = Self(rawValue: "signMessages")

    public static let known: Set<Self> = [
        .timedMessages, .directMessages, .fullDelete, .reactions, .voice, .files, .simplexLinks, .reports, .history,
        .support,
        .sessions, .comments, .signMessages,
    ]
}

/// Whether a feature of a group is on.
public struct GroupFeatureEnabled: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let on = Self(rawValue: "on")
    public static let off = Self(rawValue: "off")

    public static let known: Set<Self> = [.on, .off]
}

/// The relation of a member to the user's membership: the user, the inviter, or a member who joined before or after the
/// user.
public struct GroupMemberCategory: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let user = Self(rawValue: "user")
    public static let invitee = Self(rawValue: "invitee")
    public static let host = Self(rawValue: "host")
    public static let pre = Self(rawValue: "pre")
    public static let post = Self(rawValue: "post")

    public static let known: Set<Self> = [.user, .invitee, .host, .pre, .post]
}

/// The rights of a member in a group.
public struct GroupMemberRole: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let relay = Self(rawValue: "relay")
    public static let observer = Self(rawValue: "observer")
    public static let author = Self(rawValue: "author")
    public static let member = Self(rawValue: "member")
    public static let moderator = Self(rawValue: "moderator")
    public static let admin = Self(rawValue: "admin")
    public static let owner = Self(rawValue: "owner")

    public static let known: Set<Self> = [.relay, .observer, .author, .member, .moderator, .admin, .owner]
}

/// Progress of a member in joining or leaving a group.
public struct GroupMemberStatus: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let rejected = Self(rawValue: "rejected")
    public static let removed = Self(rawValue: "removed")
    public static let left = Self(rawValue: "left")
    public static let deleted = Self(rawValue: "deleted")
    public static let unknown = Self(rawValue: "unknown")
    public static let invited = Self(rawValue: "invited")
    public static let pending_approval = Self(rawValue: "pending_approval")
    public static let pending_review = Self(rawValue: "pending_review")
    public static let introduced = Self(rawValue: "introduced")
    public static let introInv = Self(rawValue: "intro-inv")
    public static let accepted = Self(rawValue: "accepted")
    public static let announced = Self(rawValue: "announced")
    public static let connected = Self(rawValue: "connected")
    public static let complete = Self(rawValue: "complete")
    public static let creator = Self(rawValue: "creator")

    public static let known: Set<Self> = [
        .rejected, .removed, .left, .deleted, .unknown, .invited, .pending_approval, .pending_review, .introduced,
        .introInv,
        .accepted, .announced, .connected, .complete, .creator,
    ]
}

/// The type of a public group: a group in which all members write, or a channel in which few write.
public struct GroupType: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let channel = Self(rawValue: "channel")
    public static let group = Self(rawValue: "group")

    public static let known: Set<Self> = [.channel, .group]
}

/// The joining members who need an approval by moderators.
public struct MemberCriteria: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let all = Self(rawValue: "all")

    public static let known: Set<Self> = [.all]
}

/// State of the service of a chat relay for a group.
public struct RelayStatus: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let new = Self(rawValue: "new")
    public static let invited = Self(rawValue: "invited")
    public static let accepted = Self(rawValue: "accepted")
    public static let acknowledgedRoster = Self(rawValue: "acknowledgedRoster")
    public static let active = Self(rawValue: "active")
    public static let inactive = Self(rawValue: "inactive")
    public static let rejected = Self(rawValue: "rejected")

    public static let known: Set<Self> = [
        .new, .invited, .accepted, .acknowledgedRoster, .active, .inactive, .rejected,
    ]
}
