internal import ChatAPI
internal import ChatStore
internal import SQLCipher

/// The chat that shows the changes of a connection: the chat with the contact, or the group of the member.
enum ConnectedChat {
    case contact(ContactRecord)
    case member(GroupMembership)

    init?(_ peer: ConnectionPeer) {
        if let contact = peer.contact {
            self = .contact(contact)
        } else if let member = peer.member {
            self = .member(member)
        } else {
            return nil
        }
    }

    /// The reference to the member in chat items about the user's own actions; nil for a contact.
    var memberRef: GroupMemberRef? {
        guard case .member(let membership) = self else { return nil }
        return GroupMemberRef(groupMemberId: membership.member.memberId, profile: membership.member.profile)
    }

    /// Creates an item, and emits its event. A received item is unread.
    mutating func addItem(
        _ content: CIContent,
        _ text: String,
        sent: Bool,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws {
        switch self {
        case .contact(var contact):
            try ConnectionItems.addItem(content, text, sent: sent, in: &contact, user, tx)
            self = .contact(contact)
        case .member(var membership):
            try ConnectionItems.addItem(
                content,
                text,
                sent: sent,
                by: sent ? nil : membership.member,
                in: &membership.group,
                user,
                tx
            )
            self = .member(membership)
        }
    }

    mutating func setSecurityCode(_ code: SecurityCode?) {
        switch self {
        case .contact(var contact):
            contact.connection?.securityCode = code
            self = .contact(contact)
        case .member(var membership):
            membership.member.connection?.securityCode = code
            self = .member(membership)
        }
    }

    /// Finds the last item of the chat with the contact, or the last item of the member in the group.
    func findLastItem(_ tx: Transaction) throws -> (item: ItemRecord, info: (UserRecord) -> ChatInfo)? {
        switch self {
        case .contact(let contact):
            return try ItemQueries.findLastItems(1, in: contact, tx.db).first.map { ($0, { contact.chatInfo($0) }) }
        case .member(let membership):
            let group = membership.group
            let last = try tx.db.queryFirst(
                """
                SELECT max(chat_item_id) AS id FROM chat_items WHERE user_id = ? AND chat_type = ? AND chat_id = ? AND author_member_id = ?
                """,
                group.keyArguments + [membership.member.memberId]
            )?.int64OrNil("id")
            guard let last, let item = try ItemQueries.findItems([last], in: group, tx.db).first else { return nil }
            return (item, { group.chatInfo($0) })
        }
    }

    func makeQueueSwitchEvent(_ progress: SwitchProgress, _ user: UserRecord) -> ChatEvent {
        switch self {
        case .contact(let contact): .contactSwitch(user: user.api, contact: contact.api(user), switchProgress: progress)
        case .member(let membership):
            .groupMemberSwitch(
                user: user.api,
                groupInfo: membership.group.api(user),
                member: membership.member.api,
                switchProgress: progress
            )
        }
    }

    func makeRatchetSyncEvent(_ progress: RatchetSyncProgress, _ user: UserRecord) -> ChatEvent {
        switch self {
        case .contact(let contact):
            .contactRatchetSync(user: user.api, contact: contact.api(user), ratchetSyncProgress: progress)
        case .member(let membership):
            .groupMemberRatchetSync(
                user: user.api,
                groupInfo: membership.group.api(user),
                member: membership.member.api,
                ratchetSyncProgress: progress
            )
        }
    }

    func makeVerificationResetEvent(_ user: UserRecord) -> ChatEvent {
        switch self {
        case .contact(let contact):
            .terminalEvent(.contactVerificationReset(user: user.api, contact: contact.api(user)))
        case .member(let membership):
            .terminalEvent(
                .groupMemberVerificationReset(
                    user: user.api,
                    groupInfo: membership.group.api(user),
                    member: membership.member.api
                )
            )
        }
    }
}
