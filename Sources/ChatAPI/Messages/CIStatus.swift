// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// Status of the sending or receiving of a message.
package indirect enum CIStatus: TaggedUnion {
    case sndNew
    case sndSent(sndProgress: SndCIStatusProgress)
    case sndRcvd(msgRcptStatus: MsgReceiptStatus, sndProgress: SndCIStatusProgress)
    case sndErrorAuth
    case sndError(agentError: SndError)
    case sndWarning(agentError: SndError)
    case rcvNew
    case rcvRead
    case invalid(text: String)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension CIStatus {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "sndNew": self = .sndNew
        case "sndSent": self = try .sndSent(sndProgress: fields("sndProgress"))
        case "sndRcvd": self = try .sndRcvd(msgRcptStatus: fields("msgRcptStatus"), sndProgress: fields("sndProgress"))
        case "sndErrorAuth": self = .sndErrorAuth
        case "sndError": self = try .sndError(agentError: fields("agentError"))
        case "sndWarning": self = try .sndWarning(agentError: fields("agentError"))
        case "rcvNew": self = .rcvNew
        case "rcvRead": self = .rcvRead
        case "invalid": self = try .invalid(text: fields("text"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .sndNew: try encoder.tagged("sndNew")
        case .sndSent(let sndProgress): try encoder.tagged("sndSent")("sndProgress", sndProgress)
        case .sndRcvd(let msgRcptStatus, let sndProgress):
            try encoder.tagged("sndRcvd")("msgRcptStatus", msgRcptStatus)("sndProgress", sndProgress)
        case .sndErrorAuth: try encoder.tagged("sndErrorAuth")
        case .sndError(let agentError): try encoder.tagged("sndError")("agentError", agentError)
        case .sndWarning(let agentError): try encoder.tagged("sndWarning")("agentError", agentError)
        case .rcvNew: try encoder.tagged("rcvNew")
        case .rcvRead: try encoder.tagged("rcvRead")
        case .invalid(let text): try encoder.tagged("invalid")("text", text)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
