/// One item of a chat.
public struct ChatItem: Codable, Hashable, Sendable {
    public var chatDir: CIDirection
    public var meta: CIMeta
    public var content: CIContent
    public var mentions: [String: CIMention]
    public var formattedText: [FormattedText]?
    public var quotedItem: CIQuote?
    public var reactions: [CIReactionCount]
    public var file: CIFile?

    public init(
        chatDir: CIDirection,
        meta: CIMeta,
        content: CIContent,
        mentions: [String: CIMention],
        formattedText: [FormattedText]? = nil,
        quotedItem: CIQuote? = nil,
        reactions: [CIReactionCount],
        file: CIFile? = nil
    ) {
        self.chatDir = chatDir
        self.meta = meta
        self.content = content
        self.mentions = mentions
        self.formattedText = formattedText
        self.quotedItem = quotedItem
        self.reactions = reactions
        self.file = file
    }
}
