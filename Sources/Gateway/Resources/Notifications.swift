internal import ChatAPI
internal import ChatCore

/// Routes for push notifications as in the original: the token of a device, and the contents of a push.
///
/// The token is sent only in bodies, because a URL must not contain it. So a request for deletion names no token, and
/// deletes the stored token.
enum NotificationsResource {
    static let routes: [Route] = [
        .makeCommandRoute(
            .get,
            "/v1/notifications/token",
            "getDeviceToken",
            .getNtfToken,
            category: "Notifications",
            policy: .secretData
        ) { _ throws(ProblemDetails) in
            .notifications(.getNtfToken)
        },
        .makeCommandRoute(
            .put,
            "/v1/notifications/token",
            "setDeviceToken",
            .registerToken,
            category: "Notifications",
            policy: .secretData
        ) { context throws(ProblemDetails) in
            let body = try context.parseBody()
            return .notifications(
                .registerToken(
                    token: try body.decodeValue("token"),
                    notificationMode: try body.decodeValue("notificationMode")
                )
            )
        },
        .makeCommandRoute(
            .post,
            "/v1/notifications/token/verify",
            "verifyDeviceToken",
            .verifyToken,
            category: "Notifications",
            policy: .secretData
        ) { context throws(ProblemDetails) in
            let body = try context.parseBody()
            return .notifications(
                .verifyToken(
                    token: try body.decodeValue("token"),
                    nonce: try body.decodeValue("nonce"),
                    code: try body.decodeValue("code")
                )
            )
        },
        .makeCommandRoute(
            .post,
            "/v1/notifications/token/check",
            "checkDeviceToken",
            .checkToken,
            category: "Notifications",
            policy: .secretData
        ) { context throws(ProblemDetails) in
            .notifications(.checkToken(token: try context.parseBody().decodeValue("token")))
        },
        Route(
            .delete,
            "/v1/notifications/token",
            "deleteDeviceToken",
            .deleteToken,
            category: "Notifications",
            policy: .secretData,
            handler: deleteToken
        ),
        .makeCommandRoute(
            .post,
            "/v1/notifications/connections",
            "findPushConnections",
            .getNtfConns,
            category: "Notifications",
            policy: .secretData
        ) { context throws(ProblemDetails) in
            let body = try context.parseBody()
            return .notifications(
                .getNtfConns(nonce: try body.decodeValue("nonce"), encNtfInfo: try body.decodeValue("encNtfInfo"))
            )
        },
        .makeCommandRoute(
            .post,
            "/v1/notifications/messages",
            "receivePushMessages",
            .getConnNtfMessages,
            category: "Notifications",
            policy: .secretData
        ) { context throws(ProblemDetails) in
            .notifications(.getConnNtfMessages(connMsgReqs: try context.parseBody().decodeValue("connMsgReqs")))
        },
    ]

    /// Deletes the stored token. The request does not contain the token, because it has no body.
    private static func deleteToken(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        try context.refuseUnknownNames()
        guard let principal = context.principal else { throw ProblemDetails(.unauthorized) }
        let core = context.services.core
        return context.replyLater { () async throws(ProblemDetails) in
            // The token is read with the right to read, even if the key lacks this right. The caller does not see the
            // token, so the key needs only the scope of the deletion.
            let reading = CommandRights(scopes: .read, paths: .ownFolders)
            let stored: ChatResponse
            switch await core.runCommand(.notifications(.getNtfToken), as: nil, with: reading, claim: nil) {
            case .result(let response): stored = response
            case .error(let error): throw ProblemDetails(error)
            }
            guard case .ntfToken(let token, _, _, _) = stored else { throw ProblemDetails(.internalError) }
            let deletion = ChatCommand.notifications(.deleteToken(token: token))
            switch await core.runCommand(deletion, as: nil, with: principal.commandRights, claim: nil) {
            case .result(let response): return try context.makeAnswer(response, .ok)
            case .error(let error): throw ProblemDetails(error)
            }
        }
    }
}
