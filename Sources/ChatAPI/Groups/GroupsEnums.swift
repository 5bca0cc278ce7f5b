/// The role of the other side in a business chat: the business, or its customer.
package struct BusinessChatType: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let business = Self(rawValue: "business")
    package static let customer = Self(rawValue: "customer")

    package static let knownValues: Set<Self> = [.business, .customer]
}

/// A feature that is on or off for a whole group.
package struct GroupFeature: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let timedMessages = Self(rawValue: "timedMessages")
    package static let directMessages = Self(rawValue: "directMessages")
    package static let fullDelete = Self(rawValue: "fullDelete")
    package static let reactions = Self(rawValue: "reactions")
    package static let voice = Self(rawValue: "voice")
    package static let files = Self(rawValue: "files")
    package static let simplexLinks = Self(rawValue: "simplexLinks")
    package static let reports = Self(rawValue: "reports")
    package static let history = Self(rawValue: "history")
    package static let support = Self(rawValue: "support")
    package static let sessions = Self(rawValue: "sessions")
    package static let comments = Self(rawValue: "comments")
    package static let signMessages = Self(rawValue: "signMessages")

    package static let knownValues: Set<Self> = [
        .timedMessages, .directMessages, .fullDelete, .reactions, .voice, .files, .simplexLinks, .reports, .history,
        .support,
        .sessions, .comments, .signMessages,
    ]
}

/// Whether a feature of a group is on.
package struct GroupFeatureEnabled: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let on = Self(rawValue: "on")
    package static let off = Self(rawValue: "off")

    package static let knownValues: Set<Self> = [.on, .off]
}

/// The relation of a member to the user's membership: the user, the inviter, or a member who joined before or after the
/// user.
package struct GroupMemberCategory: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let user = Self(rawValue: "user")
    package static let invitee = Self(rawValue: "invitee")
    package static let host = Self(rawValue: "host")
    package static let pre = Self(rawValue: "pre")
    package static let post = Self(rawValue: "post")

    package static let knownValues: Set<Self> = [.user, .invitee, .host, .pre, .post]
}

/// The rights of a member in a group.
package struct GroupMemberRole: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let relay = Self(rawValue: "relay")
    package static let observer = Self(rawValue: "observer")
    package static let author = Self(rawValue: "author")
    package static let member = Self(rawValue: "member")
    package static let moderator = Self(rawValue: "moderator")
    package static let admin = Self(rawValue: "admin")
    package static let owner = Self(rawValue: "owner")

    package static let knownValues: Set<Self> = [.relay, .observer, .author, .member, .moderator, .admin, .owner]
}

/// The progress of a member in joining or leaving a group.
package struct GroupMemberStatus: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let rejected = Self(rawValue: "rejected")
    package static let removed = Self(rawValue: "removed")
    package static let left = Self(rawValue: "left")
    package static let deleted = Self(rawValue: "deleted")
    package static let unknown = Self(rawValue: "unknown")
    package static let invited = Self(rawValue: "invited")
    package static let pending_approval = Self(rawValue: "pending_approval")
    package static let pending_review = Self(rawValue: "pending_review")
    package static let introduced = Self(rawValue: "introduced")
    package static let introInv = Self(rawValue: "intro-inv")
    package static let accepted = Self(rawValue: "accepted")
    package static let announced = Self(rawValue: "announced")
    package static let connected = Self(rawValue: "connected")
    package static let complete = Self(rawValue: "complete")
    package static let creator = Self(rawValue: "creator")

    package static let knownValues: Set<Self> = [
        .rejected, .removed, .left, .deleted, .unknown, .invited, .pending_approval, .pending_review, .introduced,
        .introInv,
        .accepted, .announced, .connected, .complete, .creator,
    ]
}

/// The type of a public group: a group in which all members write, or a channel in which few write.
package struct GroupType: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let channel = Self(rawValue: "channel")
    package static let group = Self(rawValue: "group")

    package static let knownValues: Set<Self> = [.channel, .group]
}

/// The joining members whom moderators review before their admission. The only known value means all joining members.
package struct MemberCriteria: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let all = Self(rawValue: "all")

    package static let knownValues: Set<Self> = [.all]
}

/// The state of the service of a chat relay for a group.
package struct RelayStatus: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let new = Self(rawValue: "new")
    package static let invited = Self(rawValue: "invited")
    package static let accepted = Self(rawValue: "accepted")
    package static let acknowledgedRoster = Self(rawValue: "acknowledgedRoster")
    package static let active = Self(rawValue: "active")
    package static let inactive = Self(rawValue: "inactive")
    package static let rejected = Self(rawValue: "rejected")

    package static let knownValues: Set<Self> = [
        .new, .invited, .accepted, .acknowledgedRoster, .active, .inactive, .rejected,
    ]
}
