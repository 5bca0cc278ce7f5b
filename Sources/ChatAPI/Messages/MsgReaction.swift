// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// A reaction to a message: {"type":"emoji","emoji":"..."}. Unknown reactions are kept as the original object.
package indirect enum MsgReaction: TaggedUnion {
    case emoji(emoji: String)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension MsgReaction {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "emoji": self = try .emoji(emoji: fields("emoji"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .emoji(let emoji): try encoder.tagged("emoji")("emoji", emoji)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
