// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// The inviter of a member: a contact of the user, the user, or an unknown person.
package indirect enum InvitedBy: TaggedUnion {
    case contact(byContactId: Int64)
    case user
    case unknown
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension InvitedBy {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "contact": self = try .contact(byContactId: fields("byContactId"))
        case "user": self = .user
        case "unknown": self = .unknown
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .contact(let byContactId): try encoder.tagged("contact")("byContactId", byContactId)
        case .user: try encoder.tagged("user")
        case .unknown: try encoder.tagged("unknown")
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
