internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import JSON
internal import SQLCipher

/// A chat that contains items. The protocol describes its recipients, its permissions and its form in the API. All
/// kinds of chats conform to the protocol, so each action on messages, such as sending or deleting, has one
/// implementation.
protocol Conversation: Sendable {
    var userId: Int64 { get }
    var chatKey: ChatKey { get }
    /// Whether the user has deleted the chat, but has kept the contact.
    var isChatDeleted: Bool { get }
    /// Whether messages can be sent only after the peers have done something, for example connected.
    var waitsForPeer: Bool { get }
    /// Returns the chat in the form of the API.
    func chatInfo(_ user: UserRecord) -> ChatInfo
    /// Moves the chat to the top of the list.
    mutating func moveToTop(_ tx: Transaction) throws
    /// Sets or removes the mark "unread" of the chat. This mark is independent of unread items.
    func setUnread(_ unread: Bool, _ tx: Transaction) throws

    /// Returns the recipients of messages; empty for notes.
    /// - Throws: an error if the chat has a peer, but nothing can be sent to the peer.
    func findRecipients(_ user: UserRecord, in db: StoreConnection) throws -> Recipients
    /// Sends a changed profile of the user to a group, together with a message of the user. Has no effect in other
    /// chats. Called in the transaction that enqueues the message.
    func sendChangedProfile(_ user: UserRecord, to recipients: Recipients, _ tx: Transaction) throws
    /// Checks that the user may write in the chat. Called before the message is examined.
    /// - Throws: in a group, an error if the role or the status of the user does not allow writing.
    func checkMayWrite(_ user: UserRecord) throws
    /// Checks that the user may react to messages of the chat.
    func checkMayReact(_ user: UserRecord) throws
    /// Checks that the user may change a message. Called before the message is read.
    func checkMayEdit(_ user: UserRecord) throws
    func allows(_ feature: MessageFeature, by side: MessageFeature.Side, _ user: UserRecord) -> Bool
    /// Returns the number of seconds after which a message disappears if its sender sets no other number; nil if
    /// messages do not disappear.
    func messageLifetimeSeconds(_ user: UserRecord) -> Int64?
    /// Returns the origin that is recorded in items forwarded from this chat.
    func forwardedOrigin(of item: ItemRecord) -> CIForwardedFrom?
    /// The word for the peer in error messages.
    var peerKindName: String { get }
    /// Returns the event to emit when the peer deletes a message that this store does not contain; nil for no event.
    func notFoundEvent(_ id: SharedMessageID, _ user: UserRecord) -> ChatEvent?
    /// The value of the field `scope` in sent messages. It names the part of the chat, such as a support chat, to which
    /// the messages belong; nil for the chat itself.
    var messageScope: JSONValue? { get }
    /// Updates the counts of a support chat after an item was written into it. Has no effect in other chats.
    mutating func countWrittenItem(_ item: NewItem, _ tx: Transaction) throws
    /// Subtracts items that were read or deleted from the unread counts of a support chat. Has no effect in other
    /// chats.
    /// - Parameter items: the items in their state before the change.
    mutating func subtractUnread(_ items: [ItemRecord], _ tx: Transaction) throws
    /// The group of a group chat or of a support chat; nil for a chat without members.
    var group: GroupRecord? { get }
    /// The id of the group to which a support chat belongs; nil for all other chats.
    var supportGroupId: Int64? { get }
    /// Returns the id by which the peers know the author of an item; nil in a chat without members.
    func authorMemberID(of direction: CIDirection?) -> String?
}

extension Conversation {
    func sendChangedProfile(_: UserRecord, to _: Recipients, _: Transaction) {}
    func checkMayWrite(_: UserRecord) {}
    func checkMayReact(_ user: UserRecord) throws { try checkMayWrite(user) }
    func checkMayEdit(_: UserRecord) {}
    func authorMemberID(of _: CIDirection?) -> String? { nil }
    var messageScope: JSONValue? { nil }
    mutating func countWrittenItem(_: NewItem, _: Transaction) {}
    mutating func subtractUnread(_: [ItemRecord], _: Transaction) {}
    var supportGroupId: Int64? { nil }
    /// This support chat, as the record of its group with a scope; nil if this chat is not a support chat.
    var supportChat: GroupRecord? { supportGroupId == nil ? nil : group }

    /// The values of the columns `user_id`, `chat_type` and `chat_id`.
    var keyArguments: [Argument] { [userId] + chatKey.columnValues }
    var hasPeers: Bool { chatKey.hasPeers }
    /// A new id for a message that changes another message, such as a reaction; nil outside of groups. In a group, a
    /// member may receive the same message twice: from the user, and from a member who forwards it. The member
    /// recognizes the repetition by this id.
    var newChangeID: SharedMessageID? { chatKey.isOfGroup ? .random() : nil }
}

extension ChatKey {
    /// Returns the direction of an item, with its author.
    /// - Parameter author: the member of a group who has written the item; nil for a post in the name of the group.
    func direction(isSent: Bool, author: MemberRecord?) -> CIDirection {
        switch self {
        case .contact: isSent ? .directSnd : .directRcv
        case .group, .memberSupport, .supportChatReference:
            isSent ? .groupSnd : author.map { .groupRcv(groupMember: $0.api) } ?? .channelRcv
        case .notes: isSent ? .localSnd : .localRcv
        }
    }

    /// Returns the chat with this key.
    /// - Throws: `contactNotFound`, `groupNotFound`, `groupMemberNotFound`, or `noteFolderNotFound`.
    func getConversation(_ user: UserRecord, _ db: StoreConnection) throws -> any Conversation {
        switch self {
        case .contact(let id): try ContactRecord.get(id, user: user, in: db)
        case .group(let id): try GroupRecord.get(id, user: user, in: db)
        case .notes(let id): try NoteFolderRecord.get(id, user: user, in: db)
        case .memberSupport(let memberId):
            try MemberRecord.findSupportChat(memberId, user, db)
                ?? { throw ChatFailure(StoreError.groupMemberNotFound(groupMemberId: memberId)) }()
        case .supportChatReference(let groupId, let memberId):
            try GroupRecord.get(groupId, user: user, in: db).supportChatGroup(of: memberId, db)
        }
    }

    func findConversation(_ user: UserRecord, _ db: StoreConnection) throws -> (any Conversation)? {
        switch self {
        case .contact(let id): try ContactRecord.find(id, user: user.userId, in: db)
        case .group(let id): try GroupRecord.find(id, user: user.userId, in: db)
        case .notes(let id): try NoteFolderRecord.find(id, user: user.userId, in: db)
        case .memberSupport(let memberId): try MemberRecord.findSupportChat(memberId, user, db)
        case .supportChatReference(let groupId, let memberId):
            try GroupRecord.find(groupId, user: user.userId, in: db)?.supportChatGroup(of: memberId, db)
        }
    }
}

extension CIForwardedFrom {
    /// The chat from which an item was forwarded; nil if the id of this chat is unknown.
    var originChat: ChatKey? {
        switch self {
        case .contact(_, _, let contactId?, _): .contact(contactId)
        case .group(_, _, let groupId?, _): .group(groupId)
        default: nil
        }
    }

    /// The id of the original item in the chat from which it was forwarded; nil if unknown.
    var originItemId: Int64? {
        switch self {
        case .contact(_, _, _, let itemId), .group(_, _, _, let itemId): itemId
        default: nil
        }
    }
}

extension ChatKey {
    /// Sets columns in the database row of the chat.
    /// - Parameter changes: the new values with their columns.
    /// - Throws: `contactNotFound`, `groupNotFound`, `groupMemberNotFound`, or `noteFolderNotFound`.
    func setChatColumns(
        _ changes: KeyValuePairs<String, Argument>,
        _ user: UserRecord,
        _ db: StoreConnection
    ) throws {
        _ = try getConversation(user, db)
        try db.update(table.name, set: changes, where: ["user_id": user.userId, table.id: chatId])
    }
}
