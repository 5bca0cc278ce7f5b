internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import JSON

/// The first message of the user in a prepared chat. If the user connects by an address, the request contains this
/// message.
struct RequestMessage: Sendable {
    let id: SharedMessageID
    let content: MsgContent

    var item: NewItem {
        var item = NewItem(
            isSent: true,
            content: .sndMsgContent(msgContent: content),
            text: content.text,
            status: .sndNew
        )
        item.sharedID = id
        return item
    }

    /// Returns the id and the content of the message in the form in which a request contains them.
    func encoded() throws -> (SharedMessageID, JSONValue) { (id, try JSONEncoder().encodeValue(content)) }
}

extension RunningCommand {
    /// Stores the id of the message that is sent with the request, so that every attempt uses the same id.
    func storeRequestMessageID(
        _ messageID: SharedMessageID,
        forRequestOf chat: ChatKey,
        _ preparation: ChatPreparation,
        _ user: UserRecord
    ) async throws {
        try await store.write { tx in
            try ChatPreparation(link: preparation.link, welcomeID: preparation.welcomeID, messageID: messageID).store(
                in: chat,
                user: user,
                tx.db
            )
        }
    }
}

extension ContactRecord {
    /// Sends a message to the contact, and emits the event about the chat item of the message. Does nothing if the
    /// contact has no connection.
    mutating func sendMessage(_ content: MsgContent, _ user: UserRecord, _ tx: Transaction) throws {
        guard let connection else { return }
        let sharedID = SharedMessageID.random()
        var new = NewItem(
            isSent: true,
            content: .sndMsgContent(msgContent: content),
            text: content.text,
            status: .sndNew
        )
        new.sharedID = sharedID
        let container = MessageContainer(content: try JSONEncoder().encodeValue(content))
        var message = try OutgoingChatMessage(
            ChatMessage(sharedID: sharedID, event: .messageNew(container)),
            over: [connection]
        )
        let item = try ItemWriter.create(new, in: &self, movesChat: true, tx)
        message.itemId = item.itemId
        try tx.enqueue([message], to: [connection])
        try tx.emit(.newChatItems(user: user.api, chatItems: [item.api(in: api(user), at: tx.now)]), user: user.userId)
    }
}
