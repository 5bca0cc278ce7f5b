// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// The reason why the agent has no connection of the needed kind.
package indirect enum ConnectionErrorType: TaggedUnion {
    case notFound
    case duplicate
    case simplex
    case notAccepted
    case notAvailable
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension ConnectionErrorType {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "NOT_FOUND": self = .notFound
        case "DUPLICATE": self = .duplicate
        case "SIMPLEX": self = .simplex
        case "NOT_ACCEPTED": self = .notAccepted
        case "NOT_AVAILABLE": self = .notAvailable
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .notFound: try encoder.tagged("NOT_FOUND")
        case .duplicate: try encoder.tagged("DUPLICATE")
        case .simplex: try encoder.tagged("SIMPLEX")
        case .notAccepted: try encoder.tagged("NOT_ACCEPTED")
        case .notAvailable: try encoder.tagged("NOT_AVAILABLE")
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
