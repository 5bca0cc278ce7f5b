// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// A chat inside a group besides the main chat: the support chat of a member.
package indirect enum GroupChatScope: TaggedUnion {
    case memberSupport(groupMemberId_: Int64?)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension GroupChatScope {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "memberSupport": self = try .memberSupport(groupMemberId_: fields.optional("groupMemberId_"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .memberSupport(let groupMemberId_):
            try encoder.tagged("memberSupport").optional("groupMemberId_", groupMemberId_)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
