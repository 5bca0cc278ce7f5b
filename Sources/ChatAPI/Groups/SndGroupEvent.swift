public import JSON

/// An action of the user in a group: content of a sent chat item.
public indirect enum SndGroupEvent: TaggedUnion {
    case memberRole(groupMemberId: Int64, profile: Profile, role: GroupMemberRole)
    case memberBlocked(groupMemberId: Int64, profile: Profile, blocked: Bool)
    case userRole(role: GroupMemberRole)
    case memberDeleted(groupMemberId: Int64, profile: Profile)
    case userLeft
    case groupUpdated(groupProfile: GroupProfile)
    case memberAccepted(groupMemberId: Int64, profile: Profile)
    case userPendingReview
    /// A case that this program does not know, as it came.
    case unrecognized(JSONValue)
}

extension SndGroupEvent {
    public init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "memberRole": self = .memberRole(groupMemberId: try fields("groupMemberId"), profile: try fields("profile"), role: try fields("role"))
        case "memberBlocked": self = .memberBlocked(groupMemberId: try fields("groupMemberId"), profile: try fields("profile"), blocked: try fields("blocked"))
        case "userRole": self = .userRole(role: try fields("role"))
        case "memberDeleted": self = .memberDeleted(groupMemberId: try fields("groupMemberId"), profile: try fields("profile"))
        case "userLeft": self = .userLeft
        case "groupUpdated": self = .groupUpdated(groupProfile: try fields("groupProfile"))
        case "memberAccepted": self = .memberAccepted(groupMemberId: try fields("groupMemberId"), profile: try fields("profile"))
        case "userPendingReview": self = .userPendingReview
        default: self = .unrecognized(try fields.unknown(decoder))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .memberRole(let groupMemberId, let profile, let role):
            try encoder.tagged("memberRole")("groupMemberId", groupMemberId)("profile", profile)("role", role)
        case .memberBlocked(let groupMemberId, let profile, let blocked):
            try encoder.tagged("memberBlocked")("groupMemberId", groupMemberId)("profile", profile)("blocked", blocked)
        case .userRole(let role): try encoder.tagged("userRole")("role", role)
        case .memberDeleted(let groupMemberId, let profile): try encoder.tagged("memberDeleted")("groupMemberId", groupMemberId)("profile", profile)
        case .userLeft: try encoder.tagged("userLeft")
        case .groupUpdated(let groupProfile): try encoder.tagged("groupUpdated")("groupProfile", groupProfile)
        case .memberAccepted(let groupMemberId, let profile): try encoder.tagged("memberAccepted")("groupMemberId", groupMemberId)("profile", profile)
        case .userPendingReview: try encoder.tagged("userPendingReview")
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
