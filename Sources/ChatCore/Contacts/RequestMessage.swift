internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import JSON

/// The first message of the user in a prepared chat. A request to an address contains it.
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

    /// Returns the message as a request contains it.
    func encoded() throws -> (SharedMessageID, JSONValue) { (id, try JSONEncoder().encodeValue(content)) }
}
