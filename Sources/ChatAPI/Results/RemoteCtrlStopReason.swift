// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// The reason why the session with a controlling device ended.
package indirect enum RemoteCtrlStopReason: TaggedUnion {
    case discoveryFailed(chatError: ChatError)
    case connectionFailed(chatError: ChatError)
    case setupFailed(chatError: ChatError)
    case disconnected
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension RemoteCtrlStopReason {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "discoveryFailed": self = try .discoveryFailed(chatError: fields("chatError"))
        case "connectionFailed": self = try .connectionFailed(chatError: fields("chatError"))
        case "setupFailed": self = try .setupFailed(chatError: fields("chatError"))
        case "disconnected": self = .disconnected
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .discoveryFailed(let chatError): try encoder.tagged("discoveryFailed")("chatError", chatError)
        case .connectionFailed(let chatError): try encoder.tagged("connectionFailed")("chatError", chatError)
        case .setupFailed(let chatError): try encoder.tagged("setupFailed")("chatError", chatError)
        case .disconnected: try encoder.tagged("disconnected")
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
