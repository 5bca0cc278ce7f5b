// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// The error of a domain in a SimpleX name.
package indirect enum SimplexDomainError: TaggedUnion {
    case noValidLink
    case unknownDomain
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension SimplexDomainError {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "noValidLink": self = .noValidLink
        case "unknownDomain": self = .unknownDomain
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .noValidLink: try encoder.tagged("noValidLink")
        case .unknownDomain: try encoder.tagged("unknownDomain")
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
