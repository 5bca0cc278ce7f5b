// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// The deletion mark of a chat item: the kind of the deletion, and its time.
package indirect enum CIDeleted: TaggedUnion {
    case deleted(deletedTs: UTCTime?, chatType: ChatType)
    case blocked(deletedTs: UTCTime?)
    case blockedByAdmin(deletedTs: UTCTime?)
    case moderated(deletedTs: UTCTime?, byGroupMember: GroupMember)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension CIDeleted {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "deleted": self = try .deleted(deletedTs: fields.optional("deletedTs"), chatType: fields("chatType"))
        case "blocked": self = try .blocked(deletedTs: fields.optional("deletedTs"))
        case "blockedByAdmin": self = try .blockedByAdmin(deletedTs: fields.optional("deletedTs"))
        case "moderated":
            self = try .moderated(deletedTs: fields.optional("deletedTs"), byGroupMember: fields("byGroupMember"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .deleted(let deletedTs, let chatType):
            try encoder.tagged("deleted").optional("deletedTs", deletedTs)("chatType", chatType)
        case .blocked(let deletedTs): try encoder.tagged("blocked").optional("deletedTs", deletedTs)
        case .blockedByAdmin(let deletedTs): try encoder.tagged("blockedByAdmin").optional("deletedTs", deletedTs)
        case .moderated(let deletedTs, let byGroupMember):
            try encoder.tagged("moderated").optional("deletedTs", deletedTs)("byGroupMember", byGroupMember)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
