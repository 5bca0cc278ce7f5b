/// Messages.
enum Messages {
    static let routes: [Route] = [
        Route(.get, "/v1/users/{userId}/chats", "apiGetChats", room: "Messages"),
        Route(.get, "/v1/users/{userId}/chats/{chatType}/{chatId}", "apiGetChat", room: "Messages"),
        Route(.get, "/v1/users/{userId}/chats/{chatType}/{chatId}/content-types", "apiGetChatContentTypes", room: "Messages"),
        Route(.get, "/v1/users/{userId}/items", "apiGetChatItems", room: "Messages"),
        Route(.get, "/v1/users/{userId}/chats/{chatType}/{chatId}/items/{itemId}", "apiGetChatItemInfo", room: "Messages"),
        Route(.post, "/v1/users/{userId}/chats/{chatType}/{chatId}/messages", "apiSendMessages", room: "Messages"),
        Route(.post, "/v1/users/{userId}/notes/{noteFolderId}/items", "apiCreateChatItems", room: "Messages"),
        Route(.patch, "/v1/users/{userId}/chats/{chatType}/{chatId}/items/{itemId}", "apiUpdateChatItem", room: "Messages"),
        Route(.delete, "/v1/users/{userId}/chats/{chatType}/{chatId}/items", "apiDeleteChatItem", room: "Messages"),
        Route(.post, "/v1/users/{userId}/groups/{groupId}/moderations", "apiDeleteMemberChatItem", room: "Messages"),
        Route(.post, "/v1/users/{userId}/groups/{groupId}/reports/archive", "apiArchiveReceivedReports", room: "Messages"),
        Route(.delete, "/v1/users/{userId}/groups/{groupId}/reports", "apiDeleteReceivedReports", room: "Messages"),
        Route(.post, "/v1/users/{userId}/chats/{chatType}/{chatId}/items/{itemId}/reactions", "apiChatItemReaction", room: "Messages"),
        Route(.get, "/v1/users/{userId}/groups/{groupId}/items/{itemId}/reactions", "apiGetReactionMembers", room: "Messages"),
        Route(.post, "/v1/users/{userId}/chats/{chatType}/{chatId}/forward-plan", "apiPlanForwardChatItems", room: "Messages"),
        Route(.post, "/v1/users/{userId}/chats/{chatType}/{chatId}/forwards", "apiForwardChatItems", room: "Messages"),
        Route(.post, "/v1/users/{userId}/groups/{groupId}/items/{itemId}/reports", "apiReportMessage", room: "Messages"),
        Route(.post, "/v1/users/{userId}/chats/{chatType}/{chatId}/read", "apiChatRead", room: "Messages"),
        Route(.post, "/v1/users/{userId}/chats/{chatType}/{chatId}/items/read", "apiChatItemsRead", room: "Messages"),
        Route(.put, "/v1/users/{userId}/chats/{chatType}/{chatId}/unread", "apiChatUnread", room: "Messages"),
        Route(.post, "/v1/users/{userId}/chats/{chatType}/{chatId}/share", "apiShareChatMsgContent", room: "Messages"),
        Route(.post, "/v1/users/{userId}/chats/{chatType}/{chatId}/share-address", "apiShareMyAddress", room: "Messages"),
    ]
}
