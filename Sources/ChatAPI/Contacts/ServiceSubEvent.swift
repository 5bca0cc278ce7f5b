public import JSON

/// An event of the subscriptions of a service certificate.
public indirect enum ServiceSubEvent: TaggedUnion {
    case up(serviceError: String?, queueCount: Int64)
    case down(queueCount: Int64)
    case all
    case end(queueCount: Int64)
    /// A case that this program does not know, as it came.
    case unrecognized(JSONValue)
}

extension ServiceSubEvent {
    public init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "up": self = .up(serviceError: try fields.optional("serviceError"), queueCount: try fields("queueCount"))
        case "down": self = .down(queueCount: try fields("queueCount"))
        case "all": self = .all
        case "end": self = .end(queueCount: try fields("queueCount"))
        default: self = .unrecognized(try fields.unknown(decoder))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .up(let serviceError, let queueCount): try encoder.tagged("up").optional("serviceError", serviceError)("queueCount", queueCount)
        case .down(let queueCount): try encoder.tagged("down")("queueCount", queueCount)
        case .all: try encoder.tagged("all")
        case .end(let queueCount): try encoder.tagged("end")("queueCount", queueCount)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
