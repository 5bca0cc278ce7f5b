/// Commands for chats, their items, and actions on messages (Chat API, section 2.3). A time to live is in seconds.
package enum MessageCommand: Hashable, Sendable {
    case getChats(userId: Int64, pendingConnections: Bool, pagination: PaginationByTime?, query: ChatListQuery?)
    case getChat(
        chat: ChatRef,
        contentTag: MsgContentTag?,
        pagination: ChatPagination,
        search: String?,
        filter: MessageFilter = .all
    )
    case getChatContentTypes(chat: ChatRef)
    /// Lists items of all chats. The text form of the command cannot express `contentTag` and `filter`.
    case getChatItems(
        pagination: ChatPagination,
        search: String?,
        contentTag: MsgContentTag? = nil,
        filter: MessageFilter = .all
    )
    case getChatItemInfo(chat: ChatRef, itemId: Int64)
    case sendMessages(
        chat: ChatRef,
        sendAsGroup: Bool,
        live: Bool,
        ttl: Int?,
        sign: Bool,
        composedMessages: [ComposedMessage]
    )
    case createChatItems(noteFolderId: Int64, composedMessages: [ComposedMessage])
    case updateChatItem(chat: ChatRef, itemId: Int64, live: Bool, updatedMessage: UpdatedMessage)
    case deleteChatItem(chat: ChatRef, itemIds: [Int64], mode: CIDeleteMode)
    case deleteMemberChatItem(groupId: Int64, itemIds: [Int64])
    case archiveReceivedReports(groupId: Int64)
    case deleteReceivedReports(groupId: Int64, itemIds: [Int64], mode: CIDeleteMode)
    case chatItemReaction(chat: ChatRef, itemId: Int64, add: Bool, reaction: MsgReaction)
    case getReactionMembers(userId: Int64, groupId: Int64, itemId: Int64, reaction: MsgReaction)
    case planForwardChatItems(fromChat: ChatRef, itemIds: [Int64])
    case forwardChatItems(toChat: ChatRef, sendAsGroup: Bool, fromChat: ChatRef, itemIds: [Int64], ttl: Int?)
    case reportMessage(groupId: Int64, chatItemId: Int64, reportReason: ReportReason, reportText: String)
    case chatRead(chat: ChatRef)
    case chatItemsRead(chat: ChatRef, itemIds: [Int64])
    case chatUnread(chat: ChatRef, unreadChat: Bool)
    case shareChatMsgContent(shareChat: ChatRef, toChat: ChatRef, sendAsGroup: Bool)
    case shareMyAddress(toChat: ChatRef, sendAsGroup: Bool)
}

extension MessageCommand: CommandCategory {
    var commandText: CommandText {
        switch self {
        case .getChats(let userId, let pendingConnections, let pagination, let query):
            "/_get chats \(userId) pcc=\(pendingConnections)\(" ", pagination)\(" ", json: query)"
        case .getChat(let chat, let contentTag, let pagination, let search, _):
            "/_get chat \(chat)\(" content=", contentTag) \(pagination)\(" search=", search)"
        case .getChatContentTypes(let chat): "/_get content types \(chat)"
        case .getChatItems(let pagination, let search, _, _): "/_get items \(pagination)\(" search=", search)"
        case .getChatItemInfo(let chat, let itemId): "/_get item info \(chat) \(itemId)"
        case .sendMessages(let chat, let sendAsGroup, let live, let ttl, let sign, let composedMessages):
            "/_send \(chat)\("(as_group=on)", if: sendAsGroup) live=\(live) ttl=\(ttl, or: "default")\(" sign=on", if: sign) json \(json: composedMessages)"
        case .createChatItems(let noteFolderId, let composedMessages):
            "/_create *\(noteFolderId) json \(json: composedMessages)"
        case .updateChatItem(let chat, let itemId, let live, let updatedMessage):
            "/_update item \(chat) \(itemId) live=\(live) json \(json: updatedMessage)"
        case .deleteChatItem(let chat, let itemIds, let mode): "/_delete item \(chat) \(itemIds) \(mode)"
        case .deleteMemberChatItem(let groupId, let itemIds): "/_delete member item #\(groupId) \(itemIds)"
        case .archiveReceivedReports(let groupId): "/_archive reports #\(groupId)"
        case .deleteReceivedReports(let groupId, let itemIds, let mode):
            "/_delete reports #\(groupId) \(itemIds) \(mode)"
        case .chatItemReaction(let chat, let itemId, let add, let reaction):
            "/_reaction \(chat) \(itemId) \(add) \(json: reaction)"
        case .getReactionMembers(let userId, let groupId, let itemId, let reaction):
            "/_reaction members \(userId) #\(groupId) \(itemId) \(json: reaction)"
        case .planForwardChatItems(let fromChat, let itemIds): "/_forward plan \(fromChat) \(itemIds)"
        case .forwardChatItems(let toChat, let sendAsGroup, let fromChat, let itemIds, let ttl):
            "/_forward \(toChat)\(" as_group=on", if: sendAsGroup) \(fromChat) \(itemIds) ttl=\(ttl, or: "default")"
        case .reportMessage(let groupId, let chatItemId, let reportReason, let reportText):
            "/_report #\(groupId) \(chatItemId) reason=\(reportReason)\(" ", reportText)"
        case .chatRead(let chat): "/_read chat \(chat)"
        case .chatItemsRead(let chat, let itemIds): "/_read chat items \(chat) \(itemIds)"
        case .chatUnread(let chat, let unreadChat): "/_unread chat \(chat) \(unreadChat)"
        case .shareChatMsgContent(let shareChat, let toChat, let sendAsGroup):
            "/_share chat content \(shareChat) \(toChat)\("(as_group=on)", if: sendAsGroup)"
        case .shareMyAddress(let toChat, let sendAsGroup):
            "/_share address \(toChat)\("(as_group=on)", if: sendAsGroup)"
        }
    }

    static let forms: [CommandForm<Self>] = [
        CommandForm("/_get chats") { scanner throws(CommandParseError) in
            .getChats(
                userId: try scanner.scanNumber(),
                pendingConnections: try scanner.scanFlag("pcc") ?? false,
                pagination: try scanner.scanPaginationByTimeIfAny(),
                query: try scanner.scanJSONIfAny()
            )
        },
        CommandForm("/_get chat") { scanner throws(CommandParseError) in
            .getChat(
                chat: try scanner.scanChat(),
                contentTag: try scanner.scanOption("content").map(MsgContentTag.init(rawValue:)),
                pagination: try scanner.scanPagination(),
                search: scanner.scanSearch()
            )
        },
        CommandForm("/_get content types") { scanner throws(CommandParseError) in
            .getChatContentTypes(chat: try scanner.scanChat())
        },
        CommandForm("/_get items") { scanner throws(CommandParseError) in
            .getChatItems(pagination: try scanner.scanPagination(), search: scanner.scanSearch())
        },
        CommandForm("/_get item info") { scanner throws(CommandParseError) in
            .getChatItemInfo(chat: try scanner.scanChat(), itemId: try scanner.scanNumber())
        },
        CommandForm("/_send") { scanner throws(CommandParseError) in
            .sendMessages(
                chat: try scanner.scanChat([.direct, .group]),
                sendAsGroup: scanner.scanAsGroup(),
                live: try scanner.scanFlag("live") ?? false,
                ttl: try scanner.scanNumberOrDefault(option: "ttl"),
                sign: try scanner.scanFlag("sign") ?? false,
                composedMessages: try scanner.scanComposedMessages()
            )
        },
        CommandForm("/_create") { scanner throws(CommandParseError) in
            .createChatItems(
                noteFolderId: try scanner.scanChatID(.local),
                composedMessages: try scanner.scanComposedMessages()
            )
        },
        CommandForm("/_update item") { scanner throws(CommandParseError) in
            .updateChatItem(
                chat: try scanner.scanChat(),
                itemId: try scanner.scanNumber(),
                live: try scanner.scanFlag("live") ?? false,
                updatedMessage: try scanner.scanUpdatedMessage()
            )
        },
        CommandForm("/_delete item") { scanner throws(CommandParseError) in
            .deleteChatItem(
                chat: try scanner.scanChat(),
                itemIds: try scanner.scanNumbers(),
                mode: try scanner.scanDeleteMode()
            )
        },
        CommandForm("/_delete member item") { scanner throws(CommandParseError) in
            .deleteMemberChatItem(groupId: try scanner.scanChatID(.group), itemIds: try scanner.scanNumbers())
        },
        CommandForm("/_archive reports") { scanner throws(CommandParseError) in
            .archiveReceivedReports(groupId: try scanner.scanChatID(.group))
        },
        CommandForm("/_delete reports") { scanner throws(CommandParseError) in
            .deleteReceivedReports(
                groupId: try scanner.scanChatID(.group),
                itemIds: try scanner.scanNumbers(),
                mode: try scanner.scanDeleteMode()
            )
        },
        CommandForm("/_reaction") { scanner throws(CommandParseError) in
            .chatItemReaction(
                chat: try scanner.scanChat(),
                itemId: try scanner.scanNumber(),
                add: try scanner.scanOnOff(),
                reaction: try scanner.scanReaction()
            )
        },
        CommandForm("/_reaction members") { scanner throws(CommandParseError) in
            .getReactionMembers(
                userId: try scanner.scanNumber(),
                groupId: try scanner.scanChatID(.group),
                itemId: try scanner.scanNumber(),
                reaction: try scanner.scanReaction()
            )
        },
        CommandForm("/_forward plan") { scanner throws(CommandParseError) in
            .planForwardChatItems(fromChat: try scanner.scanChat(), itemIds: try scanner.scanNumbers())
        },
        CommandForm("/_forward") { scanner throws(CommandParseError) in
            .forwardChatItems(
                toChat: try scanner.scanChat(),
                sendAsGroup: try scanner.scanFlag("as_group") ?? false,
                fromChat: try scanner.scanChat(),
                itemIds: try scanner.scanNumbers(),
                ttl: try scanner.scanNumberOrDefault(option: "ttl")
            )
        },
        CommandForm("/_report") { scanner throws(CommandParseError) in
            .reportMessage(
                groupId: try scanner.scanChatID(.group),
                chatItemId: try scanner.scanNumber(),
                reportReason: try scanner.scanReportReason(),
                reportText: try scanner.scanRemainderIfAny() ?? ""
            )
        },
        CommandForm("/_read chat") { scanner throws(CommandParseError) in .chatRead(chat: try scanner.scanChat()) },
        CommandForm("/_read chat items") { scanner throws(CommandParseError) in
            .chatItemsRead(chat: try scanner.scanChat(), itemIds: try scanner.scanNumbers())
        },
        CommandForm("/_unread chat") { scanner throws(CommandParseError) in
            .chatUnread(chat: try scanner.scanChat(), unreadChat: try scanner.scanOnOff())
        },
        CommandForm("/_share chat content") { scanner throws(CommandParseError) in
            .shareChatMsgContent(
                shareChat: try scanner.scanChat(),
                toChat: try scanner.scanChat([.direct, .group]),
                sendAsGroup: scanner.scanAsGroup()
            )
        },
        CommandForm("/_share address") { scanner throws(CommandParseError) in
            .shareMyAddress(toChat: try scanner.scanChat([.direct, .group]), sendAsGroup: scanner.scanAsGroup())
        },
    ]
}

extension MessageCommand {
    package var name: CommandName {
        switch self {
        case .getChats: .getChats
        case .getChat: .getChat
        case .getChatContentTypes: .getChatContentTypes
        case .getChatItems: .getChatItems
        case .getChatItemInfo: .getChatItemInfo
        case .sendMessages: .sendMessages
        case .createChatItems: .createChatItems
        case .updateChatItem: .updateChatItem
        case .deleteChatItem: .deleteChatItem
        case .deleteMemberChatItem: .deleteMemberChatItem
        case .archiveReceivedReports: .archiveReceivedReports
        case .deleteReceivedReports: .deleteReceivedReports
        case .chatItemReaction: .chatItemReaction
        case .getReactionMembers: .getReactionMembers
        case .planForwardChatItems: .planForwardChatItems
        case .forwardChatItems: .forwardChatItems
        case .reportMessage: .reportMessage
        case .chatRead: .chatRead
        case .chatItemsRead: .chatItemsRead
        case .chatUnread: .chatUnread
        case .shareChatMsgContent: .shareChatMsgContent
        case .shareMyAddress: .shareMyAddress
        }
    }
}
