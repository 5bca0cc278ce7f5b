/// The message to which another message replies.
public struct CIQuote: Codable, Hashable, Sendable {
    public var chatDir: CIDirection?
    public var itemId: Int64?
    public var sharedMsgId: String?
    public var sentAt: UTCTime
    public var content: MsgContent
    public var formattedText: [FormattedText]?

    public init(
        chatDir: CIDirection? = nil,
        itemId: Int64? = nil,
        sharedMsgId: String? = nil,
        sentAt: UTCTime,
        content: MsgContent,
        formattedText: [FormattedText]? = nil
    ) {
        self.chatDir = chatDir
        self.itemId = itemId
        self.sharedMsgId = sharedMsgId
        self.sentAt = sentAt
        self.content = content
        self.formattedText = formattedText
    }
}
