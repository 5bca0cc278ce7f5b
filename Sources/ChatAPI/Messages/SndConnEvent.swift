// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// An action of the user on a connection, as content of a sent chat item.
package indirect enum SndConnEvent: TaggedUnion {
    case switchQueue(phase: SwitchPhase, member: GroupMemberRef?)
    case ratchetSync(syncStatus: RatchetSyncState, member: GroupMemberRef?)
    case pqEnabled(enabled: Bool)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension SndConnEvent {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "switchQueue": self = try .switchQueue(phase: fields("phase"), member: fields.optional("member"))
        case "ratchetSync": self = try .ratchetSync(syncStatus: fields("syncStatus"), member: fields.optional("member"))
        case "pqEnabled": self = try .pqEnabled(enabled: fields("enabled"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .switchQueue(let phase, let member):
            try encoder.tagged("switchQueue")("phase", phase).optional("member", member)
        case .ratchetSync(let syncStatus, let member):
            try encoder.tagged("ratchetSync")("syncStatus", syncStatus).optional("member", member)
        case .pqEnabled(let enabled): try encoder.tagged("pqEnabled")("enabled", enabled)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
