// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// The status of a connection of a contact or member: whether it receives messages.
package indirect enum NetworkStatus: TaggedUnion {
    case unknown
    case connected
    case disconnected
    case error(connectionError: String)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension NetworkStatus {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "unknown": self = .unknown
        case "connected": self = .connected
        case "disconnected": self = .disconnected
        case "error": self = try .error(connectionError: fields("connectionError"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .unknown: try encoder.tagged("unknown")
        case .connected: try encoder.tagged("connected")
        case .disconnected: try encoder.tagged("disconnected")
        case .error(let connectionError): try encoder.tagged("error")("connectionError", connectionError)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
