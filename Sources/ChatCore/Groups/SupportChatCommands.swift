internal import ChatAPI

extension RunningCommand {
    /// `/_delete member chat #`: deletes the support chat of a member.
    /// - Throws: `groupMemberNotFound`; `commandError` for a member without a support chat, or for a member who waits
    ///   for admission.
    func deleteSupportChat(_ groupId: Int64, _ memberId: Int64, user: UserRecord) async throws -> ChatResponse {
        try await store.writeAndAnswer { tx in
            var group = try GroupRecord.get(groupId, user: user, in: tx.db)
            var member = try MemberRecord.get(memberId, in: group, tx.db)
            guard member.supportChat != nil else {
                throw ChatFailure.commandError("this member has not written to the moderators")
            }
            guard !member.status.isPending else { throw ChatFailure.commandError("member is pending") }
            try member.deleteSupportChat(tx)
            try tx.db.update(
                "group_members",
                set: ["updated_at": tx.now.nanoseconds],
                where: ["user_id": user.userId, "group_member_id": memberId]
            )
            member.updatedAt = tx.now
            group.membersRequiringAttentionCount = try GroupRecord.countMembersRequiringAttention(
                groupId,
                user: user.userId,
                tx.db
            )
            return .memberSupportChatDeleted(user: user.api, groupInfo: group.api(user), member: member.api(user))
        }
    }

    /// `/member support chats #`: returns the members who have a support chat, in the order of their indexes in the
    /// group.
    func listSupportChats(_ groupId: Int64, user: UserRecord) async throws -> ChatResponse {
        try await store.read { db in
            let group = try GroupRecord.get(groupId, user: user, in: db)
            let members = try MemberRecord.findOthers(in: group, db).filter { $0.supportChat != nil }
            return .memberSupportChats(user: user.api, groupInfo: group.api(user), members: members.map(\.api))
        }
    }
}
