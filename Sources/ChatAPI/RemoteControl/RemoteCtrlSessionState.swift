// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// State of the session with a controlling device.
package indirect enum RemoteCtrlSessionState: TaggedUnion {
    case starting
    case searching
    case connecting
    case pendingConfirmation(sessionCode: String)
    case connected(sessionCode: String)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension RemoteCtrlSessionState {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "starting": self = .starting
        case "searching": self = .searching
        case "connecting": self = .connecting
        case "pendingConfirmation": self = try .pendingConfirmation(sessionCode: fields("sessionCode"))
        case "connected": self = try .connected(sessionCode: fields("sessionCode"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .starting: try encoder.tagged("starting")
        case .searching: try encoder.tagged("searching")
        case .connecting: try encoder.tagged("connecting")
        case .pendingConfirmation(let sessionCode):
            try encoder.tagged("pendingConfirmation")("sessionCode", sessionCode)
        case .connected(let sessionCode): try encoder.tagged("connected")("sessionCode", sessionCode)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
