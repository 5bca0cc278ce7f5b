// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// The chat inside a group to which an item belongs, with its member.
package indirect enum GroupChatScopeInfo: TaggedUnion {
    case memberSupport(groupMember_: GroupMember?)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension GroupChatScopeInfo {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "memberSupport": self = try .memberSupport(groupMember_: fields.optional("groupMember_"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .memberSupport(let groupMember_):
            try encoder.tagged("memberSupport").optional("groupMember_", groupMember_)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
