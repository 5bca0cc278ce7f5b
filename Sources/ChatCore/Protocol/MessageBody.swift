/// One element of an agent message: a chat message as JSON, or a chunk of a file that is sent inside messages.
///
/// simplex-chat `docs/protocol/simplex-chat.md`, "General message format".
enum MessageBody: Sendable, Hashable {
    case message(ChatMessage)
    case chunk(InlineFileChunk)

    /// All elements of a message body in their order. An element that cannot be read is an error of its own and does not spoil the others.
    static func parse(_ body: [UInt8]) -> [Result<MessageBody, ChatProtocolError>] { MessageElements.all(of: body).map(\.content) }

    /// The first element; later ones are ignored. Nil for an empty array.
    static func first(of body: [UInt8]) -> Result<MessageBody, ChatProtocolError>? {
        var elements = MessageElements(body)
        return elements.next()?.content
    }
}

/// A chunk of a small file that is sent inside messages: `F`, an absent id, the file's message id, the number of the chunk and its bytes. Number
/// 0 without bytes cancels the file.
struct InlineFileChunk: Sendable, Hashable {
    var messageID: SharedMessageID
    /// From 1; nil cancels.
    var number: UInt8?
    var bytes: [UInt8]

    init(_ body: [UInt8]) throws(ChatProtocolError) {
        var rest = body[...]
        guard rest.popFirst() == UInt8(ascii: "F") else { throw .invalidBinary }
        _ = try Self.shortBytes(&rest)
        messageID = SharedMessageID(bytes: try Self.shortBytes(&rest))
        guard let number = rest.popFirst() else { throw .invalidBinary }
        self.number = number == 0 ? nil : number
        bytes = Array(rest)
    }

    private static func shortBytes(_ rest: inout ArraySlice<UInt8>) throws(ChatProtocolError) -> [UInt8] {
        guard let length = rest.popFirst(), rest.count >= Int(length) else { throw .invalidBinary }
        let bytes = Array(rest.prefix(Int(length)))
        rest = rest.dropFirst(Int(length))
        return bytes
    }
}
