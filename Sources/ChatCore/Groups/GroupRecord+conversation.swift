internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import JSON
internal import SQLCipher

extension GroupRecord: Conversation {
    var chatKey: ChatKey { supportMember.map { .memberSupport($0.memberId) } ?? .group(groupId) }
    var group: GroupRecord? { self }
    var supportGroupId: Int64? { scope == nil ? nil : groupId }
    var peerKindName: String { "group member" }
    var waitsForPeer: Bool {
        let status = membership.status
        return !status.isRemoved && !(status.isCurrent && status.isActive) && !status.isPending
    }
    /// Always false, since a group is deleted together with its chat.
    var isChatDeleted: Bool { false }

    func chatInfo(_ user: UserRecord) -> ChatInfo {
        .group(groupInfo: api(user), groupChatScope: scope.map { .memberSupport(groupMember_: $0.member?.api) })
    }

    mutating func moveToTop(_ tx: Transaction) throws {
        try tx.db.execute(
            "UPDATE OR FAIL groups SET chat_ts = :chat_ts WHERE user_id = :user_id AND group_id = :group_id",
            ["chat_ts": tx.now.nanoseconds, "user_id": userId, "group_id": groupId]
        )
        chatTs = tx.now
    }

    func setUnread(_ unread: Bool, _ tx: Transaction) throws {
        guard scope == nil else { throw ChatFailure.commandError("not supported") }
        guard isMarkedUnread != unread else { return }
        try tx.db.update(
            "groups",
            set: ["unread_chat": unread, "updated_at": tx.now.nanoseconds],
            where: ["user_id": userId, "group_id": groupId]
        )
    }

    func findRecipients(_ user: UserRecord, in db: StoreConnection) throws -> Recipients {
        // In a channel, every message goes to the relays, which forward the message. So the scope has no effect on the
        // recipients.
        guard let scope, !isChannel else { return try Recipients(of: self, db) }
        let moderators = try MemberRecord.findModerators(in: self, db).filter {
            $0.status.isCurrent && $0.supportsChatVersion(scope.minModeratorChatVersion)
        }
        guard let member = scope.member else {
            guard !moderators.isEmpty else { throw ChatFailure.commandError("no admins support this message") }
            return try Recipients(members: moderators, db)
        }
        guard member.status.isCurrent || member.status.isPending else {
            throw ChatFailure.commandError("the member of the support chat is no longer in the group")
        }
        // The other moderators get no message for a member who waits for the approval of the host, because they do not
        // know the member.
        let others = moderators.filter { member.status != .pending_approval && $0.memberId != member.memberId }
        return try Recipients(members: [member] + others, db)
    }

    var messageScope: JSONValue? {
        supportMember.map { ["type": "member", "memberId": .string($0.sharedID.text)] }
    }

    /// Sends a changed profile of the user together with the next message. Groups in which the user does not write do
    /// not receive the profile.
    func sendChangedProfile(_ user: UserRecord, to recipients: Recipients, _ tx: Transaction) throws {
        // Members of a channel do not see the profiles of observers, so an observer sends no profile.
        guard !isChannel || membership.role >= .member else { return }
        // The profile is for all members, and a message in a support chat does not reach all of them.
        guard scope == nil, membership.incognitoProfileId == nil, let updated = user.memberProfileUpdatedAt,
            memberProfileSentAt.map({ $0 < updated }) ?? true
        else { return }
        try tx.enqueue(ChatMessage(sharedID: .random(), event: .info(profile: ownProfile(user))), to: recipients)
        try tx.db.update(
            "groups",
            set: ["member_profile_sent_at": tx.now.nanoseconds],
            where: ["user_id": userId, "group_id": groupId]
        )
    }

    /// Checks that the user may write in the chat.
    /// - Throws: `commandError` if the user is no longer a member; `groupUserRole` for an observer.
    func checkMayWrite(_ user: UserRecord) throws {
        if let scope, scope.member == nil {
            if !membership.status.isPending { try requireRole(.observer, user) }
        } else {
            guard membership.status.isCurrent, membership.status.isActive || scope == nil else {
                throw ChatFailure.commandError("not current member")
            }
            try requireRole(scope == nil ? .author : .moderator, user)
        }
        guard preferences.support?.enable ?? .on == .on || scope == nil || supportMember?.supportChat != nil else {
            throw ChatFailure.commandError("feature not allowed \(GroupFeature.support.name)")
        }
    }

    /// Checks that the user may react to messages. Subscribers of a channel may react, although they may not write.
    func checkMayReact(_ user: UserRecord) throws {
        if isChannel { try requireRole(.observer, user) } else { try checkMayWrite(user) }
    }

    func checkMayEdit(_ user: UserRecord) throws {
        if scope == nil { try requireRole(.author, user) } else { try checkMayWrite(user) }
    }

    func allows(_ feature: MessageFeature, by side: MessageFeature.Side, _: UserRecord) -> Bool {
        // Members may send links and files to the moderators, even if they may not send them to the group.
        if scope != nil, feature == .simplexLinks || feature == .files { return true }
        if feature == .voice, isHostOfUndecidedMember(side) { return true }
        let role = if case .member(let role, _) = side { role } else { membership.role }
        return preferences.allows(feature.groupFeature, role)
    }

    /// Whether the sender is the host, and the chat is the support chat of a member who waits for the host's approval.
    /// In this chat the host may send voice messages, even if the group forbids them (chat version 17).
    private func isHostOfUndecidedMember(_ side: MessageFeature.Side) -> Bool {
        switch side {
        case .user: membership.role >= .admin && scope?.member?.status == .pending_approval
        case .member(_, let isHost):
            isHost && scope != nil && scope?.member == nil && membership.status == .pending_approval
        case .peer: false
        }
    }

    func messageLifetimeSeconds(_: UserRecord) -> Int64? {
        preferences.timedMessages.enable == .on ? preferences.timedMessages.ttl.map { Int64($0) } : nil
    }

    func forwardedOrigin(of item: ItemRecord) -> CIForwardedFrom? {
        .group(
            chatName: localAlias.isEmpty ? profile.displayName : localAlias,
            msgDir: item.isSent ? .snd : .rcv,
            groupId: groupId,
            chatItemId: item.itemId
        )
    }

    func notFoundEvent(_: SharedMessageID, _: UserRecord) -> ChatEvent? { nil }

    func authorMemberID(of direction: CIDirection?) -> String? { GroupQuotes.authorID(direction, in: self) }
}
