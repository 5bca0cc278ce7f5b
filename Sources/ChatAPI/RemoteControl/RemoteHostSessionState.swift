// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// State of the session with a controlled device.
package indirect enum RemoteHostSessionState: TaggedUnion {
    case starting
    case connecting(invitation: String)
    case pendingConfirmation(sessionCode: String)
    case confirmed(sessionCode: String)
    case connected(sessionCode: String)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension RemoteHostSessionState {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "starting": self = .starting
        case "connecting": self = try .connecting(invitation: fields("invitation"))
        case "pendingConfirmation": self = try .pendingConfirmation(sessionCode: fields("sessionCode"))
        case "confirmed": self = try .confirmed(sessionCode: fields("sessionCode"))
        case "connected": self = try .connected(sessionCode: fields("sessionCode"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .starting: try encoder.tagged("starting")
        case .connecting(let invitation): try encoder.tagged("connecting")("invitation", invitation)
        case .pendingConfirmation(let sessionCode):
            try encoder.tagged("pendingConfirmation")("sessionCode", sessionCode)
        case .confirmed(let sessionCode): try encoder.tagged("confirmed")("sessionCode", sessionCode)
        case .connected(let sessionCode): try encoder.tagged("connected")("sessionCode", sessionCode)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
