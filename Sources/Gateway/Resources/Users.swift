internal import ChatAPI
internal import ChatCore
internal import JSON

/// Routes for profiles.
enum UsersResource {
    static let routes: [Route] = [
        .makeCommandRoute(
            .get,
            "/v1/users/active",
            "getActiveUser",
            .showActiveUser,
            category: "Users",
            policy: .storeData,
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
            access: .key(Scopes.requiredScopes(for: .setActiveUser)),
            // Phones do not serve this route. A hidden user of a phone is activated by the route with the user's id.
            policy: .wholeStore,
            problems: [.notFound],
            handler: activateHiddenUser
        ),
        .makeCommandRoute(
            .post,
            "/v1/users",
            "createUser",
            .createActiveUser,
            category: "Users",
            policy: .storeData,
            forUser: false,
            success: .created { response, _ in
                guard case .activeUser(let user) = response else { return nil }
                return "/v1/users/\(user.userId)"
            }
        ) { context throws(ProblemDetails) in
            let body = try context.parseBody()
            return .users(
                .createActiveUser(
                    newUser: NewUser(
                        profile: try body.decodeValue("profile"),
                        pastTimestamp: try body.decodeIfPresent("pastTimestamp") ?? false,
                        userChatRelay: try body.decodeIfPresent("userChatRelay") ?? false,
                        clientService: try body.decodeIfPresent("clientService") ?? false,
                        isActivated: try context.decodeActivation(body),
                        servers: try context.decodeInitialServers(body)
                    )
                )
            )
        },
        .makeCommandRoute(
            .get,
            "/v1/users",
            "listUsers",
            .listUsers,
            category: "Users",
            policy: .storeData,
            forUser: false,
            cached: true,
            success: .page(ListPages.selectUsers)
        ) { context throws(ProblemDetails) in
            _ = try context.parsePage()
            return .users(.listUsers)
        },
        Route(
            .get,
            "/v1/users/{userId}",
            "getUser",
            category: "Users",
            access: .key(.read),
            policy: .storeData,
            handler: getUser
        ),
        .makePatchRoute(
            "/v1/users/{userId}",
            "updateUser",
            [
                .updateProfile, .setProfileAddress, .muteUser, .unmuteUser, .setUserContactReceipts,
                .setUserGroupReceipts, .setUserAutoAcceptMemberContacts, .setUserAutoAcceptGroupInvitations,
                .setUserUIThemes, .setChatItemTTL, .setClientService,
            ],
            category: "Users",
            scopes: [.read, .write],
            policy: .storeData,
            of: patchedUser,
            answer: makeAnswer
        ) { context, patch throws(ProblemDetails) in
            let userId = try context.parseID("userId")
            patch.setMember("profile") { [.users(.updateProfile(userId: userId, profile: $0))] }
            patch.setMember("addressInProfile") { [.address(.setProfileAddress(userId: userId, enable: $0))] }
            patch.setMember("muted") { (isMuted: Bool) in
                [.users(isMuted ? .muteUser(userId: userId) : .unmuteUser(userId: userId))]
            }
            patch.setMemberParts("receipts") { (receipts: ReceiptSettings) in receipts.makeCommands(userId) }
            patch.setMemberParts("autoAccept") { (accepting: AutoAccepting) in accepting.makeCommands(userId) }
            patch.setOrDeleteMember("themes") { .themes(.setUserUIThemes(userId: userId, themes: $0)) }
            patch.setMember("clientService") {
                [.settings(.setClientService(userId: userId, contactName: nil, enable: $0))]
            }
            patch.setOrDeleteMember("ttlSeconds") { .settings(.setChatItemTTL(userId: userId, seconds: $0 ?? 0)) }
        },
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/activate",
            "activateUser",
            .setActiveUser,
            category: "Users",
            policy: .storeData,
            forUser: false
        ) { context throws(ProblemDetails) in
            .users(
                .setActiveUser(
                    userId: try context.parseID("userId"),
                    viewPwd: try context.parseBody().decodeIfPresent("viewPwd")
                )
            )
        },
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/hide",
            "hideUser",
            .hideUser,
            category: "Users",
            policy: .storeData,
            forUser: false
        ) { context throws(ProblemDetails) in
            .users(
                .hideUser(
                    userId: try context.parseID("userId"),
                    viewPwd: try context.parseBody().decodeValue("viewPwd")
                )
            )
        },
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/unhide",
            "unhideUser",
            .unhideUser,
            category: "Users",
            policy: .storeData,
            forUser: false
        ) { context throws(ProblemDetails) in
            .users(
                .unhideUser(
                    userId: try context.parseID("userId"),
                    viewPwd: try context.parseBody().decodeValue("viewPwd")
                )
            )
        },
        .makeCommandRoute(
            .delete,
            "/v1/users/{userId}",
            "deleteUser",
            .deleteUser,
            category: "Users",
            policy: .storeData,
            forUser: false
        ) { context throws(ProblemDetails) in
            .users(
                .deleteUser(
                    userId: try context.parseID("userId"),
                    delSMPQueues: try context.parseFlag("delSMPQueues", default: true),
                    viewPwd: try context.parseCurrentPassword()?.withBytes { String(decoding: $0, as: UTF8.self) }
                )
            )
        },
        .makeCommandRoute(
            .put,
            "/v1/users/{userId}/profile",
            "setUserProfile",
            .updateProfile,
            category: "Users",
            policy: .storeData,
            patched: patchedUser
        ) { context throws(ProblemDetails) in
            let body = try context.parseBody()
            return .users(
                .updateProfile(userId: try context.parseID("userId"), profile: try body.decodeValue("profile"))
            )
        },
        .makeCommandRoute(
            .put,
            "/v1/users/{userId}/badge",
            "setUserBadge",
            .addBadge,
            category: "Users",
            policy: .storeData
        ) {
            context throws(ProblemDetails) in
            .users(.addBadge(credential: try context.parseBody().decodeValue("credential")))
        },
        .makeCommandRoute(
            .put,
            "/v1/settings/receipts",
            "setAllReceipts",
            .setAllContactReceipts,
            category: "Users",
            policy: .storeData,
            forUser: false
        ) { context throws(ProblemDetails) in
            .users(.setAllContactReceipts(enable: try context.parseBody().decodeValue("enable")))
        },
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/read",
            "markUserRead",
            .userRead,
            category: "Users",
            policy: .storeData
        ) { context throws(ProblemDetails) in
            .users(.userRead(userId: try context.parseID("userId")))
        },
    ]
}

extension UsersResource {
    /// Activates a hidden profile by its password, without its id.
    private static func activateHiddenUser(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        guard let principal = context.principal else { throw ProblemDetails(.unauthorized) }
        let viewPwd: String = try context.parseBody().decodeValue("viewPwd")
        let controller = try context.requireController()
        return .later {
            switch await controller.activateHiddenUser(viewPwd: viewPwd, with: principal.commandRights) {
            case .result(let response):
                (try? context.makeAnswer(response, .ok))
                    ?? ProblemDetails(.internalError).response(for: context.request)
            case .error(let error): ProblemDetails(error).response(for: context.request)
            }
        }
    }

    /// Answers with one profile. A key that is bound to the profile may use this route, although it may not list all
    /// profiles.
    private static func getUser(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let id = try context.parseID("userId")
        guard let principal = context.principal else { throw ProblemDetails(.unauthorized) }
        let (core, request) = (context.services.core, context.request)
        return .later {
            do throws(ProblemDetails) {
                // Each response to a command of a profile contains the profile, and this command reads little else.
                switch await core.runCommand(
                    .settings(.getChatItemTTL(userId: id)),
                    as: id,
                    with: principal.commandRights,
                    claim: nil
                )
                {
                case .result(let response):
                    return try await makeAnswer(response, context).addingTag(patchedUser.makeTag(response))
                case .error(let error): throw ProblemDetails(error)
                }
            } catch {
                return error.response(for: request)
            }
        }
    }

    /// Makes the answer with one profile, as an entry of the list of profiles.
    private static func makeAnswer(
        _ response: ChatResponse,
        _ context: RouteContext
    ) async throws(ProblemDetails)
        -> HTTPResponse
    {
        guard case .chatItemTTL(let user, let ttl) = response, user.userId == (try context.parseID("userId")),
            var body = (try? JSONEncoder().encodeValue(UserInfo(user: user, unreadCount: 0)))?.objectValue
        else {
            throw ProblemDetails(.internalError)
        }
        // The list does not contain hidden profiles, so a hidden profile has no unread count in the answer.
        let all = CommandRights(scopes: .read, paths: .ownFolders)
        body["unreadCount"] = nil
        body["ttlSeconds"] = ttl.map { .integer($0) }
        if case .result(.usersList(let users)) = await context.services.core.runCommand(
            .users(.listUsers),
            as: nil,
            with: all,
            claim: nil
        ),
            let own = users.first(where: { $0.user.userId == user.userId })
        {
            body["unreadCount"] = .integer(Int64(own.unreadCount))
        }
        return HTTPResponse(json: JSONValue.object(body).encodeText())
    }

    /// The values that clients can change in a profile.
    private static let patchedUser = PatchedResource { context throws(ProblemDetails) in
        .settings(.getChatItemTTL(userId: try context.parseID("userId")))
    } changeableValues: { response in
        guard case .chatItemTTL(let user, let ttl) = response else { return [] }
        return [
            ("profile", Profile(user.profile)), ("muted", !user.showNtfs),
            ("receipts", ReceiptSettings(contacts: user.sendRcptsContacts, groups: user.sendRcptsSmallGroups)),
            (
                "autoAccept",
                AutoAccepting(
                    memberContacts: user.autoAcceptMemberContacts,
                    groupInvitations: user.autoAcceptGroupInvitations ?? false
                )
            ),
            ("themes", user.uiThemes), ("ttlSeconds", ttl), ("clientService", user.clientService),
        ]
    }

    /// The settings for sending receipts. A setting without a value is not changed.
    private struct ReceiptSettings: Codable, Sendable {
        var contacts: Bool?
        var groups: Bool?
        /// Whether the settings of single contacts or groups are deleted, so that the new setting applies to all
        /// contacts or to all groups.
        var clearOverrides: Bool?

        func makeCommands(_ userId: Int64) -> [ChatCommand] {
            func settings(_ enable: Bool) -> UserMsgReceiptSettings {
                UserMsgReceiptSettings(enable: enable, clearOverrides: clearOverrides ?? false)
            }
            return [
                contacts.map { .users(.setUserContactReceipts(userId: userId, settings: settings($0))) },
                groups.map { .users(.setUserGroupReceipts(userId: userId, settings: settings($0))) },
            ].compactMap { $0 }
        }
    }

    /// The invitations that a profile accepts automatically. A setting without a value is not changed.
    private struct AutoAccepting: Codable, Sendable {
        var memberContacts: Bool?
        var groupInvitations: Bool?

        func makeCommands(_ userId: Int64) -> [ChatCommand] {
            [
                memberContacts.map { .users(.setUserAutoAcceptMemberContacts(userId: userId, enable: $0)) },
                groupInvitations.map { .users(.setUserAutoAcceptGroupInvitations(userId: userId, enable: $0)) },
            ].compactMap { $0 }
        }
    }
}

extension RouteContext {
    /// Reads whether a new profile becomes the active profile. Throws a problem if a request for a phone has
    /// `"activate": false`, because a phone activates each new profile.
    fileprivate func decodeActivation(_ body: RequestBody) throws(ProblemDetails) -> Bool {
        let isActivated: Bool = try body.decodeIfPresent("activate") ?? true
        guard isActivated || parameters["remoteHostId"] == nil else {
            throw ProblemDetails(member: "activate", "must be true: a phone activates each new profile.")
        }
        return isActivated
    }

    /// Reads the initial servers of a new profile. Throws a problem if a request for a phone names servers, because a
    /// phone chooses the servers of its profiles.
    fileprivate func decodeInitialServers(_ body: RequestBody) throws(ProblemDetails) -> InitialServers? {
        let servers: InitialServers? = try body.decodeIfPresent("servers")
        guard servers == nil || parameters["remoteHostId"] == nil else {
            throw ProblemDetails(member: "servers", "must be absent: a phone chooses the servers of its profiles.")
        }
        return servers
    }
}

extension Profile {
    /// Makes a profile from the parts that its owner sets.
    fileprivate init(_ profile: LocalProfile) {
        self.init(
            displayName: profile.displayName,
            fullName: profile.fullName,
            shortDescr: profile.shortDescr,
            description: profile.description,
            image: profile.image,
            contactLink: profile.contactLink,
            preferences: profile.preferences,
            peerType: profile.peerType,
            contactDomain: profile.contactDomain
        )
    }
}
