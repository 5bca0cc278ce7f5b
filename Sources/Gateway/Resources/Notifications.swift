internal import ChatAPI

/// Routes for push notifications as in the original: the token of a device, and the contents of a push.
///
/// The token is sent only in bodies, because a URL must not contain it.
enum NotificationsResource {
    static let routes: [Route] = [
        .command(
            .get,
            "/v1/notifications/token",
            "getDeviceToken",
            .getNtfToken,
            category: "Notifications",
            policy: .secrets
        ) { _ throws(ProblemDetails) in
            .notifications(.getNtfToken)
        },
        .command(
            .put,
            "/v1/notifications/token",
            "setDeviceToken",
            .registerToken,
            category: "Notifications",
            policy: .secrets
        ) { context throws(ProblemDetails) in
            let body = try context.body()
            return .notifications(
                .registerToken(token: try body.value("token"), notificationMode: try body.value("notificationMode"))
            )
        },
        .command(
            .post,
            "/v1/notifications/token/verify",
            "verifyDeviceToken",
            .verifyToken,
            category: "Notifications",
            policy: .secrets
        ) { context throws(ProblemDetails) in
            let body = try context.body()
            return .notifications(
                .verifyToken(
                    token: try body.value("token"),
                    nonce: try body.value("nonce"),
                    code: try body.value("code")
                )
            )
        },
        .command(
            .post,
            "/v1/notifications/token/check",
            "checkDeviceToken",
            .checkToken,
            category: "Notifications",
            policy: .secrets
        ) { context throws(ProblemDetails) in
            .notifications(.checkToken(token: try context.body().value("token")))
        },
        .command(
            .delete,
            "/v1/notifications/token",
            "deleteDeviceToken",
            .deleteToken,
            category: "Notifications",
            policy: .secrets
        ) { context throws(ProblemDetails) in
            .notifications(.deleteToken(token: try context.body().value("token")))
        },
        .command(
            .post,
            "/v1/notifications/connections",
            "listPushConnections",
            .getNtfConns,
            category: "Notifications",
            policy: .secrets
        ) { context throws(ProblemDetails) in
            let body = try context.body()
            return .notifications(
                .getNtfConns(nonce: try body.value("nonce"), encNtfInfo: try body.value("encNtfInfo"))
            )
        },
        .command(
            .post,
            "/v1/notifications/messages",
            "receivePushMessages",
            .getConnNtfMessages,
            category: "Notifications",
            policy: .secrets
        ) { context throws(ProblemDetails) in
            .notifications(.getConnNtfMessages(connMsgReqs: try context.body().value("connMsgReqs")))
        },
    ]
}
