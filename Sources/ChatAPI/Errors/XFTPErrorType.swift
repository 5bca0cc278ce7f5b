// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// An error in the answer of an XFTP server.
package indirect enum XFTPErrorType: TaggedUnion {
    case block
    case session
    case handshake
    case cmd(cmdErr: CommandError)
    case auth
    case blocked(blockInfo: BlockingInfo)
    case size
    case quota
    case digest
    case crypto
    case noFile
    case hasFile
    case fileIo
    case timeout
    case `internal`
    case duplicate
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension XFTPErrorType {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "BLOCK": self = .block
        case "SESSION": self = .session
        case "HANDSHAKE": self = .handshake
        case "CMD": self = try .cmd(cmdErr: fields("cmdErr"))
        case "AUTH": self = .auth
        case "BLOCKED": self = try .blocked(blockInfo: fields("blockInfo"))
        case "SIZE": self = .size
        case "QUOTA": self = .quota
        case "DIGEST": self = .digest
        case "CRYPTO": self = .crypto
        case "NO_FILE": self = .noFile
        case "HAS_FILE": self = .hasFile
        case "FILE_IO": self = .fileIo
        case "TIMEOUT": self = .timeout
        case "INTERNAL": self = .internal
        case "DUPLICATE_": self = .duplicate
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .block: try encoder.tagged("BLOCK")
        case .session: try encoder.tagged("SESSION")
        case .handshake: try encoder.tagged("HANDSHAKE")
        case .cmd(let cmdErr): try encoder.tagged("CMD")("cmdErr", cmdErr)
        case .auth: try encoder.tagged("AUTH")
        case .blocked(let blockInfo): try encoder.tagged("BLOCKED")("blockInfo", blockInfo)
        case .size: try encoder.tagged("SIZE")
        case .quota: try encoder.tagged("QUOTA")
        case .digest: try encoder.tagged("DIGEST")
        case .crypto: try encoder.tagged("CRYPTO")
        case .noFile: try encoder.tagged("NO_FILE")
        case .hasFile: try encoder.tagged("HAS_FILE")
        case .fileIo: try encoder.tagged("FILE_IO")
        case .timeout: try encoder.tagged("TIMEOUT")
        case .internal: try encoder.tagged("INTERNAL")
        case .duplicate: try encoder.tagged("DUPLICATE_")
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
