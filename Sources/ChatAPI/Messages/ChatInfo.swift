public import JSON

/// Who or what a chat is with.
public indirect enum ChatInfo: TaggedUnion {
    case direct(contact: Contact)
    case group(groupInfo: GroupInfo, groupChatScope: GroupChatScopeInfo?)
    case local(noteFolder: NoteFolder)
    case contactRequest(contactRequest: UserContactRequest)
    case contactConnection(contactConnection: PendingContactConnection)
    case invalidJSON(chatType: ChatType, json: JSONValue)
    /// A case that this program does not know, as it came.
    case unrecognized(JSONValue)
}

extension ChatInfo {
    public init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "direct": self = .direct(contact: try fields("contact"))
        case "group": self = .group(groupInfo: try fields("groupInfo"), groupChatScope: try fields.optional("groupChatScope"))
        case "local": self = .local(noteFolder: try fields("noteFolder"))
        case "contactRequest": self = .contactRequest(contactRequest: try fields("contactRequest"))
        case "contactConnection": self = .contactConnection(contactConnection: try fields("contactConnection"))
        case "invalidJSON": self = .invalidJSON(chatType: try fields("chatType"), json: try fields("json"))
        default: self = .unrecognized(try fields.unknown(decoder))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .direct(let contact):
            try encoder.tagged("direct") { fields throws in
                try fields.encode(contact, forKey: "contact")
            }
        case .group(let groupInfo, let groupChatScope):
            try encoder.tagged("group") { fields throws in
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encodeIfPresent(groupChatScope, forKey: "groupChatScope")
            }
        case .local(let noteFolder):
            try encoder.tagged("local") { fields throws in
                try fields.encode(noteFolder, forKey: "noteFolder")
            }
        case .contactRequest(let contactRequest):
            try encoder.tagged("contactRequest") { fields throws in
                try fields.encode(contactRequest, forKey: "contactRequest")
            }
        case .contactConnection(let contactConnection):
            try encoder.tagged("contactConnection") { fields throws in
                try fields.encode(contactConnection, forKey: "contactConnection")
            }
        case .invalidJSON(let chatType, let json):
            try encoder.tagged("invalidJSON") { fields throws in
                try fields.encode(chatType, forKey: "chatType")
                try fields.encode(json, forKey: "json")
            }
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
