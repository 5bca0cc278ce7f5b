// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// The author of a chat item: the user or the peer, by the type of the chat.
package indirect enum CIDirection: TaggedUnion {
    case directSnd
    case directRcv
    case groupSnd
    case groupRcv(groupMember: GroupMember)
    case channelRcv
    case localSnd
    case localRcv
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension CIDirection {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "directSnd": self = .directSnd
        case "directRcv": self = .directRcv
        case "groupSnd": self = .groupSnd
        case "groupRcv": self = try .groupRcv(groupMember: fields("groupMember"))
        case "channelRcv": self = .channelRcv
        case "localSnd": self = .localSnd
        case "localRcv": self = .localRcv
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .directSnd: try encoder.tagged("directSnd")
        case .directRcv: try encoder.tagged("directRcv")
        case .groupSnd: try encoder.tagged("groupSnd")
        case .groupRcv(let groupMember): try encoder.tagged("groupRcv")("groupMember", groupMember)
        case .channelRcv: try encoder.tagged("channelRcv")
        case .localSnd: try encoder.tagged("localSnd")
        case .localRcv: try encoder.tagged("localRcv")
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
