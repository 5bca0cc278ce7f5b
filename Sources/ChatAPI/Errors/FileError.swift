// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// The reason why a transfer of a file failed.
package indirect enum FileError: TaggedUnion {
    case auth
    case blocked(server: String, blockInfo: BlockingInfo)
    case noFile
    case relay(srvError: SrvError)
    case other(fileError: String)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension FileError {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "auth": self = .auth
        case "blocked": self = try .blocked(server: fields("server"), blockInfo: fields("blockInfo"))
        case "noFile": self = .noFile
        case "relay": self = try .relay(srvError: fields("srvError"))
        case "other": self = try .other(fileError: fields("fileError"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .auth: try encoder.tagged("auth")
        case .blocked(let server, let blockInfo):
            try encoder.tagged("blocked")("server", server)("blockInfo", blockInfo)
        case .noFile: try encoder.tagged("noFile")
        case .relay(let srvError): try encoder.tagged("relay")("srvError", srvError)
        case .other(let fileError): try encoder.tagged("other")("fileError", fileError)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
