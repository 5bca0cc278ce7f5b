// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// Whether the conditions of an operator are accepted, and the deadline for accepting them.
package indirect enum ConditionsAcceptance: TaggedUnion {
    case accepted(acceptedAt: UTCTime?, autoAccepted: Bool)
    case required(deadline: UTCTime?)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension ConditionsAcceptance {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "accepted":
            self = try .accepted(acceptedAt: fields.optional("acceptedAt"), autoAccepted: fields("autoAccepted"))
        case "required": self = try .required(deadline: fields.optional("deadline"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .accepted(let acceptedAt, let autoAccepted):
            try encoder.tagged("accepted").optional("acceptedAt", acceptedAt)("autoAccepted", autoAccepted)
        case .required(let deadline): try encoder.tagged("required").optional("deadline", deadline)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
