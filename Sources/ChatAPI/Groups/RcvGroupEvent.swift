// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// An event in a group that another member has reported, as content of a received chat item.
package indirect enum RcvGroupEvent: TaggedUnion {
    case memberAdded(groupMemberId: Int64, profile: Profile)
    case memberConnected
    case memberAccepted(groupMemberId: Int64, profile: Profile)
    case userAccepted
    case memberLeft
    case memberRole(groupMemberId: Int64, profile: Profile, role: GroupMemberRole)
    case memberBlocked(groupMemberId: Int64, profile: Profile, blocked: Bool)
    case userRole(role: GroupMemberRole)
    case memberDeleted(groupMemberId: Int64, profile: Profile)
    case userDeleted
    case groupDeleted
    case groupUpdated(groupProfile: GroupProfile)
    case invitedViaGroupLink
    case memberCreatedContact
    case memberProfileUpdated(fromProfile: Profile, toProfile: Profile)
    case newMemberPendingReview
    case msgBadSignature
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension RcvGroupEvent {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "memberAdded": self = try .memberAdded(groupMemberId: fields("groupMemberId"), profile: fields("profile"))
        case "memberConnected": self = .memberConnected
        case "memberAccepted":
            self = try .memberAccepted(groupMemberId: fields("groupMemberId"), profile: fields("profile"))
        case "userAccepted": self = .userAccepted
        case "memberLeft": self = .memberLeft
        case "memberRole":
            self = try .memberRole(
                groupMemberId: fields("groupMemberId"), profile: fields("profile"), role: fields("role"))
        case "memberBlocked":
            self = try .memberBlocked(
                groupMemberId: fields("groupMemberId"), profile: fields("profile"), blocked: fields("blocked"))
        case "userRole": self = try .userRole(role: fields("role"))
        case "memberDeleted":
            self = try .memberDeleted(groupMemberId: fields("groupMemberId"), profile: fields("profile"))
        case "userDeleted": self = .userDeleted
        case "groupDeleted": self = .groupDeleted
        case "groupUpdated": self = try .groupUpdated(groupProfile: fields("groupProfile"))
        case "invitedViaGroupLink": self = .invitedViaGroupLink
        case "memberCreatedContact": self = .memberCreatedContact
        case "memberProfileUpdated":
            self = try .memberProfileUpdated(fromProfile: fields("fromProfile"), toProfile: fields("toProfile"))
        case "newMemberPendingReview": self = .newMemberPendingReview
        case "msgBadSignature": self = .msgBadSignature
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .memberAdded(let groupMemberId, let profile):
            try encoder.tagged("memberAdded")("groupMemberId", groupMemberId)("profile", profile)
        case .memberConnected: try encoder.tagged("memberConnected")
        case .memberAccepted(let groupMemberId, let profile):
            try encoder.tagged("memberAccepted")("groupMemberId", groupMemberId)("profile", profile)
        case .userAccepted: try encoder.tagged("userAccepted")
        case .memberLeft: try encoder.tagged("memberLeft")
        case .memberRole(let groupMemberId, let profile, let role):
            try encoder.tagged("memberRole")("groupMemberId", groupMemberId)("profile", profile)("role", role)
        case .memberBlocked(let groupMemberId, let profile, let blocked):
            try encoder.tagged("memberBlocked")("groupMemberId", groupMemberId)("profile", profile)("blocked", blocked)
        case .userRole(let role): try encoder.tagged("userRole")("role", role)
        case .memberDeleted(let groupMemberId, let profile):
            try encoder.tagged("memberDeleted")("groupMemberId", groupMemberId)("profile", profile)
        case .userDeleted: try encoder.tagged("userDeleted")
        case .groupDeleted: try encoder.tagged("groupDeleted")
        case .groupUpdated(let groupProfile): try encoder.tagged("groupUpdated")("groupProfile", groupProfile)
        case .invitedViaGroupLink: try encoder.tagged("invitedViaGroupLink")
        case .memberCreatedContact: try encoder.tagged("memberCreatedContact")
        case .memberProfileUpdated(let fromProfile, let toProfile):
            try encoder.tagged("memberProfileUpdated")("fromProfile", fromProfile)("toProfile", toProfile)
        case .newMemberPendingReview: try encoder.tagged("newMemberPendingReview")
        case .msgBadSignature: try encoder.tagged("msgBadSignature")
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
