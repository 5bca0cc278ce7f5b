internal import Agent
internal import ChatAPI
internal import ChatStore
internal import JSON
internal import SQLCipher

/// Commands for the link of a group.
extension RunningCommand {
    /// `/_create link #`: creates the link of the group. First the agent creates the queue of the link at the user's
    /// server, then the link is stored.
    /// - Throws: `groupUserRole`, `groupMemberInitialRole`, `duplicateGroupLink`.
    func createGroupLink(_ groupId: Int64, role: GroupMemberRole, user: UserRecord) async throws -> ChatResponse {
        let group = try await store.read { db in try Self.getLinkableGroup(groupId, role, user, db) }
        let linkID = GroupLinkRecord.makeLinkID(for: claim?.agentRequestID)
        let data = try ShortLinkData.encode(group)
        let key = claim?.agentRequestID
        let (id, request, short) = try await services.withAgent {
            try await $0.createAddress(
                user: user.agentUserId,
                userData: data,
                clientData: GroupLinkRecord.makeClientData(linkID),
                type: .group,
                for: key,
                patience: .interactive
            )
        }
        let created = try await store.write { tx -> ChatResponse? in
            let now = try GroupRecord.get(groupId, user: user, in: tx.db)
            guard try GroupLinkRecord.find(of: now, in: tx.db) == nil else {
                // Another command has created a link first, so this new connection is deleted.
                try tx.requestDeletionInAgent(of: id.text, user: user.userId)
                return nil
            }
            try tx.db.insert(
                into: "group_links",
                [
                    "user_contact_link_id": try LinkConnection.reserveLinkId(in: tx.db), "user_id": user.userId,
                    "group_id": groupId, "connection_id": try ConnectionRecord.reserveRowId(in: tx.db),
                    "agent_conn_id": id.text, "conn_full_link": request.uri, "conn_short_link": short?.shownURI,
                    "group_link_id": linkID, "member_role": role.rawValue, "created_at": tx.now.nanoseconds,
                ]
            )
            if now.profile != group.profile { try now.markLinkDataStale(tx) }
            return try tx.storeAnswer(
                .groupLinkCreated(
                    user: user.api,
                    groupInfo: now.api(user),
                    groupLink: GroupLinkRecord.get(of: now, user, in: tx.db).api
                )
            )
        }
        guard let created else { throw ChatFailure(StoreError.duplicateGroupLink(groupInfo: group.api(user))) }
        return created
    }

    /// Checks that the user may create a link for the group, and returns the group.
    private static func getLinkableGroup(
        _ groupId: Int64,
        _ role: GroupMemberRole,
        _ user: UserRecord,
        _ db: StoreConnection
    ) throws -> GroupRecord {
        let group = try GroupRecord.get(groupId, user: user, in: db)
        try group.requireRole(.admin, user)
        // The link of a channel is created together with the channel, and not by this command.
        guard !group.isChannel || group.membership.role == .owner else {
            throw ChatFailure.commandError("not supported in channels")
        }
        try checkInitialRole(role, group, user)
        guard try GroupLinkRecord.find(of: group, in: db) == nil else {
            throw ChatFailure(StoreError.duplicateGroupLink(groupInfo: group.api(user)))
        }
        return group
    }

    /// Checks the role of members who join by a link. The role must not be higher than `member`.
    /// - Throws: `groupMemberInitialRole`.
    private static func checkInitialRole(_ role: GroupMemberRole, _ group: GroupRecord, _ user: UserRecord) throws {
        guard role <= .member, GroupMemberRole.knownValues.contains(role) else {
            throw ChatFailure(ChatErrorType.groupMemberInitialRole(groupInfo: group.api(user), initialRole: role))
        }
    }

    /// `/_set link role #`: sets the role of members who join by the link after this command.
    func setGroupLinkRole(_ groupId: Int64, _ role: GroupMemberRole, user: UserRecord) async throws -> ChatResponse {
        try await store.writeAndAnswer { tx in
            let group = try GroupRecord.get(groupId, user: user, in: tx.db)
            var link = try GroupLinkRecord.get(of: group, user, in: tx.db)
            try group.requireRole(.admin, user)
            try Self.checkInitialRole(role, group, user)
            link.role = role
            try tx.db.update(
                "group_links",
                set: ["member_role": role.rawValue],
                where: ["user_contact_link_id": link.linkId]
            )
            return .groupLink(user: user.api, groupInfo: group.api(user), groupLink: link.api)
        }
    }

    /// `/_delete link #`: deletes the link. Members who have joined by the link remain in the group.
    func deleteGroupLink(_ groupId: Int64, user: UserRecord) async throws -> ChatResponse {
        try await store.writeAndAnswer { tx in
            let group = try GroupRecord.get(groupId, user: user, in: tx.db)
            try GroupLinkRecord.get(of: group, user, in: tx.db).delete(tx)
            return .groupLinkDeleted(user: user.api, groupInfo: group.api(user))
        }
    }

    /// `/_get link #`: returns the link.
    func showGroupLink(_ groupId: Int64, user: UserRecord) async throws -> ChatResponse {
        try await store.read { db in
            let group = try GroupRecord.get(groupId, user: user, in: db)
            return .groupLink(
                user: user.api,
                groupInfo: group.api(user),
                groupLink: try GroupLinkRecord.get(of: group, user, in: db).api
            )
        }
    }

    /// `/_short link #`: replaces the data of the short link. Creates the short link if the link has none.
    func addGroupShortLink(_ groupId: Int64, user: UserRecord) async throws -> ChatResponse {
        let (group, link) = try await store.read { db in
            let group = try GroupRecord.get(groupId, user: user, in: db)
            return (group, try GroupLinkRecord.get(of: group, user, in: db))
        }
        guard let id = ConnectionID(text: link.agentConnId) else {
            throw ChatFailure(StoreError.internalError(message: "agent connection id"))
        }
        if group.isChannel { return try await writeChannelLink(of: group, link, id, user) }
        let data = try ShortLinkData.encode(group)
        let short = try await services.withAgent {
            try await $0.setLinkData(
                id,
                userData: data,
                clientData: GroupLinkRecord.makeClientData(link.groupLinkID),
                type: .group,
                patience: .interactive
            )
        }
        return try await store.writeAndAnswer { tx in
            if let short, link.shortLink != short.shownURI {
                try tx.db.update(
                    "group_links",
                    set: ["conn_short_link": short.shownURI],
                    where: ["user_contact_link_id": link.linkId]
                )
            }
            let now = try GroupRecord.get(groupId, user: user, in: tx.db)
            // If the profile has changed since the data was encoded, the data of the link must be written again.
            if now.profile != group.profile { try now.markLinkDataStale(tx) }
            return .groupLink(
                user: user.api,
                groupInfo: now.api(user),
                groupLink: try GroupLinkRecord.get(of: now, user, in: tx.db).api
            )
        }
    }
}
