// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// The message that a notification announces, or the reason why the message is unknown.
package indirect enum RcvNtfMsgInfo: TaggedUnion {
    case info(ntfMsgInfo: NtfMsgInfo?)
    case error(ntfMsgError: AgentErrorType)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension RcvNtfMsgInfo {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "info": self = try .info(ntfMsgInfo: fields.optional("ntfMsgInfo"))
        case "error": self = try .error(ntfMsgError: fields("ntfMsgError"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .info(let ntfMsgInfo): try encoder.tagged("info").optional("ntfMsgInfo", ntfMsgInfo)
        case .error(let ntfMsgError): try encoder.tagged("error")("ntfMsgError", ntfMsgError)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
