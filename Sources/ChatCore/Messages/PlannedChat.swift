internal import ChatAPI
internal import ChatStore

/// The chat of a receiver of a planned message, which is a scheduled message or a broadcast.
enum PlannedChat {
    case ready(any Conversation)
    /// The chat is not connected yet.
    case notConnected

    /// Returns the chat of a receiver.
    /// - Throws: an error if the chat does not exist.
    static func find(
        _ receiver: ChatRef,
        for kind: PlannedMessage.Kind,
        _ user: UserRecord,
        _ db: StoreConnection
    ) throws -> PlannedChat {
        var key: ChatKey
        if receiver.chatType == .contactConnection {
            let gone = ChatFailure(StoreError.pendingConnectionNotFound(connId: receiver.chatId))
            guard let connection = try ConnectionRecord.find(receiver.chatId, in: db),
                connection.userId == user.userId
            else { throw gone }
            switch connection.owner {
            case .pending: return .notConnected
            case .contact(let id): key = .contact(id)
            case .member(let id):
                guard let member = try MemberRecord.find(id, user: user.userId, in: db) else { throw gone }
                key = .group(member.groupId)
            case .address: throw gone
            }
        } else {
            key = try ChatKey(whole: receiver)
        }
        let chat = try key.getConversation(user, db)
        // A scheduled message waits until its chat is connected. A broadcast does not wait for any of its chats.
        guard kind == .scheduled else { return .ready(chat) }
        return chat.waitsForPeer ? .notConnected : .ready(chat)
    }
}
