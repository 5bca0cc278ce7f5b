// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// The plan for connecting by a link, by the kind of the link.
package indirect enum ConnectionPlan: TaggedUnion {
    case invitationLink(invitationLinkPlan: InvitationLinkPlan)
    case contactAddress(contactAddressPlan: ContactAddressPlan)
    case groupLink(groupLinkPlan: GroupLinkPlan)
    case error(chatError: ChatError)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension ConnectionPlan {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "invitationLink": self = try .invitationLink(invitationLinkPlan: fields("invitationLinkPlan"))
        case "contactAddress": self = try .contactAddress(contactAddressPlan: fields("contactAddressPlan"))
        case "groupLink": self = try .groupLink(groupLinkPlan: fields("groupLinkPlan"))
        case "error": self = try .error(chatError: fields("chatError"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .invitationLink(let invitationLinkPlan):
            try encoder.tagged("invitationLink")("invitationLinkPlan", invitationLinkPlan)
        case .contactAddress(let contactAddressPlan):
            try encoder.tagged("contactAddress")("contactAddressPlan", contactAddressPlan)
        case .groupLink(let groupLinkPlan): try encoder.tagged("groupLink")("groupLinkPlan", groupLinkPlan)
        case .error(let chatError): try encoder.tagged("error")("chatError", chatError)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
