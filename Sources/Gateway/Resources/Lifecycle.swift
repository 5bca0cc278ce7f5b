/// Lifecycle.
enum Lifecycle {
    static let routes: [Route] = [
        Route(.post, "/v1/core/start", "startChat", room: "Lifecycle", access: .key(.admin)),
        Route(.get, "/v1/core", "checkChatRunning", room: "Lifecycle"),
        Route(.post, "/v1/core/stop", "apiStopChat", room: "Lifecycle", access: .key(.admin)),
        Route(.post, "/v1/core/activate", "apiActivateChat", room: "Lifecycle", access: .key(.admin)),
        Route(.post, "/v1/core/suspend", "apiSuspendChat", room: "Lifecycle", access: .key(.admin)),
        Route(.put, "/v1/core/file-paths", "apiSetAppFilePaths", room: "Lifecycle", access: .key(.admin)),
        Route(.put, "/v1/core/encrypt-local-files", "apiSetEncryptLocalFiles", room: "Lifecycle", access: .key(.admin)),
    ]
}
