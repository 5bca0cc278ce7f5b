// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// The reason why client and server could not agree on a connection.
package indirect enum HandshakeError: TaggedUnion {
    case parse
    case identity
    case badAuth
    case badService
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension HandshakeError {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "PARSE": self = .parse
        case "IDENTITY": self = .identity
        case "BAD_AUTH": self = .badAuth
        case "BAD_SERVICE": self = .badService
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .parse: try encoder.tagged("PARSE")
        case .identity: try encoder.tagged("IDENTITY")
        case .badAuth: try encoder.tagged("BAD_AUTH")
        case .badService: try encoder.tagged("BAD_SERVICE")
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
