public import JSON

/// The result of following a link, by the kind of the link.
public indirect enum ConnectionPlan: TaggedUnion {
    case invitationLink(invitationLinkPlan: InvitationLinkPlan)
    case contactAddress(contactAddressPlan: ContactAddressPlan)
    case groupLink(groupLinkPlan: GroupLinkPlan)
    case error(chatError: ChatError)
    /// A case that this program does not know, as it came.
    case unrecognized(JSONValue)
}

extension ConnectionPlan {
    public init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "invitationLink": self = .invitationLink(invitationLinkPlan: try fields("invitationLinkPlan"))
        case "contactAddress": self = .contactAddress(contactAddressPlan: try fields("contactAddressPlan"))
        case "groupLink": self = .groupLink(groupLinkPlan: try fields("groupLinkPlan"))
        case "error": self = .error(chatError: try fields("chatError"))
        default: self = .unrecognized(try fields.unknown(decoder))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .invitationLink(let invitationLinkPlan): try encoder.tagged("invitationLink")("invitationLinkPlan", invitationLinkPlan)
        case .contactAddress(let contactAddressPlan): try encoder.tagged("contactAddress")("contactAddressPlan", contactAddressPlan)
        case .groupLink(let groupLinkPlan): try encoder.tagged("groupLink")("groupLinkPlan", groupLinkPlan)
        case .error(let chatError): try encoder.tagged("error")("chatError", chatError)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
