/// One element of an agent message: a chat message as JSON, or a chunk of a file that is sent inside messages.
///
/// simplex-chat `docs/protocol/simplex-chat.md`, "General message format".
package enum MessageBody: Sendable, Hashable {
    case message(ChatMessage)
    case chunk(InlineFileChunk)

    /// Reads all elements of a message body, in order. An unreadable element results in an error at its position, and
    /// the other elements are still read.
    /// - Returns: the elements. A body of more than ``MessageElements/maxElements`` elements returns only the error
    ///   `tooManyElements`.
    package static func parse(_ body: [UInt8]) -> [Result<MessageBody, ChatProtocolError>] {
        MessageElements.parseAll(of: body).map(\.content)
    }

    /// Reads the first element of a message body, and ignores later elements. Returns nil if the body is an empty array
    /// of messages.
    package static func parseFirst(of body: [UInt8]) -> Result<MessageBody, ChatProtocolError>? {
        var elements = MessageElements(body)
        return elements.next()?.content
    }
}

/// A chunk of a small file that is sent inside messages. The form is `F`, an empty id, the id of the message that
/// offers the file, the number of the chunk, and the bytes. The number 0 cancels the file.
package struct InlineFileChunk: Sendable, Hashable {
    package var messageID: SharedMessageID
    /// The number of the chunk, counted from 1; nil cancels the file.
    package var chunkNumber: UInt8?
    package var bytes: [UInt8]

    package init(_ body: [UInt8]) throws(ChatProtocolError) {
        var reader = BinaryReader(body)
        guard try reader.readByte() == UInt8(ascii: "F") else { throw .invalidBinary }
        _ = try reader.readShortBytes()
        messageID = SharedMessageID(bytes: try reader.readShortBytes())
        let number = try reader.readByte()
        chunkNumber = number == 0 ? nil : number
        bytes = reader.readRest()
    }

    package init(messageID: SharedMessageID, chunkNumber: UInt8?, bytes: [UInt8]) {
        self.messageID = messageID
        self.chunkNumber = chunkNumber
        self.bytes = bytes
    }

    /// The encoded chunk, as an element of a message body.
    package var element: [UInt8] {
        [UInt8(ascii: "F"), 0] + BinaryEncoder.encodeShortBytes(messageID.bytes) + [chunkNumber ?? 0] + bytes
    }
}
