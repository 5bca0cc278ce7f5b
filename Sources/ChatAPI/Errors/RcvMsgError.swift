// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// The reason why a received message is not shown.
package indirect enum RcvMsgError: TaggedUnion {
    case dropped(attempts: Int)
    case parseError(parseError: String)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension RcvMsgError {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "dropped": self = try .dropped(attempts: fields("attempts"))
        case "parseError": self = try .parseError(parseError: fields("parseError"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .dropped(let attempts): try encoder.tagged("dropped")("attempts", attempts)
        case .parseError(let parseError): try encoder.tagged("parseError")("parseError", parseError)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
