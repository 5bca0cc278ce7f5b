// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// Origin of a forwarded chat item.
package indirect enum CIForwardedFrom: TaggedUnion {
    case unknown
    case contact(chatName: String, msgDir: MsgDirection, contactId: Int64?, chatItemId: Int64?)
    case group(chatName: String, msgDir: MsgDirection, groupId: Int64?, chatItemId: Int64?)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension CIForwardedFrom {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "unknown": self = .unknown
        case "contact":
            self = try .contact(
                chatName: fields("chatName"), msgDir: fields("msgDir"), contactId: fields.optional("contactId"),
                chatItemId: fields.optional("chatItemId"))
        case "group":
            self = try .group(
                chatName: fields("chatName"), msgDir: fields("msgDir"), groupId: fields.optional("groupId"),
                chatItemId: fields.optional("chatItemId"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .unknown: try encoder.tagged("unknown")
        case .contact(let chatName, let msgDir, let contactId, let chatItemId):
            try encoder.tagged("contact")("chatName", chatName)("msgDir", msgDir).optional(
                "contactId", contactId).optional("chatItemId", chatItemId)
        case .group(let chatName, let msgDir, let groupId, let chatItemId):
            try encoder.tagged("group")("chatName", chatName)("msgDir", msgDir).optional("groupId", groupId).optional(
                "chatItemId", chatItemId)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
