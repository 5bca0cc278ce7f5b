internal import Agent
internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import JSON
internal import SQLCipher

/// Changes of the members of a channel. Roles and keys of members who may write come only from owners. Relays announce
/// the other members.
struct ChannelMembers {
    let user: UserRecord
    let receivedMessage: GroupReceiver.ReceivedMessage
    let tx: Transaction

    /// The maximum number of members of a channel that are stored, since relays may announce any number of members.
    /// `maxMembersForOwner` is the maximum for an owner: owners know all members, and other users know only the members
    /// who write.
    private static let maxMembers: Int64 = 10_000, maxMembersForOwner: Int64 = 100_000

    private func reportMessageError(_ text: String) {
        receivedMessage.receiver.unhandledElements.recordError(text, isMessageError: true)
    }

    /// Stores a member whom a relay announces. The announcement comes before the messages of the member.
    func storeAnnouncedMember(_ info: MemberInfo, in group: inout GroupRecord) throws {
        guard info.id != group.membership.sharedID else { return }
        let relay = receivedMessage.author
        let profile = try info.readProfile()
        if var member = try MemberRecord.find(info.id, in: group, tx.db) {
            // If another relay has announced the member before, nothing is left to store.
            guard member.status == .unknown, !member.isRelay else { return }
            let before = member
            if let key = info.memberKey { try member.storeSignatureKey(key.key, tx) }
            if let versions = info.versions { try member.setVersions(versions, tx) }
            try member.setStatus(.announced, tx)
            try member.setProfile(profile, tx)
            try group.updateMemberCount(user, tx)
            return try tx.emit(
                .unknownMemberAnnounced(
                    user: user.api,
                    groupInfo: group.api(user),
                    announcingMember: relay.api,
                    unknownMember: before.api,
                    announcedMember: member.api
                ),
                user: user.userId
            )
        }
        // The roster names the members who may write, so a relay may announce only observers.
        guard info.role == .observer else {
            return reportMessageError("x.grp.mem.new: the roster has no such \(info.role.rawValue)")
        }
        guard try canStoreMoreMembers(group), try !RemovedMembers.contains(info.id, in: group, tx.db) else { return }
        var member = try MemberRecord.create(
            NewMember(
                id: info.id,
                role: .observer,
                category: .post,
                status: .announced,
                invitedByMemberId: relay.memberId,
                profileId: 0,
                localDisplayName: "",
                versions: info.versions ?? .initial
            ),
            profile: profile,
            in: group.groupId,
            user,
            tx
        )
        if let key = info.memberKey { try member.storeSignatureKey(key.key, tx) }
        try group.updateMemberCount(user, tx)
        try tx.emit(
            .joinedGroupMemberConnecting(
                user: user.api,
                groupInfo: group.api(user),
                hostMember: relay.api,
                member: member.api
            ),
            user: user.userId
        )
    }

    private func canStoreMoreMembers(_ group: GroupRecord) throws -> Bool {
        try group.knowsFewerMembers(
            than: group.membership.role == .owner ? Self.maxMembersForOwner : Self.maxMembers,
            tx.db
        )
    }

    /// Stores the profile of an owner or a moderator whom a relay introduces. The link or the roster has named this
    /// member before.
    func storeIntroducedMember(_ info: MemberInfo, isBlocked: Bool, in group: GroupRecord) throws {
        guard info.id != group.membership.sharedID else { return }
        guard var member = try MemberRecord.find(info.id, in: group, tx.db) else {
            return reportMessageError("x.grp.mem.intro: member is not known")
        }
        guard member.status == .unknown, !member.isRelay else { return }
        let before = member
        if let versions = info.versions { try member.setVersions(versions, tx) }
        try member.setStatus(.introduced, tx)
        try member.setProfile(info.readProfile(), tx)
        if isBlocked { try member.setBlockedByAdmin(true, tx) }
        try member.emitUpdate(from: before, in: group, user, tx)
    }

    /// Returns whether the author of the message may give a member another role. If the author is an owner, also stores
    /// the roster version and the member's key from the message, and creates the member if it is unknown.
    ///
    /// The right of the author is checked before the version and the key are stored. Otherwise any author could send a
    /// version that is too high, which would block every later roster.
    func admitRoleChange(
        _ id: MemberID,
        to role: GroupMemberRole,
        _ step: RosterChange,
        in group: inout GroupRecord,
        relay: MemberRecord
    ) throws -> Bool {
        let isUser = id == group.membership.sharedID
        var member = try isUser ? group.membership : MemberRecord.find(id, in: group, tx.db)
        let author = receivedMessage.author.role,
            isOfRoster =
                Roster.listedRoles.contains(role) || member.map { Roster.listedRoles.contains($0.role) } ?? false
        guard author >= max(.admin, role, member?.role ?? .observer), author == .owner || !isOfRoster else {
            reportMessageError("x.grp.mem.role: the role of the author is too low")
            return false
        }
        guard member?.isRelay != true, role != .relay else {
            reportMessageError("x.grp.mem.role: a relay keeps its role")
            return false
        }
        guard author == .owner else { return true }
        guard try ChannelRosters.storeNextRosterVersion(to: step.version, in: &group, from: relay, tx) else {
            return false
        }
        // The role of a removed member is not changed: a removal is final.
        guard try !RemovedMembers.contains(id, in: group, tx.db) else { return false }
        if member == nil, let key = step.key, try canStoreMoreMembers(group) {
            member = try ChannelRosters.createMember(id, .observer, key, in: group, user, tx)
        }
        // A known key of a member never changes, so a change with another key is refused.
        guard let key = step.key, var known = member, !isUser else { return true }
        guard known.signatureKey == nil || known.signatureKey == key.key else {
            reportMessageError("x.grp.mem.role: the member has another key")
            return false
        }
        try known.storeSignatureKey(key.key, tx)
        return true
    }

    func admitRemoval(
        _ id: MemberID,
        _ step: RosterChange,
        in group: inout GroupRecord,
        relay: MemberRecord
    ) throws -> Bool {
        let isUser = id == group.membership.sharedID
        let member = try isUser ? group.membership : MemberRecord.find(id, in: group, tx.db)
        let author = receivedMessage.author.role,
            isOfRoster = member.map { Roster.listedRoles.contains($0.role) || $0.isRelay } ?? false
        guard author >= max(.admin, member?.role ?? .observer), author == .owner || !isOfRoster else {
            reportMessageError("x.grp.mem.del: the role of the author is too low")
            return false
        }
        guard author == .owner else { return true }
        // A removal is applied for any version of the roster, because a removed member never returns with the same id.
        _ = try ChannelRosters.storeNextRosterVersion(to: step.version, in: &group, from: relay, tx)
        return true
    }

    /// Adds a relay that an owner has announced.
    func addRelay(_ link: String, in group: GroupRecord) throws {
        // The link is parsed and written again, so that it can be compared with the relay links from the link of the
        // channel.
        let link = try ShortLink(atServer: link)
        guard link.kind == .contact(.group) else { return reportMessageError("x.grp.relay.new: not a relay link") }
        guard try ChannelRelays.all(of: group, tx.db).count(where: \.status.isCurrent) < ChannelRelays.maxRelays else {
            return
        }
        let relay = try ChannelRelays.findOrCreate(at: link.uri, in: group, user, tx)
        guard relay.connection == nil else { return }
        try MemberSteps.addStep(.relay, to: relay, request: link.uri, tx)
    }
}

extension MemberInfo {
    var memberKey: MemberKey? { key?.stringValue.flatMap { MemberKey(parsing: $0) } }
}

extension GroupRecord {
    /// Checks that the user is an owner before a change of the members who may write in a channel. An owner must sign
    /// the new roster.
    /// - Parameter role: the new role of the members; nil for a removal.
    func checkMayChangeRoster(_ members: [MemberRecord], to role: GroupMemberRole?) throws {
        guard isChannel,
            role.map(Roster.listedRoles.contains) ?? false
                || members.contains(where: { Roster.listedRoles.contains($0.role) })
        else { return }
        guard membership.role == .owner else {
            throw ChatFailure.commandError(
                role == nil
                    ? "only the group owner can remove members, moderators and admins"
                    : "only the group owner can change moderator and admin roles"
            )
        }
    }

    /// Checks that the user is not the only owner of the channel, since nobody could change a channel without an owner.
    func checkMayLeave(_ db: StoreConnection) throws {
        guard isChannel, membership.role == .owner, membership.status.isActive else { return }
        let others = try MemberRecord.findOthers(in: self, db).contains { $0.role == .owner && !$0.status.isRemoved }
        guard others else { throw ChatFailure.commandError("the only owner can't leave the channel") }
    }
}
