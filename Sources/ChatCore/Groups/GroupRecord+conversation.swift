internal import ChatAPI
internal import SQLCipher

extension GroupRecord: Conversation {
    var key: ChatKey { .group(groupId) }
    var peerName: String { "group member" }
    /// A group is deleted with its chat.
    var isChatDeleted: Bool { false }

    func info(_ user: UserRecord) -> ChatInfo { .group(groupInfo: api(user), groupChatScope: nil) }

    mutating func moveToTop(_ tx: Transaction) throws {
        try tx.db.execute("UPDATE OR FAIL groups SET chat_ts = ? WHERE user_id = ? AND group_id = ?", [tx.now.nanoseconds, userId, groupId])
        chatTs = tx.now
    }

    func setUnread(_ unread: Bool, _ tx: Transaction) throws {
        guard unreadChat != unread else { return }
        try tx.db.execute(
            "UPDATE groups SET unread_chat = ?, updated_at = ? WHERE user_id = ? AND group_id = ?", [unread, tx.now.nanoseconds, userId, groupId])
    }

    func recipients(_ user: UserRecord, in db: StoreConnection) throws -> Recipients { try Recipients(of: self, db) }

    /// Members learn of another profile of the user with the next message, so that a change is not told to groups that nobody writes in.
    func willSend(_ user: UserRecord, to recipients: Recipients, _ tx: Transaction) throws {
        guard membership.incognitoProfileId == nil, let updated = user.memberProfileUpdatedAt, memberProfileSentAt.map({ $0 < updated }) ?? true else { return }
        try tx.enqueue(ChatMessage(sharedID: .random(), event: .info(profile: ownProfile(user))), to: recipients)
        try tx.db.execute(
            "UPDATE groups SET member_profile_sent_at = ? WHERE user_id = ? AND group_id = ?", [tx.now.nanoseconds, userId, groupId])
    }

    /// - Throws: `commandError` when the user is not a member any more; `groupUserRole` when an observer sends.
    func checkMayWrite(_ user: UserRecord) throws {
        guard membership.status.isCurrent else { throw ChatFailure.command("not current member") }
        try require(.author, user)
    }

    func checkMayEdit(_ user: UserRecord) throws { try require(.author, user) }

    func allows(_ feature: MessageFeature, by side: MessageFeature.Side, _: UserRecord) -> Bool {
        let role = if case .member(let role) = side { role } else { membership.role }
        return preferences.allows(feature.group, role)
    }

    func timeToLive(_: UserRecord) -> Int64? {
        preferences.timedMessages.enable == .on ? preferences.timedMessages.ttl.map { Int64($0) } : nil
    }

    func origin(of item: ItemRecord) -> CIForwardedFrom? {
        .group(chatName: localAlias.isEmpty ? profile.displayName : localAlias, msgDir: item.isSent ? .snd : .rcv, groupId: groupId, chatItemId: item.itemId)
    }

    func notFoundEvent(_: SharedMessageID, _: UserRecord) -> ChatEvent? { nil }

    func memberID(of direction: CIDirection?) -> String? { GroupQuotes.memberID(direction, in: self) }
}
