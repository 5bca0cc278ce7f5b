internal import ChatAPI

/// Routes for chats and their items, and for actions on messages.
enum MessagesResource {
    static let routes: [Route] = [
        .makeCommandRoute(
            .get,
            "/v1/users/{userId}/chats",
            "listChats",
            .getChats,
            category: "Messages",
            policy: .storeData,
            cached: true,
            success: .page(ListPages.selectChats),
            finishing: FieldMask.makeFinisher("chats", of: "AChat")
        ) { context throws(ProblemDetails) in
            .messages(try context.parseChatsCommand())
        },
        .makeCommandRoute(
            .get,
            "/v1/users/{userId}/chats/{chatType}/{chatId}",
            "getChat",
            .getChat,
            category: "Messages",
            policy: .chatData,
            cached: true,
            success: .page(ListPages.selectItems),
            patched: patchedChat,
            finishing: FieldMask.makeFinisher("chat", of: "AChat")
        ) { context throws(ProblemDetails) in
            .messages(try context.parseItemsCommand())
        },
        .makePatchRoute(
            "/v1/users/{userId}/chats/{chatType}/{chatId}",
            "updateChat",
            [.chatUnread, .setChatTags, .setChatSettings, .setChatTTL, .setChatUIThemes],
            category: "Messages",
            scopes: [.read, .write],
            policy: .chatData,
            of: patchedChat
        ) { context, patch throws(ProblemDetails) in
            let (userId, chat) = (try context.parseID("userId"), try context.parseChat())
            if chat.chatType == .local {
                for member in ["tagIds", "settings", "themes"] {
                    patch.refuseMember(member, "cannot be set for notes.")
                }
            }
            patch.setMember("unread") { [.messages(.chatUnread(chat: chat, unreadChat: $0))] }
            patch.setMember("tagIds") { [.tags(.setChatTags(chat: chat, tagIds: $0))] }
            patch.setMember("settings") { [.settings(.setChatSettings(chat: chat, chatSettings: $0))] }
            patch.setOrDeleteMember("ttlSeconds") { .settings(.setChatTTL(userId: userId, chat: chat, seconds: $0)) }
            patch.setOrDeleteMember("themes") { .themes(.setChatUIThemes(chat: chat, themes: $0)) }
        },
        .makeCommandRoute(
            .get,
            "/v1/users/{userId}/chats/{chatType}/{chatId}/content-types",
            "listContentTypes",
            .getChatContentTypes,
            category: "Messages",
            policy: .chatData
        ) { context throws(ProblemDetails) in
            .messages(.getChatContentTypes(chat: try context.parseChat()))
        },
        .makeCommandRoute(
            .get,
            "/v1/users/{userId}/messages",
            "listMessages",
            .getChatItems,
            category: "Messages",
            policy: .storeData,
            success: .page(ListPages.selectAllItems),
            finishing: FieldMask.makeFinisher("chatItems", of: "AChatItem")
        ) { context throws(ProblemDetails) in
            .messages(try context.parseAllItemsCommand())
        },
        .makeCommandRoute(
            .get,
            "/v1/users/{userId}/chats/{chatType}/{chatId}/messages/{itemId}",
            "getMessage",
            .getChatItemInfo,
            category: "Messages",
            policy: .chatData,
            cached: true
        ) { context throws(ProblemDetails) in
            .messages(.getChatItemInfo(chat: try context.parseChat(), itemId: try context.parseID("itemId")))
        },
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/chats/{chatType}/{chatId}/messages",
            "sendMessages",
            .sendMessages,
            alsoRuns: [.createChatItems],
            category: "Messages",
            policy: .chatData,
            takesText: true,
            success: MessagesResource.createdSuccess,
            finishing: MessagesResource.makeFinisher
        ) { context throws(ProblemDetails) in
            let chat = try context.parseChat()
            let outgoing = try context.decodeOutgoingBody()
            let body = outgoing.body
            guard chat.chatType != .local else {
                for name in ["sendAsGroup", "live", "ttl", "sign"] where body.readJSON(name) != nil {
                    throw ProblemDetails(.invalidValue, "Notes are not sent, so they cannot have \(name).")
                }
                return .messages(
                    .createChatItems(noteFolderId: chat.chatId, composedMessages: try outgoing.decodeMessages())
                )
            }
            return .messages(
                .sendMessages(
                    chat: chat,
                    sendAsGroup: try body.decodeIfPresent("sendAsGroup") ?? false,
                    live: try body.decodeIfPresent("live") ?? false,
                    ttl: try body.decodeIfPresent("ttl"),
                    sign: try body.decodeIfPresent("sign") ?? false,
                    composedMessages: try outgoing.decodeMessages()
                )
            )
        },
        .makeCommandRoute(
            .patch,
            "/v1/users/{userId}/chats/{chatType}/{chatId}/messages/{itemId}",
            "updateMessage",
            .updateChatItem,
            category: "Messages",
            policy: .chatData
        ) { context throws(ProblemDetails) in
            let body = try context.parseBody()
            return .messages(
                .updateChatItem(
                    chat: try context.parseChat(),
                    itemId: try context.parseID("itemId"),
                    live: try body.decodeIfPresent("live") ?? false,
                    updatedMessage: try body.decodeValue("updatedMessage")
                )
            )
        },
        .makeCommandRoute(
            .delete,
            "/v1/users/{userId}/chats/{chatType}/{chatId}/messages",
            "deleteMessages",
            .deleteChatItem,
            category: "Messages",
            policy: .chatData
        ) { context throws(ProblemDetails) in
            .messages(
                .deleteChatItem(
                    chat: try context.parseChat(),
                    itemIds: try context.parseIDs("itemIds"),
                    mode: try context.parseDeleteMode()
                )
            )
        },
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/groups/{groupId}/moderations",
            "moderateMessages",
            .deleteMemberChatItem,
            category: "Messages",
            policy: .storeData
        ) { context throws(ProblemDetails) in
            .messages(
                .deleteMemberChatItem(
                    groupId: try context.parseID("groupId"),
                    itemIds: try context.parseBody().decodeIDs("itemIds")
                )
            )
        },
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/groups/{groupId}/reports/archive",
            "archiveReports",
            .archiveReceivedReports,
            category: "Messages",
            policy: .storeData
        ) { context throws(ProblemDetails) in
            .messages(.archiveReceivedReports(groupId: try context.parseID("groupId")))
        },
        .makeCommandRoute(
            .delete,
            "/v1/users/{userId}/groups/{groupId}/reports",
            "deleteReports",
            .deleteReceivedReports,
            category: "Messages",
            policy: .storeData
        ) { context throws(ProblemDetails) in
            .messages(
                .deleteReceivedReports(
                    groupId: try context.parseID("groupId"),
                    itemIds: try context.parseIDs("itemIds"),
                    mode: try context.parseDeleteMode()
                )
            )
        },
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/chats/{chatType}/{chatId}/messages/{itemId}/reactions",
            "changeReaction",
            .chatItemReaction,
            category: "Messages",
            policy: .chatData
        ) { context throws(ProblemDetails) in
            let body = try context.parseBody()
            return .messages(
                .chatItemReaction(
                    chat: try context.parseChat(),
                    itemId: try context.parseID("itemId"),
                    add: try body.decodeIfPresent("add") ?? true,
                    reaction: try body.decodeValue("reaction")
                )
            )
        },
        .makeCommandRoute(
            .get,
            "/v1/users/{userId}/groups/{groupId}/messages/{itemId}/reactions",
            "listReactionMembers",
            .getReactionMembers,
            category: "Messages",
            policy: .storeData,
            success: .page(ListPages.selectReactionMembers)
        ) { context throws(ProblemDetails) in
            _ = try context.parsePage()
            return .messages(
                .getReactionMembers(
                    userId: try context.parseID("userId"),
                    groupId: try context.parseID("groupId"),
                    itemId: try context.parseID("itemId"),
                    reaction: try context.parseReaction()
                )
            )
        },
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/chats/{chatType}/{chatId}/forward-plan",
            "planForward",
            .planForwardChatItems,
            category: "Messages",
            policy: .chatData
        ) { context throws(ProblemDetails) in
            .messages(
                .planForwardChatItems(
                    fromChat: try context.parseChat(),
                    itemIds: try context.parseBody().decodeIDs("itemIds")
                )
            )
        },
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/chats/{chatType}/{chatId}/forwards",
            "forwardMessages",
            .forwardChatItems,
            category: "Messages",
            policy: .chatData,
            success: MessagesResource.createdSuccess
        ) { context throws(ProblemDetails) in
            let body = try context.parseBody()
            return .messages(
                .forwardChatItems(
                    toChat: try context.parseChat(),
                    sendAsGroup: try body.decodeIfPresent("sendAsGroup") ?? false,
                    fromChat: ChatRef(
                        chatType: try body.decodeValue("fromChatType"),
                        chatId: try body.decodeValue("fromChatId"),
                        chatScope: try body.decodeIfPresent("fromScope")
                    ),
                    itemIds: try body.decodeValue("itemIds"),
                    ttl: try body.decodeIfPresent("ttl")
                )
            )
        },
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/groups/{groupId}/messages/{itemId}/reports",
            "reportMessage",
            .reportMessage,
            category: "Messages",
            policy: .storeData,
            success: MessagesResource.createdSuccess
        ) { context throws(ProblemDetails) in
            let body = try context.parseBody()
            return .messages(
                .reportMessage(
                    groupId: try context.parseID("groupId"),
                    chatItemId: try context.parseID("itemId"),
                    reportReason: try body.decodeValue("reportReason"),
                    reportText: try body.decodeIfPresent("reportText") ?? ""
                )
            )
        },
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/chats/{chatType}/{chatId}/read",
            "markChatRead",
            .chatRead,
            category: "Messages",
            policy: .chatData
        ) { context throws(ProblemDetails) in
            .messages(.chatRead(chat: try context.parseChat()))
        },
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/chats/{chatType}/{chatId}/messages/read",
            "markMessagesRead",
            .chatItemsRead,
            category: "Messages",
            policy: .chatData
        ) { context throws(ProblemDetails) in
            .messages(
                .chatItemsRead(chat: try context.parseChat(), itemIds: try context.parseBody().decodeIDs("itemIds"))
            )
        },
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/chats/{chatType}/{chatId}/share",
            "createChannelCard",
            .shareChatMsgContent,
            category: "Messages",
            policy: .chatData
        ) { context throws(ProblemDetails) in
            let body = try context.parseBody()
            return .messages(
                .shareChatMsgContent(
                    shareChat: try context.parseChat(),
                    toChat: ChatRef(
                        chatType: try body.decodeValue("toChatType"),
                        chatId: try body.decodeValue("toChatId"),
                        chatScope: try body.decodeIfPresent("toScope")
                    ),
                    sendAsGroup: try body.decodeIfPresent("sendAsGroup") ?? false
                )
            )
        },
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/chats/{chatType}/{chatId}/share-address",
            "createAddressCard",
            .shareMyAddress,
            category: "Messages",
            policy: .chatData
        ) { context throws(ProblemDetails) in
            .messages(
                .shareMyAddress(
                    toChat: try context.parseChat(),
                    sendAsGroup: try context.parseBody().decodeIfPresent("sendAsGroup") ?? false
                )
            )
        },
    ]
}

extension MessagesResource {
    /// The answer to a request that has sent messages: status 201, with the path of the first new item.
    static let createdSuccess = CommandAnswerForm.created { response, context in
        guard case .newChatItems(_, let items) = response, let item = items.first,
            let user = context.parameters["userId"]
        else { return nil }
        let chat =
            "\(context.parameters["chatType"] ?? "group")/\(context.parameters["chatId"] ?? context.parameters["groupId"] ?? "")"
        return
            "/v1/users/\(user)/chats/\(chat)/messages/\(item.chatItem.meta.itemId)\(makeScopeQuery(of: item.chatInfo))"
    }

    /// Returns the query for the scope of items in a group, such as `?scope=support`; empty for items without a scope.
    private static func makeScopeQuery(of info: ChatInfo) -> String {
        guard case .group(_, .memberSupport(let member)?) = info else { return "" }
        return "?scope=support\(member.map { ":\($0.groupMemberId)" } ?? "")"
    }
}

extension MessagesResource {
    /// The values that clients can change in a chat. The chat in the path is read with only one item.
    static let patchedChat = PatchedResource { context throws(ProblemDetails) in
        .messages(
            .getChat(chat: try context.parseChat(), contentTag: nil, pagination: .last(count: 1), search: nil)
        )
    } changeableValues: {
        collectChangeableValues($0)
    }

    /// Returns the values that clients can change in a chat, by the names of the members in a patch.
    static func collectChangeableValues(_ response: ChatResponse) -> [(String, (any Encodable)?)] {
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
