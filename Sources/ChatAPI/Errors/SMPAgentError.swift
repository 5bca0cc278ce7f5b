// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// The defect in an agent message: its form, version, encryption or order.
package indirect enum SMPAgentError: TaggedUnion {
    case aMessage
    case aProhibited(prohibitedErr: String)
    case aVersion
    case aLink(linkErr: String)
    case aCrypto(cryptoErr: AgentCryptoError)
    case aDuplicate(droppedMsg_: DroppedMsg?)
    case aQueue(queueErr: String)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension SMPAgentError {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "A_MESSAGE": self = .aMessage
        case "A_PROHIBITED": self = try .aProhibited(prohibitedErr: fields("prohibitedErr"))
        case "A_VERSION": self = .aVersion
        case "A_LINK": self = try .aLink(linkErr: fields("linkErr"))
        case "A_CRYPTO": self = try .aCrypto(cryptoErr: fields("cryptoErr"))
        case "A_DUPLICATE": self = try .aDuplicate(droppedMsg_: fields.optional("droppedMsg_"))
        case "A_QUEUE": self = try .aQueue(queueErr: fields("queueErr"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .aMessage: try encoder.tagged("A_MESSAGE")
        case .aProhibited(let prohibitedErr): try encoder.tagged("A_PROHIBITED")("prohibitedErr", prohibitedErr)
        case .aVersion: try encoder.tagged("A_VERSION")
        case .aLink(let linkErr): try encoder.tagged("A_LINK")("linkErr", linkErr)
        case .aCrypto(let cryptoErr): try encoder.tagged("A_CRYPTO")("cryptoErr", cryptoErr)
        case .aDuplicate(let droppedMsg_): try encoder.tagged("A_DUPLICATE").optional("droppedMsg_", droppedMsg_)
        case .aQueue(let queueErr): try encoder.tagged("A_QUEUE")("queueErr", queueErr)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
