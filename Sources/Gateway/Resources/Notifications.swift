/// Push notifications.
enum Notifications {
    static let routes: [Route] = [
        Route(.get, "/v1/notifications/token", .getNtfToken, room: "Notifications"),
        Route(.put, "/v1/notifications/token", .registerToken, room: "Notifications"),
        Route(.post, "/v1/notifications/token/verify", .verifyToken, room: "Notifications"),
        Route(.post, "/v1/notifications/token/check", .checkToken, room: "Notifications"),
        Route(.delete, "/v1/notifications/token", .deleteToken, room: "Notifications"),
        Route(.post, "/v1/notifications/connections", .getNtfConns, room: "Notifications"),
        Route(.post, "/v1/notifications/messages", .getConnNtfMessages, room: "Notifications"),
    ]
}
