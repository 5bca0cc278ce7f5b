// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// The action for the user about the conditions of use: review them, or learn that they are accepted automatically.
package indirect enum UsageConditionsAction: TaggedUnion {
    case review(operators: [ServerOperator], deadline: UTCTime?, showNotice: Bool)
    case accepted(operators: [ServerOperator])
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension UsageConditionsAction {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "review":
            self = try .review(
                operators: fields("operators"), deadline: fields.optional("deadline"), showNotice: fields("showNotice"))
        case "accepted": self = try .accepted(operators: fields("operators"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .review(let operators, let deadline, let showNotice):
            try encoder.tagged("review")("operators", operators).optional("deadline", deadline)(
                "showNotice", showNotice)
        case .accepted(let operators): try encoder.tagged("accepted")("operators", operators)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
