internal import ChatAPI

/// Routes for the start and stop of the core.
enum LifecycleResource {
    static let routes: [Route] = [
        .makeCommandRoute(
            .post,
            "/v1/core/start",
            "startCore",
            .startChat,
            category: "Lifecycle",
            policy: .wholeStore
        ) { context throws(ProblemDetails) in
            let body = try context.parseBody()
            return .lifecycle(
                .startChat(
                    mainApp: try body.decodeIfPresent("mainApp") ?? true,
                    enableSndFiles: try body.decodeIfPresent("enableSndFiles") ?? true
                )
            )
        },
        .makeCommandRoute(
            .get,
            "/v1/core",
            "getCoreState",
            .checkChatRunning,
            category: "Lifecycle",
            policy: .wholeStore
        ) { _ throws(ProblemDetails) in
            .lifecycle(.checkChatRunning)
        },
        .makeCommandRoute(.post, "/v1/core/stop", "stopCore", .stopChat, category: "Lifecycle", policy: .wholeStore) {
            _ throws(ProblemDetails) in
            .lifecycle(.stopChat)
        },
        .makeCommandRoute(
            .post,
            "/v1/core/activate",
            "activateCore",
            .activateChat,
            category: "Lifecycle",
            policy: .wholeStore
        ) { context throws(ProblemDetails) in
            .lifecycle(.activateChat(restoreChat: try context.parseBody().decodeIfPresent("restoreChat") ?? true))
        },
        .makeCommandRoute(
            .post,
            "/v1/core/suspend",
            "suspendCore",
            .suspendChat,
            category: "Lifecycle",
            policy: .wholeStore
        ) { context throws(ProblemDetails) in
            .lifecycle(
                .suspendChat(timeoutMicroseconds: try context.parseBody().decodeIfPresent("timeoutMicroseconds") ?? 0)
            )
        },
        .makeCommandRoute(
            .put,
            "/v1/core/file-paths",
            "setFilePaths",
            .setAppFilePaths,
            category: "Lifecycle",
            policy: .wholeStore
        ) { context throws(ProblemDetails) in
            .lifecycle(.setAppFilePaths(config: try context.parseBody().decodeWholeBody()))
        },
        .makeCommandRoute(
            .put,
            "/v1/core/encrypt-local-files",
            "setLocalFileEncryption",
            .setEncryptLocalFiles,
            category: "Lifecycle",
            policy: .wholeStore
        ) { context throws(ProblemDetails) in
            .lifecycle(.setEncryptLocalFiles(enable: try context.parseBody().decodeValue("enable")))
        },
    ]
}
