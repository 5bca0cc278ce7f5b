// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// The reason why this device cannot be controlled.
package indirect enum RemoteCtrlError: TaggedUnion {
    case inactive
    case badState
    case busy
    case timeout
    case noKnownControllers
    case badController
    case disconnected(remoteCtrlId: Int64, reason: String)
    case badInvitation
    case badVersion(appVersion: String)
    case hTTP2Error(http2Error: String)
    case protocolError(protocolError: RemoteProtocolError)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension RemoteCtrlError {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "inactive": self = .inactive
        case "badState": self = .badState
        case "busy": self = .busy
        case "timeout": self = .timeout
        case "noKnownControllers": self = .noKnownControllers
        case "badController": self = .badController
        case "disconnected": self = try .disconnected(remoteCtrlId: fields("remoteCtrlId"), reason: fields("reason"))
        case "badInvitation": self = .badInvitation
        case "badVersion": self = try .badVersion(appVersion: fields("appVersion"))
        case "hTTP2Error": self = try .hTTP2Error(http2Error: fields("http2Error"))
        case "protocolError": self = try .protocolError(protocolError: fields("protocolError"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .inactive: try encoder.tagged("inactive")
        case .badState: try encoder.tagged("badState")
        case .busy: try encoder.tagged("busy")
        case .timeout: try encoder.tagged("timeout")
        case .noKnownControllers: try encoder.tagged("noKnownControllers")
        case .badController: try encoder.tagged("badController")
        case .disconnected(let remoteCtrlId, let reason):
            try encoder.tagged("disconnected")("remoteCtrlId", remoteCtrlId)("reason", reason)
        case .badInvitation: try encoder.tagged("badInvitation")
        case .badVersion(let appVersion): try encoder.tagged("badVersion")("appVersion", appVersion)
        case .hTTP2Error(let http2Error): try encoder.tagged("hTTP2Error")("http2Error", http2Error)
        case .protocolError(let protocolError): try encoder.tagged("protocolError")("protocolError", protocolError)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
