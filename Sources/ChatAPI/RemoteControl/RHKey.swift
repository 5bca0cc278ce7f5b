// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// Selection of a controlled device: a new device, or a known device.
package indirect enum RHKey: TaggedUnion {
    case new
    case id(remoteHostId: Int64)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension RHKey {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "new": self = .new
        case "id": self = try .id(remoteHostId: fields("remoteHostId"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .new: try encoder.tagged("new")
        case .id(let remoteHostId): try encoder.tagged("id")("remoteHostId", remoteHostId)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
