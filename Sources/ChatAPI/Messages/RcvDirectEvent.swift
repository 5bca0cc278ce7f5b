// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// An action of a contact, as content of a received chat item.
package indirect enum RcvDirectEvent: TaggedUnion {
    case contactDeleted
    case profileUpdated(fromProfile: Profile, toProfile: Profile)
    case groupInvLinkReceived(groupProfile: GroupProfile)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension RcvDirectEvent {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "contactDeleted": self = .contactDeleted
        case "profileUpdated":
            self = try .profileUpdated(fromProfile: fields("fromProfile"), toProfile: fields("toProfile"))
        case "groupInvLinkReceived": self = try .groupInvLinkReceived(groupProfile: fields("groupProfile"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .contactDeleted: try encoder.tagged("contactDeleted")
        case .profileUpdated(let fromProfile, let toProfile):
            try encoder.tagged("profileUpdated")("fromProfile", fromProfile)("toProfile", toProfile)
        case .groupInvLinkReceived(let groupProfile):
            try encoder.tagged("groupInvLinkReceived")("groupProfile", groupProfile)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
