// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// The key and nonce of a file that was written, or the reason why writing failed.
package indirect enum WriteFileResult: TaggedUnion {
    case result(cryptoArgs: CryptoFileArgs)
    case error(writeError: String)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension WriteFileResult {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "result": self = try .result(cryptoArgs: fields("cryptoArgs"))
        case "error": self = try .error(writeError: fields("writeError"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .result(let cryptoArgs): try encoder.tagged("result")("cryptoArgs", cryptoArgs)
        case .error(let writeError): try encoder.tagged("error")("writeError", writeError)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
