internal import ChatAPI

/// Routes for the themes of profiles and chats.
enum ThemesResource {
    static let routes: [Route] = [
        .command(
            .put,
            "/v1/users/{userId}/chats/{chatType}/{chatId}/themes",
            "setChatThemes",
            .setChatUIThemes,
            category: "Themes",
            policy: .chat
        ) { context throws(ProblemDetails) in
            .themes(.setChatUIThemes(chat: try context.chat(), themes: try context.body().optional("themes")))
        }
    ]
}
