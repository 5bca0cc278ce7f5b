// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// Progress in receiving a file.
package indirect enum RcvFileStatus: TaggedUnion {
    case new
    case accepted(filePath: String)
    case connected(filePath: String)
    case complete(filePath: String)
    case cancelled(filePath_: String?)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension RcvFileStatus {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "new": self = .new
        case "accepted": self = try .accepted(filePath: fields("filePath"))
        case "connected": self = try .connected(filePath: fields("filePath"))
        case "complete": self = try .complete(filePath: fields("filePath"))
        case "cancelled": self = try .cancelled(filePath_: fields.optional("filePath_"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .new: try encoder.tagged("new")
        case .accepted(let filePath): try encoder.tagged("accepted")("filePath", filePath)
        case .connected(let filePath): try encoder.tagged("connected")("filePath", filePath)
        case .complete(let filePath): try encoder.tagged("complete")("filePath", filePath)
        case .cancelled(let filePath_): try encoder.tagged("cancelled").optional("filePath_", filePath_)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
