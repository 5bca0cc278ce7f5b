// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// The reason why a proxy could not forward a command to the destination relay.
package indirect enum ProxyError: TaggedUnion {
    case `protocol`(protocolErr: ErrorType)
    case broker(brokerErr: BrokerErrorType)
    case basicAuth
    case noSession
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension ProxyError {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "PROTOCOL": self = try .protocol(protocolErr: fields("protocolErr"))
        case "BROKER": self = try .broker(brokerErr: fields("brokerErr"))
        case "BASIC_AUTH": self = .basicAuth
        case "NO_SESSION": self = .noSession
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .protocol(let protocolErr): try encoder.tagged("PROTOCOL")("protocolErr", protocolErr)
        case .broker(let brokerErr): try encoder.tagged("BROKER")("brokerErr", brokerErr)
        case .basicAuth: try encoder.tagged("BASIC_AUTH")
        case .noSession: try encoder.tagged("NO_SESSION")
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
