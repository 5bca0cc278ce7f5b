/// A message that the user has composed: content, file, quoted item and mentions.
public struct ComposedMessage: Codable, Hashable, Sendable {
    public var fileSource: CryptoFile?
    public var quotedItemId: Int64?
    public var msgContent: MsgContent
    public var mentions: [String: Int64]

    public init(
        fileSource: CryptoFile? = nil,
        quotedItemId: Int64? = nil,
        msgContent: MsgContent,
        mentions: [String: Int64]
    ) {
        self.fileSource = fileSource
        self.quotedItemId = quotedItemId
        self.msgContent = msgContent
        self.mentions = mentions
    }
}

extension ComposedMessage {
    /// Decodes a message, also from older clients: mentions may be missing, and the file may be only a path.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        msgContent = try members.decode(MsgContent.self, forKey: .msgContent)
        quotedItemId = try members.decodeIfPresent(Int64.self, forKey: .quotedItemId)
        mentions = try members.decodeIfPresent([String: Int64].self, forKey: .mentions) ?? [:]
        if let file = try members.decodeIfPresent(CryptoFile.self, forKey: .fileSource) {
            fileSource = file
        } else {
            let path = try decoder.container(keyedBy: MemberName.self).decodeIfPresent(String.self, forKey: "filePath")
            fileSource = path.map { CryptoFile(filePath: $0) }
        }
    }
}

/// The new content and mentions of an edited message.
public struct UpdatedMessage: Codable, Hashable, Sendable {
    public var msgContent: MsgContent
    public var mentions: [String: Int64]

    public init(msgContent: MsgContent, mentions: [String: Int64]) {
        self.msgContent = msgContent
        self.mentions = mentions
    }
}

extension UpdatedMessage {
    /// Decodes an edited message. Mentions may be missing.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        msgContent = try members.decode(MsgContent.self, forKey: .msgContent)
        mentions = try members.decodeIfPresent([String: Int64].self, forKey: .mentions) ?? [:]
    }
}
