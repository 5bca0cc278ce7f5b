// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// The relation of a one-time invitation to the user: new, owned by the user, in the process of connecting, or the
/// invitation of a known contact.
package indirect enum InvitationLinkPlan: TaggedUnion {
    case ok(contactSLinkData_: ContactShortLinkData?, ownerVerification: OwnerVerification?)
    case ownLink
    case connecting(contact_: Contact?)
    case known(contact: Contact)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension InvitationLinkPlan {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "ok":
            self = try .ok(
                contactSLinkData_: fields.optional("contactSLinkData_"),
                ownerVerification: fields.optional("ownerVerification"))
        case "ownLink": self = .ownLink
        case "connecting": self = try .connecting(contact_: fields.optional("contact_"))
        case "known": self = try .known(contact: fields("contact"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .ok(let contactSLinkData_, let ownerVerification):
            try encoder.tagged("ok").optional("contactSLinkData_", contactSLinkData_).optional(
                "ownerVerification", ownerVerification)
        case .ownLink: try encoder.tagged("ownLink")
        case .connecting(let contact_): try encoder.tagged("connecting").optional("contact_", contact_)
        case .known(let contact): try encoder.tagged("known")("contact", contact)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
