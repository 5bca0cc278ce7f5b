internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import ChatText
internal import JSON
internal import SQLCipher

extension GroupRecord {
    /// Checks that a profile fits into a message to the members.
    /// - Throws: `largeMsg`.
    private static func checkProfileSize(_ profile: GroupProfile) throws {
        var params = JSONObject()
        params["groupProfile"] = try JSONEncoder().encodeValue(profile)
        _ = try OutgoingChatMessage(ChatMessage(event: .other(tag: "x.grp.info", params: params)), over: [])
    }

    /// Creates a group with the user as its owner.
    /// - Throws: `largeMsg`.
    static func create(
        _ profile: GroupProfile,
        as id: MemberID = .random(),
        incognito: Bool,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws -> GroupRecord {
        try checkProfileSize(profile)
        let groupId = try insertRow(profile, user, tx)
        let own = try incognito ? IncognitoProfile.create(user, tx).id : nil
        let membership = try addOwnMembership(
            MemberIdRole(id: id, role: .owner),
            .creator,
            invitedBy: 0,
            incognito: own,
            to: groupId,
            user,
            tx
        )
        return try storeMembership(groupId, membership, user, tx)
    }

    /// Creates a group after an invitation by a contact. The contact is the first member.
    static func create(
        invited invitation: GroupInvitationMessage,
        by contact: ContactRecord,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws -> GroupRecord {
        let groupId = try insertRow(
            try JSONDecoder().decode(GroupProfile.self, from: invitation.groupProfile),
            user,
            tx
        )
        try tx.db.update(
            "groups",
            set: ["invitation": invitation.connectionRequest, "current_members": 0],
            where: ["user_id": user.userId, "group_id": groupId]
        )
        let business = try BusinessChats.decodeInfo(invitation.business)
        let host = try MemberRecord.create(
            NewMember(
                id: invitation.fromMember.id,
                role: invitation.fromMember.role,
                category: .host,
                status: .invited,
                contactId: contact.contactId,
                profileId: contact.profileId,
                localDisplayName: contact.localDisplayName,
                versions: contact.connection?.peerVersions ?? .initial
            ),
            in: groupId,
            user,
            tx
        )
        // The user joins with the incognito profile that the contact already knows, if the contact knows one.
        let membership = try addOwnMembership(
            invitation.invitedMember,
            .invited,
            invitedBy: contact.contactId,
            invitedByMemberId: host.memberId,
            incognito: contact.connection?.incognitoProfileId,
            to: groupId,
            user,
            tx
        )
        var group = try storeMembership(groupId, membership, user, tx)
        if let business { try group.setBusinessInfo(business, tx) }
        return group
    }

    /// Creates a group with one known member, who is not a contact of the user.
    static func create(
        _ profile: GroupProfile,
        host: NewMember,
        _ hostProfile: Profile,
        as part: MemberIdRole,
        _ status: GroupMemberStatus,
        incognito: Int64?,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws -> (GroupRecord, host: MemberRecord) {
        let groupId = try insertRow(profile, user, tx)
        let host = try MemberRecord.create(host, profile: hostProfile, in: groupId, user, tx)
        let membership = try addOwnMembership(
            part,
            status,
            invitedBy: nil,
            invitedByMemberId: host.memberId,
            incognito: incognito,
            to: groupId,
            user,
            tx
        )
        return (try storeMembership(groupId, membership, user, tx), host)
    }

    /// Creates a group without known members.
    static func create(
        _ profile: GroupProfile,
        as part: MemberIdRole,
        _ status: GroupMemberStatus,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws -> GroupRecord {
        let groupId = try insertRow(profile, user, tx)
        return try storeMembership(
            groupId,
            try addOwnMembership(part, status, invitedBy: nil, incognito: nil, to: groupId, user, tx),
            user,
            tx
        )
    }

    private static func insertRow(_ profile: GroupProfile, _ user: UserRecord, _ tx: Transaction) throws -> Int64 {
        let localDisplayName = try LocalDisplayNames.create(profile.displayName, user: user.userId, in: tx.db)
        try tx.db.execute("UPDATE users SET last_group_id = last_group_id + 1 WHERE user_id = ?", [user.userId])
        let groupId =
            try tx.db.queryFirst("SELECT last_group_id AS id FROM users WHERE user_id = ?", [user.userId])?.int64("id")
            ?? 1
        let now = tx.now.nanoseconds
        try tx.db.insert(
            into: "groups",
            [
                "user_id": user.userId, "group_id": groupId, "local_display_name": localDisplayName,
                "profile": try StoredJSON.encode(profile), "membership_id": 0, "current_members": 0,
                "member_profile_sent_at": now, "created_at": now, "updated_at": now, "chat_ts": now,
            ]
        )
        return groupId
    }

    private static func addOwnMembership(
        _ part: MemberIdRole,
        _ status: GroupMemberStatus,
        invitedBy: Int64?,
        invitedByMemberId: Int64? = nil,
        incognito: Int64?,
        to groupId: Int64,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws -> MemberRecord {
        let name = try IncognitoProfile.find(incognito, in: tx.db).map { profile in
            try LocalDisplayNames.create(profile.displayName, user: user.userId, in: tx.db)
        }
        return try MemberRecord.create(
            NewMember(
                id: part.id,
                role: part.role,
                category: .user,
                status: status,
                invitedByContactId: invitedBy,
                invitedByMemberId: invitedByMemberId,
                profileId: user.profileId,
                incognitoProfileId: incognito,
                localDisplayName: name ?? user.localDisplayName,
                versions: .supported
            ),
            in: groupId,
            user,
            tx
        )
    }

    private static func storeMembership(
        _ groupId: Int64,
        _ membership: MemberRecord,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws -> GroupRecord {
        try tx.db.update(
            "groups",
            set: ["membership_id": membership.memberId],
            where: ["user_id": user.userId, "group_id": groupId]
        )
        return try get(groupId, user: user, in: tx.db)
    }

    /// Finds the group that was created for an invitation with this connection request.
    static func find(invitation: String, _ user: UserRecord, in db: StoreConnection) throws -> GroupRecord? {
        try db.firstRow(
            "SELECT group_id FROM groups WHERE user_id = :user_id AND invitation = :invitation",
            ["user_id": user.userId, "invitation": invitation]
        )
        .flatMap { try find($0.int64("group_id"), user: user.userId, in: db) }
    }

    /// Sets the profile of the group. If the display name changes, the local name changes too.
    /// - Throws: `invalidDisplayName`, `largeMsg`.
    mutating func setProfile(_ new: GroupProfile, _ tx: Transaction) throws {
        try Self.checkProfileSize(new)
        try ChannelLink.checkProfileSize(new, of: self, tx.db)
        if new.displayName != profile.displayName {
            try DisplayName.check(new.displayName)
            try LocalDisplayNames.delete(localDisplayName, user: userId, in: tx.db)
            localDisplayName = try LocalDisplayNames.create(new.displayName, user: userId, in: tx.db)
            // Like the original, this program stores the time of the last update only if the name changes. The answer
            // still contains the earlier time, as in the original.
            try tx.db.update(
                "groups",
                set: ["local_display_name": localDisplayName, "updated_at": tx.now.nanoseconds],
                where: ["user_id": userId, "group_id": groupId]
            )
        }
        profile = new
        try forgetOutdatedDomainCheck(tx)
        try tx.db.update(
            "groups",
            set: ["profile": try StoredJSON.encode(new)],
            where: ["user_id": userId, "group_id": groupId]
        )
        try markLinkDataStale(tx)
    }

    /// Replaces the profile of the group with a received profile. If the display name changes, the local name changes
    /// too.
    mutating func replaceProfile(_ new: GroupProfile, _ tx: Transaction) throws {
        if new.displayName != profile.displayName {
            try LocalDisplayNames.delete(localDisplayName, user: userId, in: tx.db)
            localDisplayName = try LocalDisplayNames.create(new.displayName, user: userId, in: tx.db)
        }
        profile = new
        updatedAt = tx.now
        try forgetOutdatedDomainCheck(tx)
        try tx.db.update(
            "groups",
            set: [
                "local_display_name": localDisplayName, "profile": try StoredJSON.encode(new),
                "updated_at": tx.now.nanoseconds,
            ],
            where: ["user_id": userId, "group_id": groupId]
        )
        // If the user serves the group as a relay, the user's link contains the profile of the relay. A change of the
        // group's profile does not change this link.
        if !isServed { try markLinkDataStale(tx) }
    }

    /// Deletes the group with its chat and its members.
    func delete(_ tx: Transaction) throws {
        let members = try MemberRecord.findOthers(in: self, tx.db)
        try disconnectAllMembers(afterDelivery: true, tx)
        try tx.db.delete(from: "groups", where: ["user_id": userId, "group_id": groupId])
        try LocalDisplayNames.delete(localDisplayName, user: userId, in: tx.db)
        if let incognito = membership.incognitoProfileId {
            try LocalDisplayNames.delete(membership.localDisplayName, user: userId, in: tx.db)
            try IncognitoProfile.delete(incognito, tx)
        }
        for member in members { try member.deleteUnusedProfile(tx) }
        try tx.redactChat(self)
    }
}
