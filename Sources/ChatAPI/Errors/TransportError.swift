// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// An error below the level of commands: in blocks, the handshake, or versions.
package indirect enum TransportError: TaggedUnion {
    case badBlock
    case version
    case largeMsg
    case badSession
    case noServerAuth
    case handshake(handshakeErr: HandshakeError)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension TransportError {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "badBlock": self = .badBlock
        case "version": self = .version
        case "largeMsg": self = .largeMsg
        case "badSession": self = .badSession
        case "noServerAuth": self = .noServerAuth
        case "handshake": self = try .handshake(handshakeErr: fields("handshakeErr"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .badBlock: try encoder.tagged("badBlock")
        case .version: try encoder.tagged("version")
        case .largeMsg: try encoder.tagged("largeMsg")
        case .badSession: try encoder.tagged("badSession")
        case .noServerAuth: try encoder.tagged("noServerAuth")
        case .handshake(let handshakeErr): try encoder.tagged("handshake")("handshakeErr", handshakeErr)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
