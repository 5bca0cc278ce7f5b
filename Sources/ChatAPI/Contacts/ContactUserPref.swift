// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// The preference of one side for a feature: set for this contact, or set in the profile.
package indirect enum ContactUserPref: TaggedUnion {
    case contact(preference: SimplePreference)
    case user(preference: SimplePreference)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension ContactUserPref {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "contact": self = try .contact(preference: fields("preference"))
        case "user": self = try .user(preference: fields("preference"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .contact(let preference): try encoder.tagged("contact")("preference", preference)
        case .user(let preference): try encoder.tagged("user")("preference", preference)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
