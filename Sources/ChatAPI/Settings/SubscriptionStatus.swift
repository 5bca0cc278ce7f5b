// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// The status of a connection: whether its queues are subscribed.
package indirect enum SubscriptionStatus: TaggedUnion {
    case active
    case pending
    case removed(subError: String)
    case noSub
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension SubscriptionStatus {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "active": self = .active
        case "pending": self = .pending
        case "removed": self = try .removed(subError: fields("subError"))
        case "noSub": self = .noSub
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .active: try encoder.tagged("active")
        case .pending: try encoder.tagged("pending")
        case .removed(let subError): try encoder.tagged("removed")("subError", subError)
        case .noSub: try encoder.tagged("noSub")
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
