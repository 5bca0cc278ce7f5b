internal import ChatAPI
internal import ChatCore
internal import JSON

/// Routes for profiles.
enum UsersResource {
    static let routes: [Route] = [
        .command(
            .get,
            "/v1/users/active",
            "getActiveUser",
            .showActiveUser,
            category: "Users",
            policy: .data,
            forUser: false,
            cached: true
        ) { _ throws(ProblemDetails) in
            .users(.showActiveUser)
        },
        Route(
            .put,
            "/v1/users/active",
            "activateHiddenUser",
            category: "Users",
            access: .key(Scopes.required(for: .setActiveUser)),
            // For a phone, the route of the command with the id of the user is used instead.
            policy: .core,
            problems: [.notFound],
            handler: activateHidden
        ),
        .command(
            .post,
            "/v1/users",
            "createUser",
            .createActiveUser,
            category: "Users",
            policy: .data,
            forUser: false,
            success: .created { response, _ in
                guard case .activeUser(let user) = response else { return nil }
                return "/v1/users/\(user.userId)"
            }
        ) { context throws(ProblemDetails) in
            let body = try context.body()
            return .users(
                .createActiveUser(
                    newUser: NewUser(
                        profile: try body.value("profile"),
                        pastTimestamp: try body.optional("pastTimestamp") ?? false,
                        userChatRelay: try body.optional("userChatRelay") ?? false,
                        clientService: try body.optional("clientService") ?? false
                    )
                )
            )
        },
        .command(
            .get,
            "/v1/users",
            "listUsers",
            .listUsers,
            category: "Users",
            policy: .data,
            forUser: false,
            cached: true
        ) { _ throws(ProblemDetails) in
            .users(.listUsers)
        },
        Route(
            .get,
            "/v1/users/{userId}",
            "getUser",
            category: "Users",
            access: .key(.read),
            policy: .data,
            handler: get
        ),
        .command(
            .post,
            "/v1/users/{userId}/activate",
            "activateUser",
            .setActiveUser,
            category: "Users",
            policy: .data,
            forUser: false
        ) { context throws(ProblemDetails) in
            .users(.setActiveUser(userId: try context.id("userId"), viewPwd: try context.body().optional("viewPwd")))
        },
        .command(
            .post,
            "/v1/users/{userId}/hide",
            "hideUser",
            .hideUser,
            category: "Users",
            policy: .data,
            forUser: false
        ) { context throws(ProblemDetails) in
            .users(.hideUser(userId: try context.id("userId"), viewPwd: try context.body().value("viewPwd")))
        },
        .command(
            .post,
            "/v1/users/{userId}/unhide",
            "unhideUser",
            .unhideUser,
            category: "Users",
            policy: .data,
            forUser: false
        ) { context throws(ProblemDetails) in
            .users(.unhideUser(userId: try context.id("userId"), viewPwd: try context.body().value("viewPwd")))
        },
        .command(
            .post,
            "/v1/users/{userId}/mute",
            "muteUser",
            .muteUser,
            category: "Users",
            policy: .data,
            forUser: false
        ) { context throws(ProblemDetails) in
            .users(.muteUser(userId: try context.id("userId")))
        },
        .command(
            .post,
            "/v1/users/{userId}/unmute",
            "unmuteUser",
            .unmuteUser,
            category: "Users",
            policy: .data,
            forUser: false
        ) { context throws(ProblemDetails) in
            .users(.unmuteUser(userId: try context.id("userId")))
        },
        .command(
            .delete,
            "/v1/users/{userId}",
            "deleteUser",
            .deleteUser,
            category: "Users",
            policy: .data,
            forUser: false
        ) { context throws(ProblemDetails) in
            let body = try context.body()
            let delete = try context.flag("delSMPQueues", default: true)
            return .users(
                .deleteUser(
                    userId: try context.id("userId"),
                    delSMPQueues: try body.optional("delSMPQueues") ?? delete,
                    viewPwd: try body.optional("viewPwd")
                )
            )
        },
        .command(
            .put,
            "/v1/users/{userId}/profile",
            "setUserProfile",
            .updateProfile,
            category: "Users",
            policy: .data
        ) { context throws(ProblemDetails) in
            let body = try context.body()
            return .users(.updateProfile(userId: try context.id("userId"), profile: try body.value("profile")))
        },
        .command(
            .put,
            "/v1/settings/receipts",
            "setContactReceipts",
            .setAllContactReceipts,
            category: "Users",
            policy: .data,
            forUser: false
        ) { context throws(ProblemDetails) in
            .users(.setAllContactReceipts(enable: try context.body().value("enable")))
        },
        .command(
            .put,
            "/v1/users/{userId}/receipts/contacts",
            "setUserContactReceipts",
            .setUserContactReceipts,
            category: "Users",
            policy: .data
        ) { context throws(ProblemDetails) in
            .users(.setUserContactReceipts(userId: try context.id("userId"), settings: try context.receiptSettings()))
        },
        .command(
            .put,
            "/v1/users/{userId}/receipts/groups",
            "setUserGroupReceipts",
            .setUserGroupReceipts,
            category: "Users",
            policy: .data
        ) { context throws(ProblemDetails) in
            .users(.setUserGroupReceipts(userId: try context.id("userId"), settings: try context.receiptSettings()))
        },
        .command(
            .put,
            "/v1/users/{userId}/auto-accept-member-contacts",
            "setAutoAcceptMemberContacts",
            .setUserAutoAcceptMemberContacts,
            category: "Users",
            policy: .data
        ) { context throws(ProblemDetails) in
            .users(
                .setUserAutoAcceptMemberContacts(
                    userId: try context.id("userId"),
                    enable: try context.body().value("enable")
                )
            )
        },
        .command(
            .put,
            "/v1/users/{userId}/auto-accept-group-invitations",
            "setAutoAcceptGroupInvitations",
            .setUserAutoAcceptGroupInvitations,
            category: "Users",
            policy: .data
        ) { context throws(ProblemDetails) in
            .users(
                .setUserAutoAcceptGroupInvitations(
                    userId: try context.id("userId"),
                    enable: try context.body().value("enable")
                )
            )
        },
        .command(
            .post,
            "/v1/users/{userId}/read",
            "markUserRead",
            .userRead,
            category: "Users",
            policy: .data
        ) { context throws(ProblemDetails) in
            .users(.userRead(userId: try context.id("userId")))
        },
    ]
}

extension UsersResource {
    /// Activates a hidden profile by its password, without its id.
    private static func activateHidden(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        guard let principal = context.principal else { throw ProblemDetails(.unauthorized) }
        let viewPwd: String = try context.body().value("viewPwd")
        let controller = try context.controller()
        return .later {
            switch await controller.activateHiddenUser(viewPwd: viewPwd, with: principal.rights) {
            case .result(let response):
                (try? context.answer(response, .ok)) ?? ProblemDetails(.internalError).response(for: context.request)
            case .error(let error): ProblemDetails(error).response(for: context.request)
            }
        }
    }

    /// Answers with one profile. A key that is bound to the profile may use this route, although it may not list all
    /// profiles.
    private static func get(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let id = try context.id("userId")
        guard let principal = context.principal else { throw ProblemDetails(.unauthorized) }
        let (core, request) = (context.services.core, context.request)
        return .later {
            // The response to each command of a profile contains the profile. This command reads little else.
            switch await core.send(.settings(.getChatItemTTL(userId: id)), as: id, with: principal.rights, claim: nil) {
            case .result(.chatItemTTL(let user, _)):
                guard user.userId == id,
                    var body = (try? JSONEncoder().encodeValue(UserInfo(user: user, unreadCount: 0)))?.objectValue
                else {
                    return ProblemDetails(.internalError).response(for: request)
                }
                // The list does not contain hidden profiles, so a hidden profile has no unread count in the answer.
                let all = CommandRights(scopes: .read, paths: .ownFolders)
                body["unreadCount"] = nil
                if case .result(.usersList(let users)) = await core.send(
                    .users(.listUsers),
                    as: nil,
                    with: all,
                    claim: nil
                ),
                    let own = users.first(where: { $0.user.userId == id })
                {
                    body["unreadCount"] = .integer(Int64(own.unreadCount))
                }
                return HTTPResponse(json: JSONValue.object(body).encoded())
            case .result: return ProblemDetails(.internalError).response(for: request)
            case .error(let error): return ProblemDetails(error).response(for: request)
            }
        }
    }
}

extension RouteContext {
    fileprivate func receiptSettings() throws(ProblemDetails) -> UserMsgReceiptSettings {
        let body = try body()
        return UserMsgReceiptSettings(
            enable: try body.value("enable"),
            clearOverrides: try body.optional("clearOverrides") ?? false
        )
    }
}
