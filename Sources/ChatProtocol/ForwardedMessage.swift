package import ChatAPI
package import JSON

/// A message that a member forwards unchanged for its author. It contains the time at which the relay of the
/// forwarding member received the message.
///
/// The JSON form is the event `x.grp.msg.forward`. The form as an element of a body is `>`, the author, the time in
/// seconds, and the message with its signatures.
package struct ForwardedMessage: Sendable, Hashable {
    /// The author; nil for a message that an owner sent in the name of the group.
    package var author: MemberID?
    /// The shortened name of the author, for recipients who do not know the author.
    package var authorName: String
    /// The time at which the relay of the forwarding member received the message, in ISO 8601 form.
    package var sentAt: String
    package var message: JSONValue
    /// The message with its signatures; nil for an unsigned message. The JSON form has no signatures.
    package var signed: SignedMessage?

    private static let byMember = UInt8(ascii: "M"), byGroup = UInt8(ascii: "C")

    package init(author: MemberID?, authorName: String, sentAt: String, message: JSONValue) {
        self.author = author
        self.authorName = authorName
        self.sentAt = sentAt
        self.message = message
    }

    init(_ reader: ParamReader) throws(ChatProtocolError) {
        author = try reader.optional("memberId") == nil ? nil : reader.memberID("memberId")
        authorName = try reader.optionalString("memberName") ?? ""
        sentAt = try reader.string("msgTs")
        message = .object(try reader.object("msg"))
    }

    /// Reads an element of a body.
    /// - Parameter element: the element, including its first byte `>`.
    package init(_ element: [UInt8]) throws(ChatProtocolError) {
        var reader = BinaryReader(element)
        guard try reader.byte() == UInt8(ascii: ">") else { throw .invalidBinary }
        switch try reader.byte() {
        case Self.byMember:
            author = try reader.memberID()
            authorName = String(decoding: try reader.shortBytes(), as: UTF8.self)
        case Self.byGroup: (author, authorName) = (nil, "")
        default: throw .invalidBinary
        }
        sentAt = Timestamp(seconds: try reader.int64()).text
        let rest = reader.tail()
        switch rest.first {
        case UInt8(ascii: "{"): message = try Self.json(rest)
        case UInt8(ascii: "/"):
            let signed = try SignedMessage(rest)
            message = try Self.json(signed.body)
            self.signed = signed
        // A forwarded message contains neither another forwarded message nor a chunk of a file.
        default: throw .invalidBinary
        }
    }

    private static func json(_ bytes: [UInt8]) throws(ChatProtocolError) -> JSONValue {
        guard let json = try? JSONValue(parsing: bytes, limits: .peer), json.objectValue != nil else {
            throw .invalidBinary
        }
        return json
    }

    package var params: JSONObject {
        var params = JSONObject()
        if let author {
            params["memberId"] = .string(author.text)
            params["memberName"] = .string(authorName)
        }
        params["msgTs"] = .string(sentAt)
        params["msg"] = message
        return params
    }

    /// Encodes a forwarded message as an element of a body.
    /// - Parameter message: a signed element, or JSON, in the bytes that the author has written.
    package static func element(
        by author: MemberID?,
        named name: String,
        at time: Timestamp,
        _ message: [UInt8]
    ) -> [UInt8] {
        var element = [UInt8(ascii: ">")]
        if let author {
            element.append(byMember)
            element += BinaryForm.shortBytes(author.bytes) + BinaryForm.shortBytes(Array(name.utf8))
        } else {
            element.append(byGroup)
        }
        return element + BinaryForm.int64(time.seconds) + message
    }
}
