/// A message that the user has composed: content, file, quoted item and mentions.
package struct ComposedMessage: Codable, Hashable, Sendable {
    package var fileSource: CryptoFile?
    package var quotedItemId: Int64?
    package var msgContent: MsgContent
    package var mentions: [String: Int64]

    package init(
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
    /// Decodes a message. In messages of older clients, mentions may be missing, and the file may be only a path.
    package init(from decoder: any Decoder) throws {
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
package struct UpdatedMessage: Codable, Hashable, Sendable {
    package var msgContent: MsgContent
    package var mentions: [String: Int64]

    package init(msgContent: MsgContent, mentions: [String: Int64]) {
        self.msgContent = msgContent
        self.mentions = mentions
    }
}

extension UpdatedMessage {
    /// Decodes an edited message. Mentions may be missing.
    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        msgContent = try members.decode(MsgContent.self, forKey: .msgContent)
        mentions = try members.decodeIfPresent([String: Int64].self, forKey: .mentions) ?? [:]
    }
}
