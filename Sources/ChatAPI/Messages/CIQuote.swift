/// The message to which another message replies.
package struct CIQuote: Codable, Hashable, Sendable {
    package var chatDir: CIDirection?
    package var itemId: Int64?
    package var sharedMsgId: String?
    package var sentAt: UTCTime
    package var content: MsgContent
    package var formattedText: [FormattedText]?

    package init(
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
