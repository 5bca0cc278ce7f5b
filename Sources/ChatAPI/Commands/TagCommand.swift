/// Commands for tags of chats (Chat API, section 2.6).
package enum TagCommand: Hashable, Sendable {
    case getChatTags(userId: Int64)
    case createChatTag(tag: ChatTagData)
    case setChatTags(chat: ChatRef, tagIds: [Int64])
    case deleteChatTag(tagId: Int64)
    case updateChatTag(tagId: Int64, tagData: ChatTagData)
    case reorderChatTags(tagIds: [Int64])
}

extension TagCommand: CommandCategory {
    var commandText: CommandText {
        switch self {
        case .getChatTags(let userId): "/_get tags \(userId)"
        case .createChatTag(let tag): "/_create tag \(json: tag)"
        case .setChatTags(let chat, let tagIds): "/_tags \(chat)\(" ", tagIds)"
        case .deleteChatTag(let tagId): "/_delete tag \(tagId)"
        case .updateChatTag(let tagId, let tagData): "/_update tag \(tagId) \(json: tagData)"
        case .reorderChatTags(let tagIds): "/_reorder tags \(tagIds)"
        }
    }

    static let forms: [CommandForm<Self>] = [
        CommandForm("/_get tags") { scanner throws(CommandParseError) in .getChatTags(userId: try scanner.scanNumber())
        },
        CommandForm("/_create tag") { scanner throws(CommandParseError) in .createChatTag(tag: try scanner.scanJSON())
        },
        CommandForm("/_tags") { scanner throws(CommandParseError) in
            .setChatTags(chat: try scanner.scanChat(), tagIds: scanner.isAtEnd ? [] : try scanner.scanNumbers())
        },
        CommandForm("/_delete tag") { scanner throws(CommandParseError) in
            .deleteChatTag(tagId: try scanner.scanNumber())
        },
        CommandForm("/_update tag") { scanner throws(CommandParseError) in
            .updateChatTag(tagId: try scanner.scanNumber(), tagData: try scanner.scanJSON())
        },
        CommandForm("/_reorder tags") { scanner throws(CommandParseError) in
            .reorderChatTags(tagIds: try scanner.scanNumbers())
        },
    ]
}

extension TagCommand {
    package var name: CommandName {
        switch self {
        case .getChatTags: .getChatTags
        case .createChatTag: .createChatTag
        case .setChatTags: .setChatTags
        case .deleteChatTag: .deleteChatTag
        case .updateChatTag: .updateChatTag
        case .reorderChatTags: .reorderChatTags
        }
    }
}
