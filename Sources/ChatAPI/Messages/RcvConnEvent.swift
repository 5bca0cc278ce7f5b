// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// An event of a connection that the peer has caused, as content of a received chat item.
package indirect enum RcvConnEvent: TaggedUnion {
    case switchQueue(phase: SwitchPhase)
    case ratchetSync(syncStatus: RatchetSyncState)
    case verificationCodeReset
    case pqEnabled(enabled: Bool)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension RcvConnEvent {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "switchQueue": self = try .switchQueue(phase: fields("phase"))
        case "ratchetSync": self = try .ratchetSync(syncStatus: fields("syncStatus"))
        case "verificationCodeReset": self = .verificationCodeReset
        case "pqEnabled": self = try .pqEnabled(enabled: fields("enabled"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .switchQueue(let phase): try encoder.tagged("switchQueue")("phase", phase)
        case .ratchetSync(let syncStatus): try encoder.tagged("ratchetSync")("syncStatus", syncStatus)
        case .verificationCodeReset: try encoder.tagged("verificationCodeReset")
        case .pqEnabled(let enabled): try encoder.tagged("pqEnabled")("enabled", enabled)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
