internal import ChatAPI

extension Console {
    /// Runs the action of a terminal command on a group or its members.
    func run(_ action: ConsoleCommand.GroupAction, in groupId: Int64, user: Engine.User) async throws -> ChatResponse {
        let chat = ChatRef(chatType: .group, chatId: groupId)
        func findMemberId(_ name: String) async throws -> Int64 {
            try await resolveMemberId(named: name, in: groupId, user)
        }
        let command: ChatCommand
        switch action {
        case .showInfo: command = .groups(.groupInfo(groupId: groupId))
        case .listMembers: command = .groups(.listMembers(groupId: groupId))
        case .addMember(let contact, let role):
            command = .groups(
                .addMember(
                    groupId: groupId,
                    contactId: try await resolveContactId(named: contact, user: user),
                    memberRole: role
                )
            )
        case .join(let muted):
            let joined = try await run(.groups(.joinGroup(groupId: groupId)), as: user.userId)
            if muted { _ = try await changeSettings(of: chat, user) { $0.enableNtfs = .none } }
            return joined
        case .leave: command = .groups(.leaveGroup(groupId: groupId))
        case .delete: command = .contacts(.deleteChat(chat: chat, mode: .full(notify: true)))
        case .showMemberInfo(let name):
            command = .groups(.groupMemberInfo(groupId: groupId, groupMemberId: try await findMemberId(name)))
        case .acceptMember(let name, let role):
            command = .groups(
                .acceptMember(groupId: groupId, groupMemberId: try await findMemberId(name), memberRole: role)
            )
        case .setRole(let name, let role):
            command = .groups(
                .membersRole(groupId: groupId, memberIds: [try await findMemberId(name)], memberRole: role)
            )
        case .blockForAll(let name, let isBlocked):
            command = .groups(
                .blockMembersForAll(groupId: groupId, memberIds: [try await findMemberId(name)], blocked: isBlocked)
            )
        case .removeMembers(let names, let withMessages):
            var ids: [Int64] = []
            for name in names { ids.append(try await findMemberId(name)) }
            command = .groups(.removeMembers(groupId: groupId, memberIds: ids, withMessages: withMessages))
        case .setShowMessages(let name, let isShown):
            command = .groups(try await makeShowMessagesCommand(of: findMemberId(name), isShown, in: groupId, user))
        case .showProfile: return .groupProfile(user: user.api, groupInfo: try await readGroup(groupId, user))
        case .showDescription:
            return .groupDescription(user: user.api, groupInfo: try await readGroup(groupId, user))
        case .setNames(let name, let shortDescr):
            command = .groups(
                try await makeProfileCommand(of: groupId, user) { profile in
                    profile.displayName = name
                    profile.fullName = ""
                    profile.shortDescr = shortDescr
                }
            )
        case .setDescription(let text):
            command = .groups(try await makeProfileCommand(of: groupId, user) { $0.description = text })
        case .createLink(let role): command = .groups(.createGroupLink(groupId: groupId, memberRole: role))
        case .showLink: command = .groups(.getGroupLink(groupId: groupId))
        case .setLinkRole(let role): command = .groups(.groupLinkMemberRole(groupId: groupId, memberRole: role))
        case .deleteLink: command = .groups(.deleteGroupLink(groupId: groupId))
        case .setFeature(let feature, let enable, let role):
            command = .groups(
                try await makePreferencesCommand(of: groupId, user) { $0.setFeature(feature, enable, role) }
            )
        case .setTimedMessages(let seconds):
            let preference = TimedMessagesGroupPreference(enable: seconds == nil ? .off : .on, ttl: seconds ?? 86400)
            command = .groups(try await makePreferencesCommand(of: groupId, user) { $0.timedMessages = preference })
        case .setAdmissionReview(let isOn):
            command = .groups(
                try await makeProfileCommand(of: groupId, user) {
                    $0.memberAdmission = GroupMemberAdmission(review: isOn ? .all : nil)
                }
            )
        case .reply(let author, let quoted, let text):
            return try await send(
                text,
                to: chat,
                quoting: findNewestItemId(beginning: quoted, by: author, in: chat, user),
                user: user
            )
        case .sendToSupport(let name, let text):
            var memberId: Int64?
            if let name { memberId = try await findMemberId(name) }
            let support = ChatRef(
                chatType: .group,
                chatId: groupId,
                chatScope: .memberSupport(groupMemberId_: memberId)
            )
            return try await send(text, to: support, user: user)
        case .sendToMember(let name, let text):
            return try await send(text, toMember: findMemberId(name), in: groupId, user)
        case .listSupportChats: return try await engine.listSupportChats(groupId, user: user)
        case .report(let name, let reason, let text):
            let item = try await findNewestItemId(beginning: text, by: name, in: chat, user)
            command = .messages(
                .reportMessage(groupId: groupId, chatItemId: item, reportReason: reason, reportText: "")
            )
        case .moderate(let name, let text):
            let item = try await findNewestItemId(beginning: text, by: name, in: chat, user)
            command = .messages(.deleteMemberChatItem(groupId: groupId, itemIds: [item]))
        }
        return try await run(command, as: user.userId)
    }

    private func readGroup(_ groupId: Int64, _ user: Engine.User) async throws -> GroupInfo {
        let chat = ChatRef(chatType: .group, chatId: groupId)
        guard case .group(let group, _) = try await engine.readInfo(of: chat, user) else {
            throw ChatFailure(StoreError.groupNotFound(groupId: groupId))
        }
        return group
    }

    /// Makes the command that shows or hides the messages of a member, only for this user.
    /// - Throws: `cantBlockMemberForSelf` for users who can block members for all.
    private func makeShowMessagesCommand(
        of memberId: Int64,
        _ isShown: Bool,
        in groupId: Int64,
        _ user: Engine.User
    ) async throws -> GroupCommand {
        let found = try await engine.readMember(memberId, in: groupId, user)
        guard found.group.membership.memberRole < .moderator else {
            throw ChatFailure(
                ChatErrorType.cantBlockMemberForSelf(
                    groupInfo: found.group,
                    member: found.member,
                    setShowMessages: isShown
                )
            )
        }
        return .setMemberSettings(
            groupId: groupId,
            groupMemberId: memberId,
            memberSettings: GroupMemberSettings(showMessages: isShown)
        )
    }

    /// Makes the command that changes the preferences of a group. The command contains the preferences for all
    /// features, also for features that had only a default before. `signMessages` has no default and stays as it is.
    private func makePreferencesCommand(
        of groupId: Int64,
        _ user: Engine.User,
        _ change: (inout GroupPreferences) -> Void
    ) async throws -> GroupCommand {
        let group = try await readGroup(groupId, user)
        var (preferences, profile) = (GroupPreferences(group.fullGroupPreferences), group.groupProfile)
        preferences.signMessages = profile.groupPreferences?.signMessages
        change(&preferences)
        profile.groupPreferences = preferences
        return .updateGroupProfile(groupId: groupId, groupProfile: profile)
    }

    private func makeProfileCommand(
        of groupId: Int64,
        _ user: Engine.User,
        _ change: (inout GroupProfile) -> Void
    ) async throws -> GroupCommand {
        var profile = try await readGroup(groupId, user).groupProfile
        change(&profile)
        return .updateGroupProfile(groupId: groupId, groupProfile: profile)
    }
}

extension GroupProfile {
    /// Makes the profile of a group that is created in a terminal. Its members can write to each other, and new members
    /// see its last messages.
    static func makeForTerminal(name: String, shortDescr: String?) -> GroupProfile {
        var profile = GroupProfile(displayName: name, fullName: "")
        profile.shortDescr = shortDescr
        var preferences = GroupPreferences()
        preferences.directMessages = RoleGroupPreference(enable: .on)
        preferences.history = GroupPreference(enable: .on)
        profile.groupPreferences = preferences
        return profile
    }
}

extension GroupPreferences {
    fileprivate init(_ full: FullGroupPreferences) {
        self.init(
            timedMessages: full.timedMessages,
            directMessages: full.directMessages,
            fullDelete: full.fullDelete,
            reactions: full.reactions,
            voice: full.voice,
            files: full.files,
            simplexLinks: full.simplexLinks,
            reports: full.reports,
            history: full.history,
            support: full.support,
            sessions: full.sessions,
            comments: full.comments,
            commands: full.commands
        )
    }

    fileprivate mutating func setFeature(
        _ feature: ConsoleGroupFeature,
        _ enable: GroupFeatureEnabled,
        _ role: GroupMemberRole?
    ) {
        switch feature {
        case .voice: voice = RoleGroupPreference(enable: enable, role: role)
        case .files: files = RoleGroupPreference(enable: enable, role: role)
        case .direct: directMessages = RoleGroupPreference(enable: enable, role: role)
        case .links: simplexLinks = RoleGroupPreference(enable: enable, role: role)
        case .delete: fullDelete = GroupPreference(enable: enable, role: role)
        case .history: history = GroupPreference(enable: enable)
        case .reactions: reactions = GroupPreference(enable: enable)
        case .reports: reports = GroupPreference(enable: enable)
        case .support: support = SupportGroupPreference(enable: enable)
        }
    }
}
