// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// Progress of the delivery of a sent item to one member.
package indirect enum GroupSndStatus: TaggedUnion {
    case new
    case forwarded
    case inactive
    case sent
    case rcvd(msgRcptStatus: MsgReceiptStatus)
    case error(agentError: SndError)
    case warning(agentError: SndError)
    case invalid(text: String)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension GroupSndStatus {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "new": self = .new
        case "forwarded": self = .forwarded
        case "inactive": self = .inactive
        case "sent": self = .sent
        case "rcvd": self = try .rcvd(msgRcptStatus: fields("msgRcptStatus"))
        case "error": self = try .error(agentError: fields("agentError"))
        case "warning": self = try .warning(agentError: fields("agentError"))
        case "invalid": self = try .invalid(text: fields("text"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .new: try encoder.tagged("new")
        case .forwarded: try encoder.tagged("forwarded")
        case .inactive: try encoder.tagged("inactive")
        case .sent: try encoder.tagged("sent")
        case .rcvd(let msgRcptStatus): try encoder.tagged("rcvd")("msgRcptStatus", msgRcptStatus)
        case .error(let agentError): try encoder.tagged("error")("agentError", agentError)
        case .warning(let agentError): try encoder.tagged("warning")("agentError", agentError)
        case .invalid(let text): try encoder.tagged("invalid")("text", text)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
