internal import ChatAPI
internal import JSON
internal import SQLCipher

/// Finding members of groups by their names.
extension Console {
    func memberId(named name: String, in groupId: Int64, _ user: UserRecord) async throws -> Int64 {
        guard let id = try await terminal.store.read({ db in try Self.member(named: name, in: groupId, user, db) })
        else {
            throw ChatFailure(StoreError.groupMemberNameNotFound(groupId: groupId, groupMemberName: name))
        }
        return id
    }

    private static func member(
        named name: String,
        in groupId: Int64,
        _ user: UserRecord,
        _ db: StoreConnection
    ) throws -> Int64? {
        try db.first(
            "SELECT group_member_id FROM group_members WHERE user_id = ? AND group_id = ? AND local_display_name = ?",
            [user.userId, groupId, name]
        )?.int64("group_member_id")
    }

    /// The ids of the members whom a text for the group mentions, by the names in the text. Unknown names mention
    /// nobody.
    func mentions(in text: String, _ chat: ChatRef, _ user: UserRecord) async throws -> [String: Int64] {
        guard chat.chatType == .group else { return [:] }
        let names = MarkedContent(.text(text: text)).mentionedNames
        guard !names.isEmpty else { return [:] }
        return try await terminal.store.read { db in
            var members: [String: Int64] = [:]
            for name in names { members[name] = try Self.member(named: name, in: chat.chatId, user, db) }
            return members
        }
    }

    /// Sends a message to the contact of the member. The message may create this contact.
    func send(
        _ text: String,
        toMember memberId: Int64,
        in groupId: Int64,
        _ user: UserRecord
    ) async throws -> ChatResponse {
        let membership = try await terminal.store.read { db in
            let group = try GroupRecord.get(groupId, user: user, in: db)
            return GroupMembership(group: group, member: try MemberRecord.get(memberId, in: group, db))
        }
        if let contactId = membership.member.contactId {
            return try await send(text, to: ChatRef(chatType: .direct, chatId: contactId), user: user)
        }
        try await terminal.store.write { tx in
            try tx.emit(
                .noMemberContactCreating(
                    user: user.api,
                    groupInfo: membership.group.api(user),
                    member: membership.member.api
                ),
                user: user.userId
            )
        }
        let created = try await run(
            .groups(.createMemberContact(groupId: groupId, groupMemberId: memberId)),
            as: user.userId
        )
        guard case .newMemberContact(_, let contact, _, _) = created else { return created }
        return try await run(
            .groups(.sendMemberContactInvitation(contactId: contact.contactId, msg: .text(text: text))),
            as: user.userId
        )
    }

    /// Sends a message to the member with this name, if exactly one member in all groups has the name. The caller has
    /// found no contact with the name.
    /// - Throws: `contactNotFound`, with one of the members if several members have the name.
    func send(_ text: String, toMemberNamed name: String, _ user: UserRecord) async throws -> ChatResponse {
        let found = try await terminal.store.read { db in try Self.connectedMembers(named: name, user, db) }
        guard found.count == 1, let only = found.first else {
            let suspected = try found.first.map { membership in
                [
                    try JSONEncoder().encodeValue(membership.group.api(user)),
                    try JSONEncoder().encodeValue(membership.member.api),
                ]
            }
            throw ChatFailure(ChatErrorType.contactNotFound(contactName: name, suspectedMember: suspected))
        }
        return try await send(text, toMember: only.member.memberId, in: only.group.groupId, user)
    }

    /// The connected members with this name, in the most recently active groups first.
    private static func connectedMembers(
        named name: String,
        _ user: UserRecord,
        _ db: StoreConnection
    ) throws -> [GroupMembership] {
        let rows = try db.query(
            """
            SELECT group_member_id, group_id FROM group_members
            WHERE local_display_name = ? AND user_id = ? AND member_category != 'user' AND member_status IN ('connected', 'complete')
            """,
            [name, user.userId]
        )
        let found = try rows.map { row in
            let group = try GroupRecord.get(row.int64("group_id"), user: user, in: db)
            return GroupMembership(
                group: group,
                member: try MemberRecord.get(row.int64("group_member_id"), in: group, db)
            )
        }
        return found.sorted { $0.group.chatTs > $1.group.chatTs }
    }
}
