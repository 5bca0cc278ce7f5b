// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// The reason why a controlled device cannot be used.
package indirect enum RemoteHostError: TaggedUnion {
    case missing
    case inactive
    case busy
    case timeout
    case badState
    case badVersion(appVersion: String)
    case localCommand
    case disconnected(reason: String)
    case protocolError(data: RemoteProtocolError)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension RemoteHostError {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "missing": self = .missing
        case "inactive": self = .inactive
        case "busy": self = .busy
        case "timeout": self = .timeout
        case "badState": self = .badState
        case "badVersion": self = try .badVersion(appVersion: fields("appVersion"))
        case "localCommand": self = .localCommand
        case "disconnected": self = try .disconnected(reason: fields("reason"))
        case "protocolError": self = try .protocolError(data: fields("data"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .missing: try encoder.tagged("missing")
        case .inactive: try encoder.tagged("inactive")
        case .busy: try encoder.tagged("busy")
        case .timeout: try encoder.tagged("timeout")
        case .badState: try encoder.tagged("badState")
        case .badVersion(let appVersion): try encoder.tagged("badVersion")("appVersion", appVersion)
        case .localCommand: try encoder.tagged("localCommand")
        case .disconnected(let reason): try encoder.tagged("disconnected")("reason", reason)
        case .protocolError(let data): try encoder.tagged("protocolError")("data", data)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
