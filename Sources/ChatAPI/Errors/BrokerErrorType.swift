// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// The reason why a server could not be used: it is unreachable, or its answer is missing or wrong.
package indirect enum BrokerErrorType: TaggedUnion {
    case response(respErr: String)
    case unexpected(respErr: String)
    case network(networkError: NetworkError)
    case host
    case noService
    case transport(transportErr: TransportError)
    case timeout
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension BrokerErrorType {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "RESPONSE": self = try .response(respErr: fields("respErr"))
        case "UNEXPECTED": self = try .unexpected(respErr: fields("respErr"))
        case "NETWORK": self = try .network(networkError: fields("networkError"))
        case "HOST": self = .host
        case "NO_SERVICE": self = .noService
        case "TRANSPORT": self = try .transport(transportErr: fields("transportErr"))
        case "TIMEOUT": self = .timeout
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .response(let respErr): try encoder.tagged("RESPONSE")("respErr", respErr)
        case .unexpected(let respErr): try encoder.tagged("UNEXPECTED")("respErr", respErr)
        case .network(let networkError): try encoder.tagged("NETWORK")("networkError", networkError)
        case .host: try encoder.tagged("HOST")
        case .noService: try encoder.tagged("NO_SERVICE")
        case .transport(let transportErr): try encoder.tagged("TRANSPORT")("transportErr", transportErr)
        case .timeout: try encoder.tagged("TIMEOUT")
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
