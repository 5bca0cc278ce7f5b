internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import ChatText
internal import JSON
internal import SQLCipher

extension RunningCommand {
    /// `/_group`: creates a group with the user as its owner and only member.
    /// - Throws: `invalidDisplayName`.
    func createGroup(_ profile: GroupProfile, incognito: Bool, user: UserRecord) async throws -> ChatResponse {
        try DisplayName.check(profile.displayName)
        var profile = profile
        profile.publicGroup = nil
        return try await store.writeAndAnswer { [profile] tx in
            var group = try GroupRecord.create(profile, incognito: incognito, user, tx)
            let created = group.api(user)
            try GroupItems.writeNewGroupItems(&group, user, tx)
            return .groupCreated(user: user.api, groupInfo: created)
        }
    }

    /// `/_groups`: lists the groups of the user.
    /// - Parameter search: a text that a name or a description of a group must contain, in upper or lower case; nil for
    ///   all groups.
    func listGroups(search: String?, user: UserRecord) async throws -> ChatResponse {
        try await store.read { db in
            let groups = try GroupRecord.all(user: user.userId, in: db)
            let found = search.map { words in groups.filter { $0.profile.matchesSearch(words.lowercased()) } } ?? groups
            return .groupsList(user: user.api, groups: found.map { $0.api(user) })
        }
    }

    /// `/_info #`: returns the group.
    func showGroupInfo(_ groupId: Int64, user: UserRecord) async throws -> ChatResponse {
        try await store.read { db in
            .groupInfo(user: user.api, groupInfo: try GroupRecord.get(groupId, user: user, in: db).api(user))
        }
    }

    /// `/_members #`: returns all members except the user.
    func listMembers(_ groupId: Int64, user: UserRecord) async throws -> ChatResponse {
        try await store.read { db in
            let group = try GroupRecord.get(groupId, user: user, in: db)
            let members = try MemberRecord.findOthers(in: group, db)
            return .groupMembers(
                user: user.api,
                group: Group(groupInfo: group.api(user), members: members.map { $0.api(user) })
            )
        }
    }

    /// `/_group_profile #`: sets the profile of the group.
    func updateGroupProfile(_ groupId: Int64, _ profile: GroupProfile, user: UserRecord) async throws -> ChatResponse {
        try await store.writeAndAnswer { tx in
            let group = try GroupRecord.get(groupId, user: user, in: tx.db)
            var profile = profile
            // The part of the profile that makes the group a channel does not change. This command cannot turn a
            // channel into an ordinary group, or an ordinary group into a channel.
            profile.publicGroup = group.profile.publicGroup
            return try Self.changeGroupProfile(group, to: profile, user, tx)
        }
    }

    static func changeGroupProfile(
        _ before: GroupRecord,
        to profile: GroupProfile,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws -> ChatResponse {
        try before.requireRole(.owner, user)
        var group = before
        try group.setProfile(profile, tx)
        let id = SharedMessageID.random()
        try group.sendProfile(id, tx)
        try OwnerAgreement.recordProfileChange(group, tx)
        try GroupAgreement.recordChange(.profile, in: group, tx)
        try GroupItems.writeProfileChangeItems(from: before, to: &group, id: id, user, tx)
        return .groupUpdated(
            user: user.api,
            fromGroup: before.api(user),
            toGroup: group.api(user),
            member_: nil,
            msgSigned: group.isChannel
        )
    }

    /// `/_leave #`: leaves the group. The user can still read its chat.
    func leaveGroup(_ groupId: Int64, user: UserRecord) async throws -> ChatResponse {
        try await store.writeAndAnswer { tx in
            let before = try GroupRecord.get(groupId, user: user, in: tx.db)
            try before.checkMayLeave(tx.db)
            var group = before
            let id = SharedMessageID.random()
            if group.isServed {
                try group.leaveAsRelay(id, tx)
            } else {
                try tx.enqueue(ChatMessage(sharedID: id, event: .group(.leave)), to: Recipients(of: group, tx.db))
                try group.disconnectAllMembers(afterDelivery: true, tx)
            }
            try GroupItems.writeEventItems([(.userLeft, id)], in: &group, user, tx)
            try group.membership.setStatus(.left, tx)
            // The answer shows the group as it was before the command, but with the new statuses of the user.
            var answer = before.api(user)
            answer.membership.memberStatus = .left
            answer.relayOwnStatus = group.relayStatus
            return .leftMemberUser(user: user.api, groupInfo: answer)
        }
    }

    /// `/_set alias #`: sets the user's own name for the group.
    func setGroupAlias(_ groupId: Int64, _ alias: String, user: UserRecord) async throws -> ChatResponse {
        try await store.writeAndAnswer { tx in
            var group = try GroupRecord.get(groupId, user: user, in: tx.db)
            group.localAlias = alias
            try tx.db.update(
                "groups",
                set: ["local_alias": alias, "updated_at": tx.now.nanoseconds],
                where: ["user_id": user.userId, "group_id": groupId]
            )
            return .groupAliasUpdated(user: user.api, toGroup: group.api(user))
        }
    }

    /// `/_delete #`: deletes the group. The user must be an owner, or must no longer be a current member.
    /// - Throws: `groupUserRole`.
    func deleteGroup(_ groupId: Int64, user: UserRecord) async throws -> ChatResponse {
        try await store.writeAndAnswer { tx in
            let group = try GroupRecord.get(groupId, user: user, in: tx.db)
            guard group.membership.role == .owner || !group.membership.status.isCurrent else {
                throw ChatFailure(ChatErrorType.groupUserRole(groupInfo: group.api(user), requiredRole: .owner))
            }
            if group.membership.role == .owner, group.membership.status.isActive {
                try tx.enqueue(.group(.delete), to: Recipients(of: group, tx.db))
            }
            try Self.setInvitationStatus(of: group, as: .rejected, user, tx)
            try group.delete(tx)
            return .groupDeletedUser(
                user: user.api,
                groupInfo: group.api(user),
                msgSigned: group.isChannel && group.membership.role == .owner && group.membership.status.isActive
            )
        }
    }
}

extension GroupProfile {
    /// Whether a name or a description of the group contains the text.
    /// - Parameter words: the text in lower case.
    fileprivate func matchesSearch(_ words: String) -> Bool {
        words.isEmpty
            || [displayName, fullName, shortDescr ?? "", description ?? ""].contains { $0.lowercased().contains(words) }
    }
}
