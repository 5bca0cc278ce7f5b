// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// The reason why a connection to a host failed.
package indirect enum NetworkError: TaggedUnion {
    case connectError(connectError: String)
    case tLSError(tlsError: String)
    case unknownCAError
    case failedError
    case timeoutError
    case subscribeError(subscribeError: String)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension NetworkError {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "connectError": self = try .connectError(connectError: fields("connectError"))
        case "tLSError": self = try .tLSError(tlsError: fields("tlsError"))
        case "unknownCAError": self = .unknownCAError
        case "failedError": self = .failedError
        case "timeoutError": self = .timeoutError
        case "subscribeError": self = try .subscribeError(subscribeError: fields("subscribeError"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .connectError(let connectError): try encoder.tagged("connectError")("connectError", connectError)
        case .tLSError(let tlsError): try encoder.tagged("tLSError")("tlsError", tlsError)
        case .unknownCAError: try encoder.tagged("unknownCAError")
        case .failedError: try encoder.tagged("failedError")
        case .timeoutError: try encoder.tagged("timeoutError")
        case .subscribeError(let subscribeError): try encoder.tagged("subscribeError")("subscribeError", subscribeError)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
