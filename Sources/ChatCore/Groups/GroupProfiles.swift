internal import ChatAPI
internal import ChatStore
internal import JSON
internal import SQLCipher

/// Stores the profiles that members of a group send.
enum GroupProfiles {
    /// Stores the profile of the host by whose link the user has joined. The host sends the profile once. Before that,
    /// only the name of the host is known.
    static func storeProfileOfHost(
        _ json: JSONValue,
        _ received: GroupReceiver.ReceivedMessage,
        in group: inout GroupRecord,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws {
        let host = received.author
        let isReceived =
            try tx.db.firstRow(
                """
                SELECT link_profile_received FROM group_members
                WHERE user_id = :user_id AND group_member_id = :group_member_id
                """,
                ["user_id": user.userId, "group_member_id": host.memberId]
            )?.bool("link_profile_received") ?? true
        let isByLink = host.connection?.isViaGroupLink == true || group.businessInfo != nil
        guard host.category == .host, host.contactId == nil, isByLink || group.isChannel, !isReceived else {
            return received.receiver.unhandledElements.recordError(
                "x.grp.link.mem: a profile of the author is not expected",
                isMessageError: true
            )
        }
        try updateMemberProfile(json, of: host, received, in: &group, showsItem: false, user, tx)
        try tx.db.update(
            "group_members",
            set: ["link_profile_received": 1],
            where: ["user_id": user.userId, "group_member_id": host.memberId]
        )
        // The profile of the host is known now, so the host can be compared with the user's contacts. A relay is never
        // a contact.
        guard !group.isChannel, let known = try MemberRecord.find(host.memberId, user: user.userId, in: tx.db),
            let connection = known.connection
        else { return }
        try Probes.sendProbe(to: .member(known, in: group), over: connection, user, tx)
    }

    /// Stores a changed profile of a member, and emits the item and the events about the change.
    static func updateMemberProfile(
        _ json: JSONValue,
        of member: MemberRecord,
        _ received: GroupReceiver.ReceivedMessage,
        in group: inout GroupRecord,
        showsItem: Bool = true,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws {
        var profile = try JSONDecoder().decode(Profile.self, from: json)
        profile.replaceUnshowableValues()
        // If the member is also a contact, the contact sends its profile and preferences directly. So the profile that
        // the member sends to the group is ignored while the connection to the contact works.
        if let contactId = member.contactId,
            let contact = try ContactRecord.find(contactId, user: user.userId, in: tx.db), contact.isActive,
            contact.connection?.canSend == true
        {
            return
        }
        // Every message contains a new proof of the same badge, so this comparison ignores the proofs.
        let isSame = profile.hasSameContent(of: member.profile)
        guard !isSame || tx.mayImproveBadgeStatus(profile, member.profile, member.badgeStatus) else { return }
        let before = member
        let formerGroup = group
        if try group.copyProfile(member, profile, tx) {
            try tx.emit(
                .groupUpdated(
                    user: user.api,
                    fromGroup: formerGroup.api(user),
                    toGroup: group.api(user),
                    member_: member.api,
                    msgSigned: received.signatureStatus
                ),
                user: user.userId
            )
        }
        var member = member
        try member.setProfile(profile, tx)
        guard !isSame || member.badgeStatus != before.badgeStatus else { return }
        let info = group
        if showsItem, before.profile.isVisiblyDifferent(from: profile) {
            try GroupItems.writeEventItem(
                .memberProfileUpdated(fromProfile: before.profile, toProfile: profile),
                by: member,
                received.itemProperties,
                in: &group,
                user,
                tx
            )
        }
        try member.emitUpdate(from: before, in: info, user, tx)
    }
}
