internal import ChatAPI

/// Commands that concern one member of a group. Other members do not see the effects of these commands.
extension RunningCommand {
    /// `/_info # <member>`: returns a member, with the statistics of its connection.
    func showGroupMemberInfo(_ groupId: Int64, _ memberId: Int64, user: UserRecord) async throws -> ChatResponse {
        let (group, member) = try await store.read { db in
            let group = try GroupRecord.get(groupId, user: user, in: db)
            return (group, try MemberRecord.get(memberId, in: group, db))
        }
        var stats: ConnectionStats?
        if let connection = member.connection, let id = connection.agentConnectionID, connection.status != .deleted {
            stats = ConnectionStats(
                try await services.withAgent { try await $0.fetchConnectionQueueStates(id) },
                services.agent
            )
        }
        return .groupMemberInfo(
            user: user.api,
            groupInfo: group.api(user),
            member: member.api(user),
            connectionStats_: stats
        )
    }

    /// `/_enable #`: resets the error count of the connection to a member, so that the connection is used again.
    func enableMember(_ groupId: Int64, _ memberId: Int64, user: UserRecord) async throws -> ChatResponse {
        try await store.writeAndAnswer { tx in
            let member = try MemberRecord.get(memberId, in: GroupRecord.get(groupId, user: user, in: tx.db), tx.db)
            guard let connection = member.connection else { throw ChatFailure(ChatErrorType.groupMemberNotActive) }
            try tx.db.execute(
                "UPDATE connections SET auth_err_counter = 0 WHERE connection_id = ?",
                [connection.connectionId]
            )
            return .cmdOk(user_: user.api)
        }
    }

    /// `/_member settings #`: sets whether the messages of a member are shown.
    func setMemberSettings(
        _ groupId: Int64,
        _ memberId: Int64,
        _ settings: GroupMemberSettings,
        user: UserRecord
    ) async throws -> ChatResponse {
        try await store.writeAndAnswer { tx in
            let member = try MemberRecord.get(memberId, in: GroupRecord.get(groupId, user: user, in: tx.db), tx.db)
            try tx.db.update(
                "group_members",
                set: ["show_messages": settings.showMessages, "updated_at": tx.now.nanoseconds],
                where: ["user_id": user.userId, "group_member_id": member.memberId]
            )
            tx.followUpWork.insert(.notifications)
            return .cmdOk(user_: user.api)
        }
    }
}
