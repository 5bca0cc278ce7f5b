internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import SQLCipher

/// Commands that change the roles of members, block members, or remove members.
extension RunningCommand {
    /// Returns the members with these ids, and all members except the user.
    /// - Throws: `groupMemberNotFound` for an unknown or repeated id.
    private static func getSelectedMembers(
        _ memberIds: [Int64],
        in group: GroupRecord,
        _ db: StoreConnection
    ) throws -> (named: [MemberRecord], all: [MemberRecord]) {
        let all = try MemberRecord.findOthers(in: group, db)
        let named = all.filter { memberIds.contains($0.memberId) }
        guard named.count == memberIds.count else { throw ChatFailure(ChatErrorType.groupMemberNotFound) }
        return (named, all)
    }

    /// `/_member role #`: sets the role of members.
    func setMembersRole(
        _ groupId: Int64,
        _ memberIds: [Int64],
        _ role: GroupMemberRole,
        user: UserRecord
    ) async throws -> ChatResponse {
        try await store.writeAndAnswer { tx in
            var group = try GroupRecord.get(groupId, user: user, in: tx.db)
            let before = group
            guard !memberIds.contains(group.membership.memberId) else {
                throw ChatFailure.commandError("can't change role for self")
            }
            let (named, all) = try Self.getSelectedMembers(memberIds, in: group, tx.db)
            guard memberIds.count <= 1 || role < .admin && !named.contains(where: { $0.role >= .admin }) else {
                throw ChatFailure.commandError(
                    "can't change role of multiple members when admins selected, or new role is admin"
                )
            }
            try group.requireRole(named.map(\.role).reduce(max(.admin, role), max), user)
            try group.checkMayChangeRoster(named, to: role)
            guard !group.isChannel || role != .relay && !named.contains(where: \.isRelay) else {
                throw ChatFailure.commandError("a chat relay keeps its role")
            }
            var changed: [MemberRecord] = []
            for member in named where member.role != role && member.status == .invited {
                _ = try Self.sendInvitation(member, as: role, user, tx)
                changed.append(member)
            }
            let current = named.filter { $0.role != role && $0.status != .invited }
            let events = current.map { MemberChange(member: $0) }
            try Self.sendRoleChanges(events, to: role, recipients: all.filter(\.status.isCurrent), in: &group, tx)
            try GroupItems.writeEventItems(
                events.map {
                    (.memberRole(groupMemberId: $0.member.memberId, profile: $0.member.profile, role: role), $0.id)
                },
                in: &group,
                user,
                tx
            )
            for var member in current {
                try member.setRole(role, tx)
                try GroupAgreement.recordChange(.role, of: member, in: group, tx)
            }
            changed += current
            return .membersRoleUser(
                user: user.api,
                groupInfo: before.api(user),
                members: changed.map { member in
                    var member = member
                    member.role = role
                    return member.api
                },
                toRole: role,
                msgSigned: group.isChannel
            )
        }
    }

    /// Sends a new role of members. If the change affects the roster of a channel, first sends the new roster, so that
    /// the relays have the roster before they forward the change.
    private static func sendRoleChanges(
        _ changes: [MemberChange],
        to role: GroupMemberRole,
        recipients: [MemberRecord],
        in group: inout GroupRecord,
        _ tx: Transaction
    ) throws {
        let version = try RosterSending.sendChangedRoster(changes.map(\.member), to: role, in: &group, tx)
        // The roster does not contain owners. The event contains the key of a new owner, since other members need the
        // key to verify the owner's signatures.
        let showsKeys = version != nil || group.isChannel && role == .owner
        try sendEvents(
            changes.map {
                let key = showsKeys ? $0.member.signatureKey.map { MemberKey($0) } : nil
                return ($0.id, .memberRole($0.member.sharedID, role, roster: RosterChange(key: key, version: version)))
            },
            to: recipients,
            in: group,
            tx
        )
    }

    /// `/_block #`: blocks or unblocks members for everybody.
    func blockMembers(
        _ groupId: Int64,
        _ memberIds: [Int64],
        _ isBlocked: Bool,
        user: UserRecord
    ) async throws -> ChatResponse {
        try await store.writeAndAnswer { tx in
            var group = try GroupRecord.get(groupId, user: user, in: tx.db)
            let before = group
            guard !memberIds.contains(group.membership.memberId) else {
                throw ChatFailure.commandError("you cannot block or unblock yourself")
            }
            let (named, all) = try Self.getSelectedMembers(memberIds, in: group, tx.db)
            guard memberIds.count <= 1 || !named.contains(where: { $0.role >= .admin }) else {
                throw ChatFailure.commandError("block and unblock admins one by one")
            }
            try group.requireRole(named.map(\.role).reduce(.moderator, max), user)
            let events = named.map { (member: $0, id: SharedMessageID.random()) }
            let others = all.filter { member in
                member.status.isCurrent && !named.contains { $0.memberId == member.memberId }
            }
            try Self.sendEvents(
                events.map { ($0.id, .memberRestrict($0.member.sharedID, isBlocked: isBlocked)) },
                to: others,
                in: group,
                tx
            )
            try GroupItems.writeEventItems(
                events.map {
                    (
                        .memberBlocked(
                            groupMemberId: $0.member.memberId,
                            profile: $0.member.profile,
                            blocked: isBlocked
                        ), $0.id
                    )
                },
                in: &group,
                user,
                tx
            )
            let changed = try named.map { member in
                var member = member
                try member.setBlockedByAdmin(isBlocked, tx)
                try GroupAgreement.recordChange(.restriction, of: member, in: group, tx)
                return member.api
            }
            return .membersBlockedForAllUser(
                user: user.api,
                groupInfo: before.api(user),
                members: changed,
                blocked: isBlocked,
                msgSigned: group.isChannel
            )
        }
    }

    /// `/_remove #`: removes members from the group.
    func removeMembers(
        _ groupId: Int64,
        _ memberIds: [Int64],
        withMessages: Bool,
        user: UserRecord
    ) async throws -> ChatResponse {
        try await store.writeAndAnswer { tx in
            var group = try GroupRecord.get(groupId, user: user, in: tx.db)
            let (named, all) = try Self.getSelectedMembers(memberIds, in: group, tx.db)
            guard memberIds.count <= 1 || !named.contains(where: { $0.role >= .admin }) else {
                throw ChatFailure.commandError("remove admins one by one")
            }
            try group.requireRole(named.map(\.role).reduce(.admin, max), user)
            try group.checkMayChangeRoster(named, to: nil)
            let (invited, current) = (named.filter { $0.status == .invited }, named.filter { $0.status != .invited })
            let events = current.map { MemberChange(member: $0) }
            try Self.sendRemovals(events, withMessages: withMessages, to: all, in: &group, tx)
            for var member in invited {
                try member.disconnect(afterDelivery: false, tx)
                try member.delete(tx)
            }
            if withMessages {
                for member in current {
                    try GroupModeration.deleteMessages(of: member, by: group.membership, in: group, user, tx)
                }
            }
            // The connection to a member who is still connecting is kept until the removal has arrived. Otherwise the
            // member would not learn of the removal. If a member never completes the connection, a second removal ends
            // the connection.
            for var member in current where !member.isConnecting || member.status.isRemoved {
                try member.disconnect(afterDelivery: true, tx)
            }
            let items = events.filter { !$0.member.status.isRemoved }.map {
                (
                    event: SndGroupEvent.memberDeleted(groupMemberId: $0.member.memberId, profile: $0.member.profile),
                    id: $0.id
                )
            }
            for member in current where member.isRelay { try GroupRelayRecord.remove(member, tx) }
            for member in current { try member.remove(tx) }
            try group.updateMemberCount(user, tx)
            let shown = try GroupRecord.get(groupId, user: user, in: tx.db)
            group = shown
            try GroupItems.writeEventItems(items, in: &group, user, tx)
            return .userDeletedMembers(
                user: user.api,
                groupInfo: shown.api(user),
                members: (invited + current).map { member in
                    var member = member
                    member.status = .removed
                    return member.api
                },
                withMessages: withMessages,
                msgSigned: group.isChannel
            )
        }
    }

    /// Sends the removal of members.
    /// - Parameter all: all members except the user. Members who wait for admission are known only to the moderators,
    ///   so other members get no event about them.
    private static func sendRemovals(
        _ removals: [MemberChange],
        withMessages: Bool,
        to all: [MemberRecord],
        in group: inout GroupRecord,
        _ tx: Transaction
    ) throws {
        let version = try RosterSending.sendChangedRoster(removals.map(\.member), to: nil, in: &group, tx)
        let current = all.filter(\.status.isCurrent)
        for (removals, recipients) in [
            (removals.filter { !$0.member.status.isPending }, current),
            (removals.filter { $0.member.status.isPending }, current.filter { $0.role >= .moderator }),
        ] {
            let pending = removals.map(\.member).filter(\.status.isPending)
            try sendEvents(
                removals.map {
                    (
                        $0.id,
                        .memberDelete(
                            $0.member.sharedID,
                            withMessages: withMessages,
                            roster: RosterChange(version: version)
                        )
                    )
                },
                to: recipients + pending,
                in: group,
                tx
            )
        }
    }

    /// Sends events to members.
    /// - Parameter members: the recipients in an ordinary group. In a channel, the events are sent to the relays, which
    ///   forward them.
    private static func sendEvents(
        _ events: [(id: SharedMessageID, event: GroupEvent)],
        to members: [MemberRecord],
        in group: GroupRecord,
        _ tx: Transaction
    ) throws {
        guard !events.isEmpty else { return }
        let recipients = try group.isChannel ? Recipients(of: group, tx.db) : Recipients(members: members, tx.db)
        let messages = try events.map { id, event in
            try OutgoingChatMessage(ChatMessage(sharedID: id, event: .group(event)), to: recipients)
        }
        try tx.enqueue(messages, to: recipients)
    }
}

/// A new role or the removal of a member, with the id of the message that announces the change to other members.
private struct MemberChange {
    let member: MemberRecord
    let id = SharedMessageID.random()
}
