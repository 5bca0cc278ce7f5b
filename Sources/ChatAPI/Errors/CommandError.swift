// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// The reason why a server refused the form of a command (SMP protocol, ERR CMD).
package indirect enum CommandError: TaggedUnion {
    case unknown
    case syntax
    case prohibited
    case noAuth
    case hasAuth
    case noEntity
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension CommandError {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "UNKNOWN": self = .unknown
        case "SYNTAX": self = .syntax
        case "PROHIBITED": self = .prohibited
        case "NO_AUTH": self = .noAuth
        case "HAS_AUTH": self = .hasAuth
        case "NO_ENTITY": self = .noEntity
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .unknown: try encoder.tagged("UNKNOWN")
        case .syntax: try encoder.tagged("SYNTAX")
        case .prohibited: try encoder.tagged("PROHIBITED")
        case .noAuth: try encoder.tagged("NO_AUTH")
        case .hasAuth: try encoder.tagged("HAS_AUTH")
        case .noEntity: try encoder.tagged("NO_ENTITY")
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
