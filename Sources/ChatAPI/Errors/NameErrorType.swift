// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// The reason why a SimpleX name could not be resolved.
package indirect enum NameErrorType: TaggedUnion {
    case noResolver
    case notFound
    case resolver(resolverErr: String)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension NameErrorType {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "NO_RESOLVER": self = .noResolver
        case "NOT_FOUND": self = .notFound
        case "RESOLVER": self = try .resolver(resolverErr: fields("resolverErr"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .noResolver: try encoder.tagged("NO_RESOLVER")
        case .notFound: try encoder.tagged("NOT_FOUND")
        case .resolver(let resolverErr): try encoder.tagged("RESOLVER")("resolverErr", resolverErr)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
