// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// The reason why the agent could not decrypt a message or agree on a ratchet.
package indirect enum AgentCryptoError: TaggedUnion {
    case decryptAes
    case decryptCb
    case ratchetHeader
    case ratchetSync
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension AgentCryptoError {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "DECRYPT_AES": self = .decryptAes
        case "DECRYPT_CB": self = .decryptCb
        case "RATCHET_HEADER": self = .ratchetHeader
        case "RATCHET_SYNC": self = .ratchetSync
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .decryptAes: try encoder.tagged("DECRYPT_AES")
        case .decryptCb: try encoder.tagged("DECRYPT_CB")
        case .ratchetHeader: try encoder.tagged("RATCHET_HEADER")
        case .ratchetSync: try encoder.tagged("RATCHET_SYNC")
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
