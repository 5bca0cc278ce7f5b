// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// A change of the subscription that covers all queues of a service certificate.
package indirect enum ServiceSubEvent: TaggedUnion {
    case up(serviceError: String?, queueCount: Int64)
    case down(queueCount: Int64)
    case all
    case end(queueCount: Int64)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension ServiceSubEvent {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "up": self = try .up(serviceError: fields.optional("serviceError"), queueCount: fields("queueCount"))
        case "down": self = try .down(queueCount: fields("queueCount"))
        case "all": self = .all
        case "end": self = try .end(queueCount: fields("queueCount"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .up(let serviceError, let queueCount):
            try encoder.tagged("up").optional("serviceError", serviceError)("queueCount", queueCount)
        case .down(let queueCount): try encoder.tagged("down")("queueCount", queueCount)
        case .all: try encoder.tagged("all")
        case .end(let queueCount): try encoder.tagged("end")("queueCount", queueCount)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
