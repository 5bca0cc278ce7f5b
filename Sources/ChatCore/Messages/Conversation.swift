internal import ChatAPI
internal import JSON
internal import SQLCipher

/// A chat that has items: whom they reach, what may be done in it, and how it is shown. Sending, changing, deleting, reacting, forwarding and receiving
/// are written over this protocol, once for all kinds of chats.
protocol Conversation: Sendable {
    var userId: Int64 { get }
    var key: ChatKey { get }
    /// Whether the user has deleted the chat, and kept whom it is with.
    var isChatDeleted: Bool { get }
    /// The chat as the API shows it.
    func info(_ user: UserRecord) -> ChatInfo
    /// Puts the chat at the top of the list.
    mutating func moveToTop(_ tx: Transaction) throws
    /// Sets the mark that the chat itself is unread, or takes it away.
    func setUnread(_ unread: Bool, _ tx: Transaction) throws

    /// Whom messages go to; nobody in a chat of the user alone.
    /// - Throws: when nothing can be sent to the peer of a chat that has one.
    func recipients(_ user: UserRecord, in db: StoreConnection) throws -> Recipients
    /// Called before a message of the user goes to the recipients, in the same transaction.
    func willSend(_ user: UserRecord, to recipients: Recipients, _ tx: Transaction) throws
    /// The user may write in the chat; asked before all else of a message is looked at.
    /// - Throws: in a group, when the user's part in it does not allow that.
    func checkMayWrite(_ user: UserRecord) throws
    /// The user may change a message; asked before it is looked for.
    func checkMayEdit(_ user: UserRecord) throws
    func allows(_ feature: MessageFeature, by side: MessageFeature.Side, _ user: UserRecord) -> Bool
    /// Seconds after which messages disappear that do not say it themselves; nil when they stay.
    func timeToLive(_ user: UserRecord) -> Int64?
    /// The origin recorded in items forwarded from this chat.
    func origin(of item: ItemRecord) -> CIForwardedFrom?
    /// The name of the peer in error messages.
    var peerName: String { get }
    /// The event that a peer deletes a message that is not here.
    func notFoundEvent(_ id: SharedMessageID, _ user: UserRecord) -> ChatEvent?
    /// The scope in messages: the part of the chat that they belong to; nil for the chat itself.
    var messageScope: JSONValue? { get }
    /// Called for every item that was written into the chat.
    mutating func noted(_ item: NewItem, _ tx: Transaction) throws
    /// Called for items that were read, or deleted, as they were before.
    mutating func noLongerUnread(_ items: [ItemRecord], _ tx: Transaction) throws
    /// The group of a support chat; nil for all other chats.
    var supportGroupId: Int64? { get }
    /// The id by which the peers know the author of an item, where there are several.
    func memberID(of direction: CIDirection?) -> String?
}

extension Conversation {
    func willSend(_: UserRecord, to _: Recipients, _: Transaction) {}
    func checkMayWrite(_: UserRecord) {}
    func checkMayEdit(_: UserRecord) {}
    func memberID(of _: CIDirection?) -> String? { nil }
    var messageScope: JSONValue? { nil }
    mutating func noted(_: NewItem, _: Transaction) {}
    mutating func noLongerUnread(_: [ItemRecord], _: Transaction) {}
    var supportGroupId: Int64? { nil }

    /// The values of the columns `user_id`, `chat_type` and `chat_id`.
    var keyArguments: [Argument] { [userId] + key.arguments }
    var isShared: Bool { key.isShared }
    /// The id of a message that changes another one. In a group it may come twice, from the user and passed on, and is known by it.
    var idOfChange: SharedMessageID? { key.isOfGroup ? .random() : nil }
}

extension ChatKey {
    /// Whether it is a group, or a support chat in one.
    var isOfGroup: Bool { kind == .group || kind == .support }

    /// Whether others take part in the chat.
    var isShared: Bool {
        switch self {
        case .contact, .group, .support, .supportChat: true
        case .notes: false
        }
    }

    /// Whose an item is.
    /// - Parameter author: the member who has written it, in a group; nil there for what the group itself has posted.
    func direction(isSent: Bool, author: MemberRecord?) -> CIDirection {
        switch self {
        case .contact: isSent ? .directSnd : .directRcv
        case .group, .support, .supportChat: isSent ? .groupSnd : author.map { .groupRcv(groupMember: $0.api) } ?? .channelRcv
        case .notes: isSent ? .localSnd : .localRcv
        }
    }

    /// - Throws: `contactNotFound`, `groupNotFound`, `noteFolderNotFound`.
    func get(_ user: UserRecord, _ db: StoreConnection) throws -> any Conversation {
        switch self {
        case .contact(let id): try ContactRecord.get(id, user: user, in: db)
        case .group(let id): try GroupRecord.get(id, user: user, in: db)
        case .notes(let id): try NoteFolderRecord.get(id, user: user, in: db)
        case .support(let memberId):
            try MemberRecord.supportChat(memberId, user, db) ?? { throw ChatFailure(StoreError.groupMemberNotFound(groupMemberId: memberId)) }()
        case .supportChat(let groupId, let memberId): try GroupRecord.get(groupId, user: user, in: db).support(of: memberId, db)
        }
    }

    func find(_ user: UserRecord, _ db: StoreConnection) throws -> (any Conversation)? {
        switch self {
        case .contact(let id): try ContactRecord.find(id, user: user.userId, in: db)
        case .group(let id): try GroupRecord.find(id, user: user.userId, in: db)
        case .notes(let id): try NoteFolderRecord.find(id, user: user.userId, in: db)
        case .support(let memberId): try MemberRecord.supportChat(memberId, user, db)
        case .supportChat(let groupId, let memberId): try GroupRecord.find(groupId, user: user.userId, in: db)?.support(of: memberId, db)
        }
    }
}

extension CIForwardedFrom {
    /// The chat that it names, while that is there.
    var chat: ChatKey? {
        switch self {
        case .contact(_, _, let contactId?, _): .contact(contactId)
        case .group(_, _, let groupId?, _): .group(groupId)
        default: nil
        }
    }

    /// The item that it names.
    var itemId: Int64? {
        switch self {
        case .contact(_, _, _, let itemId), .group(_, _, _, let itemId): itemId
        default: nil
        }
    }
}
