// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// The error of a proxy when it forwarded a command.
package indirect enum ProxyClientError: TaggedUnion {
    case protocolError(protocolErr: ErrorType)
    case unexpectedResponse(responseStr: String)
    case responseError(responseErr: ErrorType)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension ProxyClientError {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "protocolError": self = try .protocolError(protocolErr: fields("protocolErr"))
        case "unexpectedResponse": self = try .unexpectedResponse(responseStr: fields("responseStr"))
        case "responseError": self = try .responseError(responseErr: fields("responseErr"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .protocolError(let protocolErr): try encoder.tagged("protocolError")("protocolErr", protocolErr)
        case .unexpectedResponse(let responseStr): try encoder.tagged("unexpectedResponse")("responseStr", responseStr)
        case .responseError(let responseErr): try encoder.tagged("responseError")("responseErr", responseErr)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
