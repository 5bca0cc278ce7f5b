// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// The result of the check of an owner's signature on a link.
package indirect enum OwnerVerification: TaggedUnion {
    case verified
    case failed(reason: String)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension OwnerVerification {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "verified": self = .verified
        case "failed": self = try .failed(reason: fields("reason"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .verified: try encoder.tagged("verified")
        case .failed(let reason): try encoder.tagged("failed")("reason", reason)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
