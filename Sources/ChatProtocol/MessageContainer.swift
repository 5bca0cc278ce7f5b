package import JSON

/// A new message with content (`x.msg.new`), which may quote another message or be marked as forwarded. It may also be
/// a file without a text (`x.file`).
///
/// simplex-chat `docs/protocol/simplex-chat.md`, "x.msg.new - a new content message".
package struct MessageContainer: Sendable, Hashable {
    /// The object `MsgContent` as sent. Its member `type` may be unknown.
    package var content: JSONValue
    package var quote: QuotedMessage?
    /// A reference to the message on which this message comments, written like the reference in `quote`.
    package var parent: JSONValue?
    package var isForwarded = false
    package var file: JSONValue?
    /// The number of seconds until the message disappears. The sender counts from sending, and the recipient counts
    /// from reading.
    package var ttlSeconds: Int64?
    package var live: Bool?
    package var mentions = JSONObject()
    package var scope: JSONValue?
    /// Whether an owner sends the message in the name of the group.
    package var isSentAsGroup = false
    /// Whether the message is `x.file`, with which the first apps offered files without a text.
    private(set) var isBareFile = false

    package init(content: JSONValue) {
        self.content = content
    }

    init(bareFile reader: ParamReader) throws(ChatProtocolError) {
        content = ["type": "file", "text": ""]
        file = .object(try reader.readObject("file"))
        isBareFile = true
    }

    init(_ reader: ParamReader) throws(ChatProtocolError) {
        content = try reader.readTaggedObject("content")
        if let quote = try reader.readOptionalObject("quote") {
            self.quote = try QuotedMessage(ParamReader(quote, in: "quote"))
        } else if let parent = try reader.readOptionalObject("parent") {
            self.parent = .object(parent)
        } else if let forward = reader.readOptionalValue("forward") {
            // Early versions sent an object as the value of `forward`. The object means true.
            self.isForwarded = forward.boolValue ?? (forward.objectValue != nil)
        }
        if let file = try reader.readOptionalObject("file") { self.file = .object(file) }
        ttlSeconds = try reader.readOptionalInteger("ttl")
        live = try reader.readOptionalBool("live")
        mentions = try reader.readOptionalObject("mentions") ?? JSONObject()
        scope = try reader.readOptionalScope("scope")
        isSentAsGroup = try reader.readOptionalBool("asGroup") ?? false
    }

    package var tag: String { isBareFile ? "x.file" : "x.msg.new" }

    package var params: JSONObject {
        var params = JSONObject()
        if !isBareFile { params["content"] = content }
        if let quote { params["quote"] = .object(quote.json) }
        if let parent { params["parent"] = parent }
        if isForwarded { params["forward"] = true }
        if let file { params["file"] = file }
        if let ttlSeconds { params["ttl"] = .integer(ttlSeconds) }
        if let live { params["live"] = .bool(live) }
        if !mentions.isEmpty { params["mentions"] = .object(mentions) }
        if let scope { params["scope"] = scope }
        if isSentAsGroup { params["asGroup"] = true }
        return params
    }
}

/// A quoted message: its reference (`msgRef`) and its content. The content is included because a chat may no longer
/// contain the message itself.
package struct QuotedMessage: Sendable, Hashable {
    package var messageID: SharedMessageID?
    /// The time of the quoted message in ISO 8601 form, from the store of the quoting side.
    package var sentAtText: String
    /// Whether the quoting side was the sender of the quoted message.
    package var isSentByQuoter: Bool
    package var memberID: String?
    package var content: JSONValue

    package init(messageID: SharedMessageID?, sentAt: String, sent: Bool, content: JSONValue) {
        self.messageID = messageID
        self.sentAtText = sentAt
        self.isSentByQuoter = sent
        self.content = content
    }

    init(_ reader: ParamReader) throws(ChatProtocolError) {
        let reference = ParamReader(try reader.readObject("msgRef"), in: "msgRef")
        messageID = try reference.readOptionalSharedID("msgId")
        sentAtText = try reference.readString("sentAt")
        isSentByQuoter = try reference.readBool("sent")
        memberID = try reference.readOptionalString("memberId")
        content = try reader.readTaggedObject("content")
    }

    package var json: JSONObject {
        var reference = JSONObject()
        if let messageID { reference["msgId"] = .string(messageID.text) }
        reference["sentAt"] = .string(sentAtText)
        reference["sent"] = .bool(isSentByQuoter)
        if let memberID { reference["memberId"] = .string(memberID) }
        var quote = JSONObject()
        quote["msgRef"] = .object(reference)
        quote["content"] = content
        return quote
    }
}

/// The edit of a message (`x.msg.update`): a reference to the message, and its new content.
///
/// simplex-chat `docs/protocol/simplex-chat.md`, "x.msg.update - update of the previously sent message".
package struct MessageUpdate: Sendable, Hashable {
    package var messageID: SharedMessageID
    package var content: JSONValue
    package var mentions = JSONObject()
    package var ttlSeconds: Int64?
    package var live: Bool?
    package var scope: JSONValue?
    /// Whether an owner sends the message in the name of the group.
    package var isSentAsGroup = false

    package init(messageID: SharedMessageID, content: JSONValue, ttl: Int64? = nil, live: Bool? = nil) {
        self.messageID = messageID
        self.content = content
        self.ttlSeconds = ttl
        self.live = live
    }

    init(_ reader: ParamReader) throws(ChatProtocolError) {
        messageID = try reader.readSharedID("msgId")
        content = try reader.readTaggedObject("content")
        mentions = try reader.readOptionalObject("mentions") ?? JSONObject()
        ttlSeconds = try reader.readOptionalInteger("ttl")
        live = try reader.readOptionalBool("live")
        scope = try reader.readOptionalScope("scope")
        isSentAsGroup = try reader.readOptionalBool("asGroup") ?? false
    }

    package var params: JSONObject {
        var params = JSONObject()
        params["msgId"] = .string(messageID.text)
        params["content"] = content
        if !mentions.isEmpty { params["mentions"] = .object(mentions) }
        if let ttlSeconds { params["ttl"] = .integer(ttlSeconds) }
        if let live { params["live"] = .bool(live) }
        if let scope { params["scope"] = scope }
        if isSentAsGroup { params["asGroup"] = true }
        return params
    }
}

/// A request to delete a message (`x.msg.del`).
///
/// simplex-chat `docs/protocol/simplex-chat.md`, "x.msg.del - request to delete previously sent message".
package struct MessageDeletion: Sendable, Hashable {
    package var messageID: SharedMessageID
    package var memberID: String?
    package var scope: JSONValue?
    /// Whether the message is deleted only from the history, which the relays of a channel send to new members. Members
    /// who have the message then keep it.
    package var deletesOnlyHistory = false

    package init(messageID: SharedMessageID) {
        self.messageID = messageID
    }

    init(_ reader: ParamReader) throws(ChatProtocolError) {
        messageID = try reader.readSharedID("msgId")
        memberID = try reader.readOptionalString("memberId")
        scope = try reader.readOptionalScope("scope")
        deletesOnlyHistory = try reader.readOptionalBool("onlyHistory") ?? false
    }

    package var params: JSONObject {
        var params = JSONObject()
        params["msgId"] = .string(messageID.text)
        if let memberID { params["memberId"] = .string(memberID) }
        if let scope { params["scope"] = scope }
        if deletesOnlyHistory { params["onlyHistory"] = true }
        return params
    }
}

/// A reaction that is added to a message, or removed from it (`x.msg.react`).
///
/// simplex-chat `docs/protocol/simplex-chat.schema.json`.
package struct MessageReaction: Sendable, Hashable {
    /// The emojis of reactions that peers show. Each emoji is one code point. The heart has no variation selector.
    package static let emojis: Set<String> = ["👍", "👎", "😀", "😂", "😢", "❤", "🚀", "✅"]

    package var messageID: SharedMessageID
    package var memberID: String?
    package var scope: JSONValue?
    package var reaction: JSONValue
    package var isAddition: Bool

    package init(messageID: SharedMessageID, reaction: JSONValue, add: Bool) {
        self.messageID = messageID
        self.reaction = reaction
        self.isAddition = add
    }

    init(_ reader: ParamReader) throws(ChatProtocolError) {
        messageID = try reader.readSharedID("msgId")
        memberID = try reader.readOptionalString("memberId")
        scope = try reader.readOptionalScope("scope")
        reaction = try reader.readTaggedObject("reaction")
        isAddition = try reader.readBool("add")
    }

    /// Whether peers show the reaction. An unknown reaction is only stored.
    package var isKnown: Bool { Self.isKnown(reaction) }

    package static func isKnown(_ reaction: JSONValue) -> Bool {
        guard reaction["type"]?.stringValue == "emoji", let emoji = reaction["emoji"]?.stringValue else { return false }
        // Bytes are compared, because Swift compares strings by canonical equivalence. A character with a variation
        // selector must not match.
        return emojis.contains { Array($0.utf8) == Array(emoji.utf8) }
    }

    package var params: JSONObject {
        var params = JSONObject()
        params["msgId"] = .string(messageID.text)
        if let memberID { params["memberId"] = .string(memberID) }
        if let scope { params["scope"] = scope }
        params["reaction"] = reaction
        params["add"] = .bool(isAddition)
        return params
    }
}

extension ParamReader {
    /// Reads the scope of a group message, which names a conversation inside the group. Returns nil if the scope is
    /// absent or null. The scope `{"type":"member","memberId":…}` is the support chat of a member.
    func readOptionalScope(_ key: String) throws(ChatProtocolError) -> JSONValue? {
        guard let scope = try readOptionalTaggedObject(key) else { return Optional.none }
        if scope["type"]?.stringValue == "member", scope["memberId"]?.stringValue == nil {
            throw .invalidMessage(reason: "\(path).\(key).memberId: missing")
        }
        return scope
    }
}
