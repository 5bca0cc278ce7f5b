// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// A link to a contact or group, as content of a message.
package indirect enum MsgChatLink: TaggedUnion {
    case contact(connLink: String, profile: Profile, business: Bool)
    case invitation(invLink: String, profile: Profile)
    case group(connLink: String, groupProfile: GroupProfile)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension MsgChatLink {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "contact":
            self = try .contact(connLink: fields("connLink"), profile: fields("profile"), business: fields("business"))
        case "invitation": self = try .invitation(invLink: fields("invLink"), profile: fields("profile"))
        case "group": self = try .group(connLink: fields("connLink"), groupProfile: fields("groupProfile"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .contact(let connLink, let profile, let business):
            try encoder.tagged("contact")("connLink", connLink)("profile", profile)("business", business)
        case .invitation(let invLink, let profile):
            try encoder.tagged("invitation")("invLink", invLink)("profile", profile)
        case .group(let connLink, let groupProfile):
            try encoder.tagged("group")("connLink", connLink)("groupProfile", groupProfile)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
