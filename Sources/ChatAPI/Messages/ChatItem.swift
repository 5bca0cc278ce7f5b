/// One item of a chat, such as a message, a call or an event.
package struct ChatItem: Codable, Hashable, Sendable {
    package var chatDir: CIDirection
    package var meta: CIMeta
    package var content: CIContent
    package var mentions: [String: CIMention]
    package var formattedText: [FormattedText]?
    package var quotedItem: CIQuote?
    package var reactions: [CIReactionCount]
    package var file: CIFile?

    package init(
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
