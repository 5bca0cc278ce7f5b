// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// An error in the answer of an SMP server (SMP protocol, ERR).
package indirect enum ErrorType: TaggedUnion {
    case block
    case session
    case cmd(cmdErr: CommandError)
    case proxy(proxyErr: ProxyError)
    case auth
    case blocked(blockInfo: BlockingInfo)
    case service
    case crypto
    case quota
    case store(storeErr: String)
    case noMsg
    case largeMsg
    case expired
    case `internal`
    case name(nameErr: NameErrorType)
    case duplicate
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension ErrorType {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "BLOCK": self = .block
        case "SESSION": self = .session
        case "CMD": self = try .cmd(cmdErr: fields("cmdErr"))
        case "PROXY": self = try .proxy(proxyErr: fields("proxyErr"))
        case "AUTH": self = .auth
        case "BLOCKED": self = try .blocked(blockInfo: fields("blockInfo"))
        case "SERVICE": self = .service
        case "CRYPTO": self = .crypto
        case "QUOTA": self = .quota
        case "STORE": self = try .store(storeErr: fields("storeErr"))
        case "NO_MSG": self = .noMsg
        case "LARGE_MSG": self = .largeMsg
        case "EXPIRED": self = .expired
        case "INTERNAL": self = .internal
        case "NAME": self = try .name(nameErr: fields("nameErr"))
        case "DUPLICATE_": self = .duplicate
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .block: try encoder.tagged("BLOCK")
        case .session: try encoder.tagged("SESSION")
        case .cmd(let cmdErr): try encoder.tagged("CMD")("cmdErr", cmdErr)
        case .proxy(let proxyErr): try encoder.tagged("PROXY")("proxyErr", proxyErr)
        case .auth: try encoder.tagged("AUTH")
        case .blocked(let blockInfo): try encoder.tagged("BLOCKED")("blockInfo", blockInfo)
        case .service: try encoder.tagged("SERVICE")
        case .crypto: try encoder.tagged("CRYPTO")
        case .quota: try encoder.tagged("QUOTA")
        case .store(let storeErr): try encoder.tagged("STORE")("storeErr", storeErr)
        case .noMsg: try encoder.tagged("NO_MSG")
        case .largeMsg: try encoder.tagged("LARGE_MSG")
        case .expired: try encoder.tagged("EXPIRED")
        case .internal: try encoder.tagged("INTERNAL")
        case .name(let nameErr): try encoder.tagged("NAME")("nameErr", nameErr)
        case .duplicate: try encoder.tagged("DUPLICATE_")
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
