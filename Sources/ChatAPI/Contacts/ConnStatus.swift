// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// Progress in establishing a connection.
package indirect enum ConnStatus: TaggedUnion {
    case new
    case prepared
    case joined
    case requested
    case accepted
    case sndReady
    case ready
    case deleted
    /// The connection has failed permanently.
    case failed(connError: String)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension ConnStatus {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "new": self = .new
        case "prepared": self = .prepared
        case "joined": self = .joined
        case "requested": self = .requested
        case "accepted": self = .accepted
        case "sndReady": self = .sndReady
        case "ready": self = .ready
        case "deleted": self = .deleted
        case "failed": self = try .failed(connError: fields("connError"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .new: try encoder.tagged("new")
        case .prepared: try encoder.tagged("prepared")
        case .joined: try encoder.tagged("joined")
        case .requested: try encoder.tagged("requested")
        case .accepted: try encoder.tagged("accepted")
        case .sndReady: try encoder.tagged("sndReady")
        case .ready: try encoder.tagged("ready")
        case .deleted: try encoder.tagged("deleted")
        case .failed(let connError): try encoder.tagged("failed")("connError", connError)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
