// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// The reason why the server of the recipient could not be used: its host, its version, or another cause.
package indirect enum SrvError: TaggedUnion {
    case host
    case version
    case other(srvError: String)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension SrvError {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "host": self = .host
        case "version": self = .version
        case "other": self = try .other(srvError: fields("srvError"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .host: try encoder.tagged("host")
        case .version: try encoder.tagged("version")
        case .other(let srvError): try encoder.tagged("other")("srvError", srvError)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
