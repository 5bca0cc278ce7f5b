package import ChatAPI
package import SQLCipher

/// The identity of a chat of a user: its kind, and its id among the chats of this kind. All data of a chat (items,
/// reactions, counts, tags, names) contain the identity in the columns `chat_type` and `chat_id`, beside `user_id`.
package enum ChatKey: Hashable, Sendable {
    case contact(Int64)
    case group(Int64)
    case notes(Int64)
    /// The support chat of a member of a group, by the member's id.
    case memberSupport(Int64)
    /// A support chat as commands name it: by its group and its member. Without a member, it is the user's own support
    /// chat.
    case supportChatReference(group: Int64, member: Int64?)

    /// The stored value of the kind. The values 0 and 1 use no space in a row.
    package enum Kind: Int64 {
        case contact = 0
        case group = 1
        case notes = 2
        case support = 3
    }

    package var kind: Kind {
        switch self {
        case .contact: .contact
        case .group: .group
        case .notes: .notes
        case .memberSupport, .supportChatReference: .support
        }
    }

    package var chatId: Int64 {
        switch self {
        case .contact(let id), .group(let id), .notes(let id), .memberSupport(let id): id
        // No item is stored under a `supportChatReference`. Items of support chats are stored under `memberSupport`.
        case .supportChatReference(_, let member): member ?? 0
        }
    }

    /// Whether the chat is a group, or a support chat in a group.
    package var isOfGroup: Bool { kind == .group || kind == .support }

    /// Whether the chat has other participants than the user.
    package var hasPeers: Bool {
        switch self {
        case .contact, .group, .memberSupport, .supportChatReference: true
        case .notes: false
        }
    }

    package init(_ kind: Kind, _ id: Int64) {
        switch kind {
        case .contact: self = .contact(id)
        case .group: self = .group(id)
        case .notes: self = .notes(id)
        case .support: self = .memberSupport(id)
        }
    }

    /// Reads the key from the columns `chat_type` and `chat_id`.
    package init(_ row: Row) throws { try self.init(type: row.int64("chat_type"), row.int64("chat_id")) }

    /// Makes a key from the stored values.
    /// - Throws: `internalError` for an unknown kind.
    package init(type: Int64, _ id: Int64) throws {
        guard let kind = Kind(rawValue: type) else {
            throw ChatFailure(StoreError.internalError(message: "unknown kind of chat \(type)"))
        }
        self.init(kind, id)
    }

    /// The values of the columns `chat_type` and `chat_id`.
    package var columnValues: [Argument] { [kind.rawValue, chatId] }

    /// The table with the row of the chat. `id` is the column with the id of the chat, beside the column `user_id`.
    package var table: (name: String, id: String) {
        switch self {
        case .contact: ("contacts", "contact_id")
        case .group: ("groups", "group_id")
        case .notes: ("note_folders", "note_folder_id")
        case .memberSupport, .supportChatReference: ("group_members", "group_member_id")
        }
    }

    /// Returns the SQL condition that a row of `table` belongs to the chat of a row of `owner`. The chat has the kind
    /// `kind`, and its id is in the column `column` of `owner`.
    package static func joinCondition(_ table: String, _ kind: Kind, _ owner: String, _ column: String) -> String {
        "\(table).user_id = \(owner).user_id AND \(table).chat_type = \(kind.rawValue) AND \(table).chat_id = \(owner).\(column)"
    }

    /// The SQL conditions that the item `i` belongs to the contact `c`, or to the group `g`.
    package static let contactItemsCondition = joinCondition("i", .contact, "c", "contact_id"),
        groupItemsCondition = joinCondition("i", .group, "g", "group_id")
}

/// Conversions from references to chats in the API.
extension ChatKey {
    /// Converts a reference to a chat.
    /// - Throws: `commandError` for a reference to something without items, such as a contact request.
    package init(_ chat: ChatRef) throws {
        switch chat.chatType {
        case .direct: self = .contact(chat.chatId)
        case .group:
            switch chat.chatScope {
            case nil: self = .group(chat.chatId)
            case .memberSupport(let memberId)?: self = .supportChatReference(group: chat.chatId, member: memberId)
            case .unrecognized?: throw ChatFailure.commandError("not supported")
            }
        case .local: self = .notes(chat.chatId)
        default: throw ChatFailure.commandError("not supported")
        }
    }

    /// Converts a reference to a chat, for a command that is not available for support chats.
    /// - Throws: `commandError` for a reference to a support chat, or to an object without items.
    package init(whole chat: ChatRef) throws {
        guard chat.chatScope == nil else { throw ChatFailure.commandError("not supported") }
        try self.init(chat)
    }

    package var chatType: ChatType {
        switch self {
        case .contact: .direct
        case .group: .group
        case .notes: .local
        case .memberSupport, .supportChatReference: .group
        }
    }
}
