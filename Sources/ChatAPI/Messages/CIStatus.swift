public import JSON

/// Status of the sending or receiving of a message.
public indirect enum CIStatus: TaggedUnion {
    case sndNew
    case sndSent(sndProgress: SndCIStatusProgress)
    case sndRcvd(msgRcptStatus: MsgReceiptStatus, sndProgress: SndCIStatusProgress)
    case sndErrorAuth
    case sndError(agentError: SndError)
    case sndWarning(agentError: SndError)
    case rcvNew
    case rcvRead
    case invalid(text: String)
    /// A case that this program does not know, as it came.
    case unrecognized(JSONValue)
}

extension CIStatus {
    public init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "sndNew": self = .sndNew
        case "sndSent": self = .sndSent(sndProgress: try fields("sndProgress"))
        case "sndRcvd": self = .sndRcvd(msgRcptStatus: try fields("msgRcptStatus"), sndProgress: try fields("sndProgress"))
        case "sndErrorAuth": self = .sndErrorAuth
        case "sndError": self = .sndError(agentError: try fields("agentError"))
        case "sndWarning": self = .sndWarning(agentError: try fields("agentError"))
        case "rcvNew": self = .rcvNew
        case "rcvRead": self = .rcvRead
        case "invalid": self = .invalid(text: try fields("text"))
        default: self = .unrecognized(try fields.unknown(decoder))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .sndNew: try encoder.tagged("sndNew")
        case .sndSent(let sndProgress): try encoder.tagged("sndSent")("sndProgress", sndProgress)
        case .sndRcvd(let msgRcptStatus, let sndProgress): try encoder.tagged("sndRcvd")("msgRcptStatus", msgRcptStatus)("sndProgress", sndProgress)
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
