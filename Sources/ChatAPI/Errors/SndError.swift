// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// The reason why a message was not sent.
package indirect enum SndError: TaggedUnion {
    case auth
    case quota
    case expired
    case relay(srvError: SrvError)
    case proxy(proxyServer: String, srvError: SrvError)
    case proxyRelay(proxyServer: String, srvError: SrvError)
    case other(sndError: String)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension SndError {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "auth": self = .auth
        case "quota": self = .quota
        case "expired": self = .expired
        case "relay": self = try .relay(srvError: fields("srvError"))
        case "proxy": self = try .proxy(proxyServer: fields("proxyServer"), srvError: fields("srvError"))
        case "proxyRelay": self = try .proxyRelay(proxyServer: fields("proxyServer"), srvError: fields("srvError"))
        case "other": self = try .other(sndError: fields("sndError"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .auth: try encoder.tagged("auth")
        case .quota: try encoder.tagged("quota")
        case .expired: try encoder.tagged("expired")
        case .relay(let srvError): try encoder.tagged("relay")("srvError", srvError)
        case .proxy(let proxyServer, let srvError):
            try encoder.tagged("proxy")("proxyServer", proxyServer)("srvError", srvError)
        case .proxyRelay(let proxyServer, let srvError):
            try encoder.tagged("proxyRelay")("proxyServer", proxyServer)("srvError", srvError)
        case .other(let sndError): try encoder.tagged("other")("sndError", sndError)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
