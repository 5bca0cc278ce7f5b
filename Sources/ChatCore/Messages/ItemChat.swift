internal import ChatAPI
internal import SQLCipher

/// A chat that has items: with a contact, or the notes of a user.
protocol ItemChat: Sendable {
    var userId: Int64 { get }
    /// The column of `chat_items` that names chats of this kind.
    static var itemColumn: String { get }
    /// The chat's id in that column.
    var itemKey: Int64 { get }
    var place: ItemPlace { get }
    /// Whether the user has deleted the chat, and kept whom it is with.
    var isChatDeleted: Bool { get }
    /// The chat as the API shows it.
    func info(_ user: UserRecord) -> ChatInfo
    /// Puts the chat at the top of the list.
    mutating func moveToTop(_ tx: Transaction) throws
    /// Sets the mark that the chat itself is unread, or takes it away.
    func setUnread(_ unread: Bool, _ tx: Transaction) throws
}

/// Where an item is.
enum ItemPlace: Hashable, Sendable {
    case contact(Int64)
    case notes(Int64)

    /// The chat that a reference names.
    /// - Parameter command: whose name is told when the chat belongs to a room that is not built.
    /// - Throws: `commandError` for what has no items.
    init(_ chat: ChatRef, _ command: CommandName) throws {
        switch chat.chatType {
        case .direct: self = .contact(chat.chatId)
        case .local: self = .notes(chat.chatId)
        case .contactConnection, .contactRequest: throw ChatFailure.command("not supported")
        default: throw ChatFailure.notImplemented("\(command.rawValue) \(chat.chatType.rawValue)")
        }
    }

    /// - Throws: `contactNotFound`, `noteFolderNotFound`.
    func chat(_ user: UserRecord, _ db: StoreConnection) throws -> any ItemChat {
        switch self {
        case .contact(let id): try ContactRecord.get(id, user: user, in: db)
        case .notes(let id): try NoteFolderRecord.get(id, user: user, in: db)
        }
    }

    var chatType: ChatType {
        switch self {
        case .contact: .direct
        case .notes: .local
        }
    }
}

extension ContactRecord: ItemChat {
    static var itemColumn: String { "contact_id" }
    var itemKey: Int64 { contactId }
    var place: ItemPlace { .contact(contactId) }

    func info(_ user: UserRecord) -> ChatInfo { .direct(contact: api(user)) }

    mutating func moveToTop(_ tx: Transaction) throws {
        try tx.db.execute(
            "UPDATE OR FAIL contacts SET chat_ts = ?, chat_deleted = 0 WHERE user_id = ? AND contact_id = ?",
            [tx.now.nanoseconds, userId, contactId])
        chatTs = tx.now
        isChatDeleted = false
    }

    func setUnread(_ unread: Bool, _ tx: Transaction) throws {
        guard unreadChat != unread else { return }
        try tx.db.execute(
            "UPDATE contacts SET unread_chat = ?, updated_at = ? WHERE user_id = ? AND contact_id = ?",
            [unread, tx.now.nanoseconds, userId, contactId])
    }
}
