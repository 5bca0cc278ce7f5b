/// Colours.
enum Themes {
    static let routes: [Route] = [
        Route(.put, "/v1/users/{userId}/themes", "apiSetUserUIThemes", room: "Themes"),
        Route(.put, "/v1/users/{userId}/chats/{chatType}/{chatId}/themes", "apiSetChatUIThemes", room: "Themes"),
    ]
}
