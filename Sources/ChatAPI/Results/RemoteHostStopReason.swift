// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// The reason why the session with a controlled device ended.
package indirect enum RemoteHostStopReason: TaggedUnion {
    case connectionFailed(chatError: ChatError)
    case crashed(chatError: ChatError)
    case disconnected
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension RemoteHostStopReason {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "connectionFailed": self = try .connectionFailed(chatError: fields("chatError"))
        case "crashed": self = try .crashed(chatError: fields("chatError"))
        case "disconnected": self = .disconnected
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .connectionFailed(let chatError): try encoder.tagged("connectionFailed")("chatError", chatError)
        case .crashed(let chatError): try encoder.tagged("crashed")("chatError", chatError)
        case .disconnected: try encoder.tagged("disconnected")
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
