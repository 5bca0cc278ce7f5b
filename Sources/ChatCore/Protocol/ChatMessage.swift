internal import JSON

/// One message of the chat protocol: `{"v":"1-9","msgId":"…","event":"x.msg.new","params":{…}}`
/// (simplex-chat `docs/protocol/simplex-chat.md`, "JSON format for chat and application messages").
struct ChatMessage: Sendable, Hashable {
    var versions: ChatVersionRange
    var sharedID: SharedMessageID?
    var event: ChatMessageEvent

    init(versions: ChatVersionRange = .supported, sharedID: SharedMessageID? = nil, event: ChatMessageEvent) {
        self.versions = versions
        self.sharedID = sharedID
        self.event = event
    }

    init(json: JSONValue) throws(ChatProtocolError) {
        let message = try ParamReader(json, in: "message")
        if let text = try message.optionalString("v") {
            guard let versions = ChatVersionRange(parsing: text) else {
                throw .invalidMessage(reason: "v: invalid version range")
            }
            self.versions = versions
        } else {
            versions = .initial
        }
        sharedID = try message.optionalSharedID("msgId")
        let tag = try message.string("event")
        // The tag decides whether the bytes are a chat message. Any name after "x." is accepted, so that later events are kept.
        guard tag == "x" || tag.hasPrefix("x.") else { throw .invalidMessage(reason: "event: bad event tag") }
        event = try ChatMessageEvent(tag: tag, params: message.object("params"))
    }

    var json: JSONValue {
        var object = JSONObject()
        object["v"] = .string(versions.text)
        if let sharedID { object["msgId"] = .string(sharedID.text) }
        object["event"] = .string(event.tag)
        object["params"] = JSONValue.object(event.params).withOrderedNames
        return .object(object)
    }

    /// The message as bytes of JSON.
    /// - Throws: `largeMessage` when they are more than `limit` bytes.
    func encoded(limit: Int = ChatMessageLimits.message) throws(ChatProtocolError) -> [UInt8] {
        let bytes = json.encoded()
        guard bytes.count <= limit else { throw .largeMessage(length: bytes.count) }
        return bytes
    }
}

extension JSONValue {
    /// The value with the members of all objects sorted by name, as the original encodes parameters. Another order would reveal to the peer
    /// which program wrote the message.
    var withOrderedNames: JSONValue {
        switch self {
        case .object(let object):
            let members = object.sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }
            return .object(JSONObject(members.map { ($0, $1.withOrderedNames) }))
        case .array(let elements): return .array(elements.map(\.withOrderedNames))
        default: return self
        }
    }
}

/// Maximal sizes of encoded messages in bytes, so that the agent's envelope fits a block. A longer message cannot be sent at all.
///
/// simplex-chat `docs/protocol/simplex-chat.md`, "Compressed format".
enum ChatMessageLimits {
    /// A message of a conversation, without post-quantum encryption.
    static let message = 15602
    /// The profile that goes with a confirmation.
    static let connectionInfo = 14694
    /// The same, compressed, of connections with post-quantum support.
    static let compressedMessage = 13380
    static let compressedConnectionInfo = 10968
    /// The compressed parts of a body may not grow over this together.
    static let decompressed = 65536
}
