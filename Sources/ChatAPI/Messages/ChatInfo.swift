// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// The other side of a chat, by its type.
package indirect enum ChatInfo: TaggedUnion {
    case direct(contact: Contact)
    case group(groupInfo: GroupInfo, groupChatScope: GroupChatScopeInfo?)
    case local(noteFolder: NoteFolder)
    case contactRequest(contactRequest: UserContactRequest)
    case contactConnection(contactConnection: PendingContactConnection)
    case invalidJSON(chatType: ChatType, json: JSONValue)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension ChatInfo {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "direct": self = try .direct(contact: fields("contact"))
        case "group":
            self = try .group(groupInfo: fields("groupInfo"), groupChatScope: fields.optional("groupChatScope"))
        case "local": self = try .local(noteFolder: fields("noteFolder"))
        case "contactRequest": self = try .contactRequest(contactRequest: fields("contactRequest"))
        case "contactConnection": self = try .contactConnection(contactConnection: fields("contactConnection"))
        case "invalidJSON": self = try .invalidJSON(chatType: fields("chatType"), json: fields("json"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .direct(let contact): try encoder.tagged("direct")("contact", contact)
        case .group(let groupInfo, let groupChatScope):
            try encoder.tagged("group")("groupInfo", groupInfo).optional("groupChatScope", groupChatScope)
        case .local(let noteFolder): try encoder.tagged("local")("noteFolder", noteFolder)
        case .contactRequest(let contactRequest): try encoder.tagged("contactRequest")("contactRequest", contactRequest)
        case .contactConnection(let contactConnection):
            try encoder.tagged("contactConnection")("contactConnection", contactConnection)
        case .invalidJSON(let chatType, let json): try encoder.tagged("invalidJSON")("chatType", chatType)("json", json)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
