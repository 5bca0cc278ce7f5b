internal import ChatAPI

/// Routes for chats and their items, and for actions on messages.
enum MessagesResource {
    static let routes: [Route] = [
        .command(
            .get,
            "/v1/users/{userId}/chats",
            "listChats",
            .getChats,
            category: "Messages",
            policy: .data,
            cached: true,
            success: .page(ListPages.chats),
            finishing: FieldMask.finishing("chats", of: "AChat")
        ) { context throws(ProblemDetails) in
            .messages(try context.chats())
        },
        .command(
            .get,
            "/v1/users/{userId}/chats/{chatType}/{chatId}",
            "getChat",
            .getChat,
            category: "Messages",
            policy: .chat,
            cached: true,
            success: .page(ListPages.items),
            patched: patchedChat,
            finishing: FieldMask.finishing("chat", of: "AChat")
        ) { context throws(ProblemDetails) in
            .messages(try context.items())
        },
        .patch(
            "/v1/users/{userId}/chats/{chatType}/{chatId}",
            "updateChat",
            [.chatUnread, .setChatTags, .setChatSettings, .setChatTTL, .setChatUIThemes],
            category: "Messages",
            policy: .chat,
            of: patchedChat
        ) { context, patch throws(ProblemDetails) in
            let (userId, chat) = (try context.id("userId"), try context.chat())
            patch.set("unread") { [.messages(.chatUnread(chat: chat, unreadChat: $0))] }
            patch.set("tagIds") { [.tags(.setChatTags(chat: chat, tagIds: $0))] }
            patch.set("settings") { [.settings(.setChatSettings(chat: chat, chatSettings: $0))] }
            patch.setOrDelete("ttlSeconds") { .settings(.setChatTTL(userId: userId, chat: chat, seconds: $0)) }
            patch.setOrDelete("themes") { .themes(.setChatUIThemes(chat: chat, themes: $0)) }
        },
        .command(
            .get,
            "/v1/users/{userId}/chats/{chatType}/{chatId}/content-types",
            "listContentTypes",
            .getChatContentTypes,
            category: "Messages",
            policy: .chat
        ) { context throws(ProblemDetails) in
            .messages(.getChatContentTypes(chat: try context.chat()))
        },
        .command(
            .get,
            "/v1/users/{userId}/messages",
            "listMessages",
            .getChatItems,
            category: "Messages",
            policy: .data,
            success: .page(ListPages.allItems),
            finishing: FieldMask.finishing("chatItems", of: "AChatItem")
        ) { context throws(ProblemDetails) in
            .messages(try context.allItems())
        },
        .command(
            .get,
            "/v1/users/{userId}/chats/{chatType}/{chatId}/messages/{itemId}",
            "getMessage",
            .getChatItemInfo,
            category: "Messages",
            policy: .chat,
            cached: true
        ) { context throws(ProblemDetails) in
            .messages(.getChatItemInfo(chat: try context.chat(), itemId: try context.id("itemId")))
        },
        .command(
            .post,
            "/v1/users/{userId}/chats/{chatType}/{chatId}/messages",
            "sendMessages",
            .sendMessages,
            alsoRuns: [.createChatItems],
            category: "Messages",
            policy: .chat,
            takesText: true,
            success: MessagesResource.created,
            finishing: MessagesResource.finishing
        ) { context throws(ProblemDetails) in
            let chat = try context.chat()
            let outgoing = try context.outgoing()
            let body = outgoing.body
            guard chat.chatType != .local else {
                for name in ["sendAsGroup", "live", "ttl", "sign"] where body.json(name) != nil {
                    throw ProblemDetails(.invalidValue, "Notes are not sent, so they cannot have \(name).")
                }
                return .messages(
                    .createChatItems(noteFolderId: chat.chatId, composedMessages: try outgoing.messages())
                )
            }
            return .messages(
                .sendMessages(
                    chat: chat,
                    sendAsGroup: try body.optional("sendAsGroup") ?? false,
                    live: try body.optional("live") ?? false,
                    ttl: try body.optional("ttl"),
                    sign: try body.optional("sign") ?? false,
                    composedMessages: try outgoing.messages()
                )
            )
        },
        .command(
            .patch,
            "/v1/users/{userId}/chats/{chatType}/{chatId}/messages/{itemId}",
            "updateMessage",
            .updateChatItem,
            category: "Messages",
            policy: .chat
        ) { context throws(ProblemDetails) in
            let body = try context.body()
            return .messages(
                .updateChatItem(
                    chat: try context.chat(),
                    itemId: try context.id("itemId"),
                    live: try body.optional("live") ?? false,
                    updatedMessage: try body.value("updatedMessage")
                )
            )
        },
        .command(
            .delete,
            "/v1/users/{userId}/chats/{chatType}/{chatId}/messages",
            "deleteMessages",
            .deleteChatItem,
            category: "Messages",
            policy: .chat
        ) { context throws(ProblemDetails) in
            .messages(
                .deleteChatItem(
                    chat: try context.chat(),
                    itemIds: try context.ids("itemIds"),
                    mode: try context.deleteMode()
                )
            )
        },
        .command(
            .post,
            "/v1/users/{userId}/groups/{groupId}/moderations",
            "moderateMessages",
            .deleteMemberChatItem,
            category: "Messages",
            policy: .data
        ) { context throws(ProblemDetails) in
            .messages(
                .deleteMemberChatItem(groupId: try context.id("groupId"), itemIds: try context.body().ids("itemIds"))
            )
        },
        .command(
            .post,
            "/v1/users/{userId}/groups/{groupId}/reports/archive",
            "archiveReports",
            .archiveReceivedReports,
            category: "Messages",
            policy: .data
        ) { context throws(ProblemDetails) in
            .messages(.archiveReceivedReports(groupId: try context.id("groupId")))
        },
        .command(
            .delete,
            "/v1/users/{userId}/groups/{groupId}/reports",
            "deleteReports",
            .deleteReceivedReports,
            category: "Messages",
            policy: .data
        ) { context throws(ProblemDetails) in
            .messages(
                .deleteReceivedReports(
                    groupId: try context.id("groupId"),
                    itemIds: try context.ids("itemIds"),
                    mode: try context.deleteMode()
                )
            )
        },
        .command(
            .post,
            "/v1/users/{userId}/chats/{chatType}/{chatId}/messages/{itemId}/reactions",
            "changeReaction",
            .chatItemReaction,
            category: "Messages",
            policy: .chat
        ) { context throws(ProblemDetails) in
            let body = try context.body()
            return .messages(
                .chatItemReaction(
                    chat: try context.chat(),
                    itemId: try context.id("itemId"),
                    add: try body.optional("add") ?? true,
                    reaction: try body.value("reaction")
                )
            )
        },
        .command(
            .get,
            "/v1/users/{userId}/groups/{groupId}/messages/{itemId}/reactions",
            "listReactionMembers",
            .getReactionMembers,
            category: "Messages",
            policy: .data,
            success: .page(ListPages.reactionMembers)
        ) { context throws(ProblemDetails) in
            _ = try context.page()
            return .messages(
                .getReactionMembers(
                    userId: try context.id("userId"),
                    groupId: try context.id("groupId"),
                    itemId: try context.id("itemId"),
                    reaction: try context.emoji()
                )
            )
        },
        .command(
            .post,
            "/v1/users/{userId}/chats/{chatType}/{chatId}/forward-plan",
            "planForward",
            .planForwardChatItems,
            category: "Messages",
            policy: .chat
        ) { context throws(ProblemDetails) in
            .messages(.planForwardChatItems(fromChat: try context.chat(), itemIds: try context.body().ids("itemIds")))
        },
        .command(
            .post,
            "/v1/users/{userId}/chats/{chatType}/{chatId}/forwards",
            "forwardMessages",
            .forwardChatItems,
            category: "Messages",
            policy: .chat,
            success: MessagesResource.created
        ) { context throws(ProblemDetails) in
            let body = try context.body()
            return .messages(
                .forwardChatItems(
                    toChat: try context.chat(),
                    sendAsGroup: try body.optional("sendAsGroup") ?? false,
                    fromChat: ChatRef(
                        chatType: try body.value("fromChatType"),
                        chatId: try body.value("fromChatId"),
                        chatScope: try body.optional("fromScope")
                    ),
                    itemIds: try body.value("itemIds"),
                    ttl: try body.optional("ttl")
                )
            )
        },
        .command(
            .post,
            "/v1/users/{userId}/groups/{groupId}/messages/{itemId}/reports",
            "reportMessage",
            .reportMessage,
            category: "Messages",
            policy: .data,
            success: MessagesResource.created
        ) { context throws(ProblemDetails) in
            let body = try context.body()
            return .messages(
                .reportMessage(
                    groupId: try context.id("groupId"),
                    chatItemId: try context.id("itemId"),
                    reportReason: try body.value("reportReason"),
                    reportText: try body.optional("reportText") ?? ""
                )
            )
        },
        .command(
            .post,
            "/v1/users/{userId}/chats/{chatType}/{chatId}/read",
            "markChatRead",
            .chatRead,
            category: "Messages",
            policy: .chat
        ) { context throws(ProblemDetails) in
            .messages(.chatRead(chat: try context.chat()))
        },
        .command(
            .post,
            "/v1/users/{userId}/chats/{chatType}/{chatId}/messages/read",
            "markMessagesRead",
            .chatItemsRead,
            category: "Messages",
            policy: .chat
        ) { context throws(ProblemDetails) in
            .messages(.chatItemsRead(chat: try context.chat(), itemIds: try context.body().ids("itemIds")))
        },
        .command(
            .post,
            "/v1/users/{userId}/chats/{chatType}/{chatId}/share",
            "createChannelCard",
            .shareChatMsgContent,
            category: "Messages",
            policy: .chat
        ) { context throws(ProblemDetails) in
            let body = try context.body()
            return .messages(
                .shareChatMsgContent(
                    shareChat: try context.chat(),
                    toChat: ChatRef(
                        chatType: try body.value("toChatType"),
                        chatId: try body.value("toChatId"),
                        chatScope: try body.optional("toScope")
                    ),
                    sendAsGroup: try body.optional("sendAsGroup") ?? false
                )
            )
        },
        .command(
            .post,
            "/v1/users/{userId}/chats/{chatType}/{chatId}/share-address",
            "createAddressCard",
            .shareMyAddress,
            category: "Messages",
            policy: .chat
        ) { context throws(ProblemDetails) in
            .messages(
                .shareMyAddress(
                    toChat: try context.chat(),
                    sendAsGroup: try context.body().optional("sendAsGroup") ?? false
                )
            )
        },
    ]
}

extension MessagesResource {
    /// The success of a request that sends messages, with the path of the first new item.
    static let created = CommandSuccess.created { response, context in
        guard case .newChatItems(_, let items) = response, let item = items.first,
            let user = context.parameters["userId"]
        else { return nil }
        let chat =
            "\(context.parameters["chatType"] ?? "group")/\(context.parameters["chatId"] ?? context.parameters["groupId"] ?? "")"
        return "/v1/users/\(user)/chats/\(chat)/messages/\(item.chatItem.meta.itemId)\(scope(of: item.chatInfo))"
    }

    /// Makes the query with the scope of items in a group; empty for items without a scope.
    private static func scope(of info: ChatInfo) -> String {
        guard case .group(_, .memberSupport(let member)?) = info else { return "" }
        return "?scope=support\(member.map { ":\($0.groupMemberId)" } ?? "")"
    }
}

extension MessagesResource {
    /// The chat in the path, without most of its items.
    static let patchedChat = PatchedResource { context throws(ProblemDetails) in
        .messages(
            .getChat(chat: try context.chat(), contentTag: nil, pagination: .last(count: 1), search: nil)
        )
    } values: {
        values($0)
    }

    /// The values of a chat that clients change.
    static func values(_ response: ChatResponse) -> [(String, (any Encodable)?)] {
        guard case .apiChat(_, let chat, _) = response else { return [] }
        switch chat.chatInfo {
        case .contactConnection(let connection):
            return [("alias", connection.localAlias), ("incognito", connection.customUserProfileId != nil)]
        case .direct(let contact):
            return [
                ("tagIds", contact.chatTags), ("settings", contact.chatSettings), ("ttlSeconds", contact.chatItemTTL),
                ("themes", contact.uiThemes),
            ]
        case .group(let group, _):
            return [
                ("tagIds", group.chatTags), ("settings", group.chatSettings), ("ttlSeconds", group.chatItemTTL),
                ("themes", group.uiThemes),
            ]
        case .local(let folder): return [("unread", folder.unread)]
        default: return []
        }
    }
}
