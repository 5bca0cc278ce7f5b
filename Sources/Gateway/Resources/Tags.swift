/// Tags of chats.
enum Tags {
    static let routes: [Route] = [
        Route(.get, "/v1/users/{userId}/tags", "apiGetChatTags", room: "Tags"),
        Route(.post, "/v1/users/{userId}/tags", "apiCreateChatTag", room: "Tags"),
        Route(.put, "/v1/users/{userId}/chats/{chatType}/{chatId}/tags", "apiSetChatTags", room: "Tags"),
        Route(.delete, "/v1/users/{userId}/tags/{tagId}", "apiDeleteChatTag", room: "Tags"),
        Route(.put, "/v1/users/{userId}/tags/{tagId}", "apiUpdateChatTag", room: "Tags"),
        Route(.put, "/v1/users/{userId}/tags/order", "apiReorderChatTags", room: "Tags"),
    ]
}
