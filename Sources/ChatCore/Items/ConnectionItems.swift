internal import Agent
internal import ChatAPI
internal import ChatStore
internal import SQLCipher

/// Chat items about changes of a connection.
enum ConnectionItems {
    /// Runs `body` with the chat of the peer, unless the chat already shows this change of the connection. Does nothing
    /// for a connection without a chat.
    /// - Parameter number: the number that the agent has given the change.
    static func showChangeOnce(
        _ number: Int64,
        on peer: ConnectionPeer,
        _ tx: Transaction,
        _ body: (inout ConnectedChat, UserRecord) throws -> Void
    ) throws {
        guard number > peer.connection.lastShownChangeNumber, var chat = ConnectedChat(peer) else { return }
        try tx.db.update(
            "connections",
            or: .fail,
            set: ["last_agent_event": number],
            where: ["connection_id": peer.connection.connectionId]
        )
        try body(&chat, peer.user)
    }

    /// Creates an item, and emits its event. A received item is unread.
    static func addItem(
        _ content: CIContent,
        _ text: String,
        sent: Bool,
        by author: MemberRecord? = nil,
        in chat: inout some Conversation,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws {
        var new = NewItem(isSent: sent, content: content, text: text, status: sent ? .sndNew : .rcvNew)
        new.author = author
        let item = try ItemWriter.create(new, in: &chat, movesChat: true, tx)
        try tx.emit(
            .newChatItems(user: user.api, chatItems: [item.api(in: chat.chatInfo(user), at: tx.now)]),
            user: user.userId
        )
    }
}
