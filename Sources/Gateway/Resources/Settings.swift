/// Settings of the core and of chats.
enum Settings {
    static let routes: [Route] = [
        Route(.put, "/v1/settings/app", "apiSaveSettings", room: "Settings"),
        Route(.get, "/v1/settings/app", "apiGetSettings", room: "Settings"),
        Route(.put, "/v1/users/{userId}/chats/{chatType}/{chatId}/settings", "apiSetChatSettings", room: "Settings"),
        Route(.put, "/v1/users/{userId}/ttl", "apiSetChatItemTTL", room: "Settings"),
        Route(.get, "/v1/users/{userId}/ttl", "apiGetChatItemTTL", room: "Settings"),
        Route(.put, "/v1/users/{userId}/chats/{chatType}/{chatId}/ttl", "apiSetChatTTL", room: "Settings"),
        Route(.put, "/v1/settings/network", "apiSetNetworkConfig", room: "Settings"),
        Route(.get, "/v1/settings/network", "apiGetNetworkConfig", room: "Settings"),
        Route(.put, "/v1/settings/network-info", "apiSetNetworkInfo", room: "Settings"),
        Route(.post, "/v1/servers/reconnect", "reconnectAllServers", room: "Settings"),
        Route(.post, "/v1/users/{userId}/servers/reconnect", "reconnectServer", room: "Settings"),
        .command(.put, "/v1/settings/contact-merge", "setContactMergeEnabled", room: "Settings") { context throws(ProblemDetails) in
            .contacts(.setContactMergeEnabled(enable: try context.body().value("enable")))
        },
    ]
}
