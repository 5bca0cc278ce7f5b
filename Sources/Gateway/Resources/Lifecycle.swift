internal import ChatAPI

/// Routes for the start and stop of the core.
enum LifecycleResource {
    static let routes: [Route] = [
        .command(
            .post,
            "/v1/core/start",
            "startCore",
            .startChat,
            category: "Lifecycle",
            policy: .core
        ) { context throws(ProblemDetails) in
            let body = try context.parseBody()
            return .lifecycle(
                .startChat(
                    mainApp: try body.decodeIfPresent("mainApp") ?? true,
                    enableSndFiles: try body.decodeIfPresent("enableSndFiles") ?? true
                )
            )
        },
        .command(
            .get,
            "/v1/core",
            "getCoreState",
            .checkChatRunning,
            category: "Lifecycle",
            policy: .core
        ) { _ throws(ProblemDetails) in
            .lifecycle(.checkChatRunning)
        },
        .command(.post, "/v1/core/stop", "stopCore", .stopChat, category: "Lifecycle", policy: .core) {
            _ throws(ProblemDetails) in
            .lifecycle(.stopChat)
        },
        .command(
            .post,
            "/v1/core/activate",
            "activateCore",
            .activateChat,
            category: "Lifecycle",
            policy: .core
        ) { context throws(ProblemDetails) in
            .lifecycle(.activateChat(restoreChat: try context.parseBody().decodeIfPresent("restoreChat") ?? true))
        },
        .command(
            .post,
            "/v1/core/suspend",
            "suspendCore",
            .suspendChat,
            category: "Lifecycle",
            policy: .core
        ) { context throws(ProblemDetails) in
            .lifecycle(
                .suspendChat(timeoutMicroseconds: try context.parseBody().decodeIfPresent("timeoutMicroseconds") ?? 0)
            )
        },
        .command(
            .put,
            "/v1/core/file-paths",
            "setFilePaths",
            .setAppFilePaths,
            category: "Lifecycle",
            policy: .core
        ) { context throws(ProblemDetails) in
            .lifecycle(.setAppFilePaths(config: try context.parseBody().decodeWhole()))
        },
        .command(
            .put,
            "/v1/core/encrypt-local-files",
            "setLocalFileEncryption",
            .setEncryptLocalFiles,
            category: "Lifecycle",
            policy: .core
        ) { context throws(ProblemDetails) in
            .lifecycle(.setEncryptLocalFiles(enable: try context.parseBody().decodeValue("enable")))
        },
    ]
}
