// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// Output of the terminal client.
package indirect enum TerminalEvent: TaggedUnion {
    case groupLinkRejected(user: User, groupInfo: GroupInfo, groupRejectionReason: String)
    case relayRejected(user: User, groupInfo: GroupInfo, relayRejectionReason: String)
    case rejectingGroupJoinRequestMember(
        user: User, groupInfo: GroupInfo, member: GroupMember, groupRejectionReason: String)
    case newMemberContact(user: User, contact: Contact, groupInfo: GroupInfo, member: GroupMember)
    case contactVerificationReset(user: User, contact: Contact)
    case groupMemberVerificationReset(user: User, groupInfo: GroupInfo, member: GroupMember)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension TerminalEvent {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "groupLinkRejected":
            self = try .groupLinkRejected(
                user: fields("user"), groupInfo: fields("groupInfo"),
                groupRejectionReason: fields("groupRejectionReason"))
        case "relayRejected":
            self = try .relayRejected(
                user: fields("user"), groupInfo: fields("groupInfo"),
                relayRejectionReason: fields("relayRejectionReason"))
        case "rejectingGroupJoinRequestMember":
            self = try .rejectingGroupJoinRequestMember(
                user: fields("user"), groupInfo: fields("groupInfo"), member: fields("member"),
                groupRejectionReason: fields("groupRejectionReason"))
        case "newMemberContact":
            self = try .newMemberContact(
                user: fields("user"), contact: fields("contact"), groupInfo: fields("groupInfo"),
                member: fields("member"))
        case "contactVerificationReset":
            self = try .contactVerificationReset(user: fields("user"), contact: fields("contact"))
        case "groupMemberVerificationReset":
            self = try .groupMemberVerificationReset(
                user: fields("user"), groupInfo: fields("groupInfo"), member: fields("member"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .groupLinkRejected(let user, let groupInfo, let groupRejectionReason):
            try encoder.tagged("groupLinkRejected")("user", user)("groupInfo", groupInfo)(
                "groupRejectionReason", groupRejectionReason)
        case .relayRejected(let user, let groupInfo, let relayRejectionReason):
            try encoder.tagged("relayRejected")("user", user)("groupInfo", groupInfo)(
                "relayRejectionReason", relayRejectionReason)
        case .rejectingGroupJoinRequestMember(let user, let groupInfo, let member, let groupRejectionReason):
            try encoder.tagged("rejectingGroupJoinRequestMember")("user", user)("groupInfo", groupInfo)(
                "member", member)("groupRejectionReason", groupRejectionReason)
        case .newMemberContact(let user, let contact, let groupInfo, let member):
            try encoder.tagged("newMemberContact")("user", user)("contact", contact)("groupInfo", groupInfo)(
                "member", member)
        case .contactVerificationReset(let user, let contact):
            try encoder.tagged("contactVerificationReset")("user", user)("contact", contact)
        case .groupMemberVerificationReset(let user, let groupInfo, let member):
            try encoder.tagged("groupMemberVerificationReset")("user", user)("groupInfo", groupInfo)("member", member)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
