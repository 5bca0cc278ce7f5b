package import ChatAPI
package import JSON

/// A message that a member forwards unchanged for its author. It contains the time at which the relay of the forwarding
/// member received the message.
///
/// The JSON form is the event `x.grp.msg.forward`. The binary form as an element of a message body is `>`, the author,
/// the time in seconds, and the message with its signatures.
package struct ForwardedMessage: Sendable, Hashable {
    /// The author; nil for a message that an owner sent in the name of the group.
    package var authorID: MemberID?
    /// The shortened name of the author, for recipients who do not know the author.
    package var authorName: String
    /// The time at which the relay of the forwarding member received the message, in ISO 8601 form.
    package var relayReceivedAtText: String
    package var message: JSONValue
    /// The message with its signatures; nil for an unsigned message. The JSON form has no signatures.
    package var signedMessage: SignedMessage?

    private static let memberMark = UInt8(ascii: "M"), groupMark = UInt8(ascii: "C")

    package init(author: MemberID?, authorName: String, sentAt: String, message: JSONValue) {
        self.authorID = author
        self.authorName = authorName
        self.relayReceivedAtText = sentAt
        self.message = message
    }

    init(_ reader: ParamReader) throws(ChatProtocolError) {
        authorID = try reader.readOptionalValue("memberId") == nil ? nil : reader.readMemberID("memberId")
        authorName = try reader.readOptionalString("memberName") ?? ""
        relayReceivedAtText = try reader.readString("msgTs")
        message = .object(try reader.readObject("msg"))
    }

    /// Reads a forwarded message from an element of a message body.
    /// - Parameter element: the element, including its first byte `>`.
    package init(_ element: [UInt8]) throws(ChatProtocolError) {
        var reader = BinaryReader(element)
        guard try reader.readByte() == UInt8(ascii: ">") else { throw .invalidBinary }
        switch try reader.readByte() {
        case Self.memberMark:
            authorID = try reader.readMemberID()
            authorName = String(decoding: try reader.readShortBytes(), as: UTF8.self)
        case Self.groupMark: (authorID, authorName) = (nil, "")
        default: throw .invalidBinary
        }
        relayReceivedAtText = Timestamp(seconds: try reader.readInt64()).text
        let rest = reader.readRest()
        switch rest.first {
        case UInt8(ascii: "{"): message = try Self.parseJSON(rest)
        case UInt8(ascii: "/"):
            let signed = try SignedMessage(rest)
            message = try Self.parseJSON(signed.body)
            self.signedMessage = signed
        // A forwarded message contains neither another forwarded message nor a chunk of a file, so such an element is
        // invalid.
        default: throw .invalidBinary
        }
    }

    private static func parseJSON(_ bytes: [UInt8]) throws(ChatProtocolError) -> JSONValue {
        guard let json = try? JSONValue(parsing: bytes, limits: .forPeerText), json.objectValue != nil else {
            throw .invalidBinary
        }
        return json
    }

    package var params: JSONObject {
        var params = JSONObject()
        if let authorID {
            params["memberId"] = .string(authorID.text)
            params["memberName"] = .string(authorName)
        }
        params["msgTs"] = .string(relayReceivedAtText)
        params["msg"] = message
        return params
    }

    /// Encodes a forwarded message as an element of a message body.
    /// - Parameter message: the bytes that the author has written: JSON, or an element with signatures.
    package static func encodeElement(
        by author: MemberID?,
        named name: String,
        at time: Timestamp,
        _ message: [UInt8]
    ) -> [UInt8] {
        var element = [UInt8(ascii: ">")]
        if let author {
            element.append(memberMark)
            element += BinaryEncoder.encodeShortBytes(author.bytes) + BinaryEncoder.encodeShortBytes(Array(name.utf8))
        } else {
            element.append(groupMark)
        }
        return element + BinaryEncoder.encodeInt64(time.seconds) + message
    }
}
