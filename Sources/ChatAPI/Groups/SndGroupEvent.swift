// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// An action of the user in a group, as content of a sent chat item.
package indirect enum SndGroupEvent: TaggedUnion {
    case memberRole(groupMemberId: Int64, profile: Profile, role: GroupMemberRole)
    case memberBlocked(groupMemberId: Int64, profile: Profile, blocked: Bool)
    case userRole(role: GroupMemberRole)
    case memberDeleted(groupMemberId: Int64, profile: Profile)
    case userLeft
    case groupUpdated(groupProfile: GroupProfile)
    case memberAccepted(groupMemberId: Int64, profile: Profile)
    case userPendingReview
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension SndGroupEvent {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "memberRole":
            self = try .memberRole(
                groupMemberId: fields("groupMemberId"), profile: fields("profile"), role: fields("role"))
        case "memberBlocked":
            self = try .memberBlocked(
                groupMemberId: fields("groupMemberId"), profile: fields("profile"), blocked: fields("blocked"))
        case "userRole": self = try .userRole(role: fields("role"))
        case "memberDeleted":
            self = try .memberDeleted(groupMemberId: fields("groupMemberId"), profile: fields("profile"))
        case "userLeft": self = .userLeft
        case "groupUpdated": self = try .groupUpdated(groupProfile: fields("groupProfile"))
        case "memberAccepted":
            self = try .memberAccepted(groupMemberId: fields("groupMemberId"), profile: fields("profile"))
        case "userPendingReview": self = .userPendingReview
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .memberRole(let groupMemberId, let profile, let role):
            try encoder.tagged("memberRole")("groupMemberId", groupMemberId)("profile", profile)("role", role)
        case .memberBlocked(let groupMemberId, let profile, let blocked):
            try encoder.tagged("memberBlocked")("groupMemberId", groupMemberId)("profile", profile)("blocked", blocked)
        case .userRole(let role): try encoder.tagged("userRole")("role", role)
        case .memberDeleted(let groupMemberId, let profile):
            try encoder.tagged("memberDeleted")("groupMemberId", groupMemberId)("profile", profile)
        case .userLeft: try encoder.tagged("userLeft")
        case .groupUpdated(let groupProfile): try encoder.tagged("groupUpdated")("groupProfile", groupProfile)
        case .memberAccepted(let groupMemberId, let profile):
            try encoder.tagged("memberAccepted")("groupMemberId", groupMemberId)("profile", profile)
        case .userPendingReview: try encoder.tagged("userPendingReview")
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
