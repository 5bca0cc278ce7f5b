/// Push notifications.
enum Notifications {
    static let routes: [Route] = [
        Route(.get, "/v1/notifications/token", "apiGetNtfToken", room: "Notifications"),
        Route(.put, "/v1/notifications/token", "apiRegisterToken", room: "Notifications"),
        Route(.post, "/v1/notifications/token/verify", "apiVerifyToken", room: "Notifications"),
        Route(.post, "/v1/notifications/token/check", "apiCheckToken", room: "Notifications"),
        Route(.delete, "/v1/notifications/token", "apiDeleteToken", room: "Notifications"),
        Route(.post, "/v1/notifications/connections", "apiGetNtfConns", room: "Notifications"),
        Route(.post, "/v1/notifications/messages", "apiGetConnNtfMessages", room: "Notifications"),
    ]
}
