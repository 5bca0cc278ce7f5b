// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// The reason why the agent refuses a command in the present state of the connection.
package indirect enum CommandErrorType: TaggedUnion {
    case prohibited
    case syntax
    case noConn
    case size
    case large
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension CommandErrorType {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "PROHIBITED": self = .prohibited
        case "SYNTAX": self = .syntax
        case "NO_CONN": self = .noConn
        case "SIZE": self = .size
        case "LARGE": self = .large
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .prohibited: try encoder.tagged("PROHIBITED")
        case .syntax: try encoder.tagged("SYNTAX")
        case .noConn: try encoder.tagged("NO_CONN")
        case .size: try encoder.tagged("SIZE")
        case .large: try encoder.tagged("LARGE")
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
