package import JSON

/// One message of the chat protocol: `{"v":"1-9","msgId":"…","event":"x.msg.new","params":{…}}`
/// (simplex-chat `docs/protocol/simplex-chat.md`, "JSON format for chat and application messages").
package struct ChatMessage: Sendable, Hashable {
    package var versions: ChatVersionRange
    package var sharedID: SharedMessageID?
    package var event: ChatMessageEvent

    package init(versions: ChatVersionRange = .supported, sharedID: SharedMessageID? = nil, event: ChatMessageEvent) {
        self.versions = versions
        self.sharedID = sharedID
        self.event = event
    }

    package init(json: JSONValue) throws(ChatProtocolError) {
        let message = try ParamReader(json, in: "message")
        if let text = try message.readOptionalString("v") {
            guard let versions = ChatVersionRange(parsing: text) else {
                throw .invalidMessage(reason: "v: invalid version range")
            }
            self.versions = versions
        } else {
            versions = .initial
        }
        sharedID = try message.readOptionalSharedID("msgId")
        let tag = try message.readString("event")
        // Only the tag determines whether the bytes are a chat message. Any name after "x." is accepted, so that events
        // of later versions are kept.
        guard tag == "x" || tag.hasPrefix("x.") else { throw .invalidMessage(reason: "event: bad event tag") }
        event = try ChatMessageEvent(tag: tag, params: message.readObject("params"))
    }

    package var json: JSONValue {
        var object = JSONObject()
        object["v"] = .string(versions.text)
        if let sharedID { object["msgId"] = .string(sharedID.text) }
        object["event"] = .string(event.tag)
        object["params"] = JSONValue.object(event.params).withSortedNames
        return .object(object)
    }

    /// Encodes the message as JSON.
    /// - Throws: `largeMessage` when the JSON has more than `limit` bytes.
    package func encoded(limit: Int = ChatMessageLimits.messageBytes) throws(ChatProtocolError) -> [UInt8] {
        let bytes = json.encodeText()
        guard bytes.count <= limit else { throw .largeMessage(length: bytes.count) }
        return bytes
    }
}

extension JSONValue {
    /// The value with the members of all objects sorted by name, since simplex-chat encodes parameters in this order.
    /// Another order would reveal to the peer that another program wrote the message.
    package var withSortedNames: JSONValue {
        switch self {
        case .object(let object):
            let members = object.sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }
            return .object(JSONObject(members.map { ($0, $1.withSortedNames) }))
        case .array(let elements): return .array(elements.map(\.withSortedNames))
        default: return self
        }
    }
}

/// Maximum sizes of encoded messages in bytes. A longer message cannot be sent, since a message in the agent's envelope
/// must fit into a block.
///
/// simplex-chat `docs/protocol/simplex-chat.md`, "Compressed format".
package enum ChatMessageLimits {
    /// The maximum size of a message in a conversation without post-quantum encryption.
    package static let messageBytes = 15602
    /// The maximum size, before compression, of a message that is sent while a connection is set up. For example, such
    /// a message contains a profile.
    package static let connectionInfoBytes = 14694
    /// The maximum size of a compressed message in a connection with post-quantum support.
    package static let compressedMessageBytes = 13380
    /// The maximum size of a compressed message that is sent while a connection with post-quantum support is set up.
    package static let compressedConnectionInfoBytes = 10968
    /// The maximum total size after decompression of all parts of one compressed body.
    package static let decompressedBodyBytes = 65536
}
