// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// The relation of a contact address to the user: new, owned by the user, in the process of connecting, or the address
/// of a known contact.
package indirect enum ContactAddressPlan: TaggedUnion {
    case ok(
        contactSLinkData_: ContactShortLinkData?, ownerVerification: OwnerVerification?, verifiedDomain: SimplexDomain?)
    case ownLink
    case connectingConfirmReconnect
    case connectingProhibit(contact: Contact)
    case known(contact: Contact)
    case contactViaAddress(contact: Contact)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension ContactAddressPlan {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "ok":
            self = try .ok(
                contactSLinkData_: fields.optional("contactSLinkData_"),
                ownerVerification: fields.optional("ownerVerification"),
                verifiedDomain: fields.optional("verifiedDomain"))
        case "ownLink": self = .ownLink
        case "connectingConfirmReconnect": self = .connectingConfirmReconnect
        case "connectingProhibit": self = try .connectingProhibit(contact: fields("contact"))
        case "known": self = try .known(contact: fields("contact"))
        case "contactViaAddress": self = try .contactViaAddress(contact: fields("contact"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .ok(let contactSLinkData_, let ownerVerification, let verifiedDomain):
            try encoder.tagged("ok").optional("contactSLinkData_", contactSLinkData_).optional(
                "ownerVerification", ownerVerification).optional("verifiedDomain", verifiedDomain)
        case .ownLink: try encoder.tagged("ownLink")
        case .connectingConfirmReconnect: try encoder.tagged("connectingConfirmReconnect")
        case .connectingProhibit(let contact): try encoder.tagged("connectingProhibit")("contact", contact)
        case .known(let contact): try encoder.tagged("known")("contact", contact)
        case .contactViaAddress(let contact): try encoder.tagged("contactViaAddress")("contact", contact)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
