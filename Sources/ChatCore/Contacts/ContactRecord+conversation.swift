internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import SQLCipher

extension ContactRecord: Conversation {
    var chatKey: ChatKey { .contact(contactId) }
    var group: GroupRecord? { nil }
    var peerKindName: String { "contact" }
    var waitsForPeer: Bool { isActive && connection?.canSend != true }

    func chatInfo(_ user: UserRecord) -> ChatInfo { .direct(contact: api(user)) }

    mutating func moveToTop(_ tx: Transaction) throws {
        try tx.db.execute(
            """
            UPDATE OR FAIL contacts SET chat_ts = :chat_ts, chat_deleted = 0
            WHERE user_id = :user_id AND contact_id = :contact_id
            """,
            ["chat_ts": tx.now.nanoseconds, "user_id": userId, "contact_id": contactId]
        )
        chatTs = tx.now
        isChatDeleted = false
    }

    func setUnread(_ unread: Bool, _ tx: Transaction) throws {
        guard isMarkedUnread != unread else { return }
        try tx.db.update(
            "contacts",
            set: ["unread_chat": unread, "updated_at": tx.now.nanoseconds],
            where: ["user_id": userId, "contact_id": contactId]
        )
    }

    func findRecipients(_ user: UserRecord, in _: StoreConnection) throws -> Recipients {
        var recipients = Recipients([try requireSendableConnection(user)])
        recipients.isContact = true
        return recipients
    }

    func allows(_ feature: MessageFeature, by side: MessageFeature.Side, _ user: UserRecord) -> Bool {
        guard let feature = feature.directFeature else { return true }
        let enabled = self.feature(feature, user: user).enabledSides
        return switch side {
        case .user: enabled.isEnabledForUser
        case .peer, .member: enabled.isEnabledForContact
        }
    }

    func messageLifetimeSeconds(_ user: UserRecord) -> Int64? { feature(.timedMessages, user: user).lifetimeSeconds }

    func forwardedOrigin(of item: ItemRecord) -> CIForwardedFrom? {
        .contact(
            chatName: localAlias.isEmpty ? profile.displayName : localAlias,
            msgDir: item.isSent ? .snd : .rcv,
            contactId: contactId,
            chatItemId: item.itemId
        )
    }

    func notFoundEvent(_ id: SharedMessageID, _ user: UserRecord) -> ChatEvent? {
        .chatItemDeletedNotFound(user: user.api, contact: api(user), sharedMsgId: id.text)
    }
}
