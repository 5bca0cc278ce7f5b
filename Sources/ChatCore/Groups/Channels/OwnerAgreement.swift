internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import SQLCipher

/// Agreement between owners who change a channel at the same time.
///
/// Each relay puts the changes into an order, and two relays may use different orders. An owner does not see the place
/// of its own change in the order. So the owner who made the channel, and writes its link, sends the valid state again.
/// Every relay receives this message after the conflicting changes, so that all members end with the same state.
enum OwnerAgreement {
    /// The number of seconds for which another owner may not know the user's change of the profile. A change by another
    /// owner in this time counts as a conflict. If there was no conflict, the repetition of the change has no effect.
    private static let conflictWindowSeconds: Int64 = 24 * 3600

    private static func isDecidingOwner(_ group: GroupRecord, _ db: StoreConnection) throws -> Bool {
        try group.isChannel && !group.isServed && group.membership.role == .owner && group.membership.status.isActive
            && group.findRootPrivateKey(in: db) != nil
    }

    // MARK: The profile

    /// Stores the time at which the user changes the profile.
    static func recordProfileChange(_ group: GroupRecord, _ tx: Transaction) throws {
        guard group.isChannel else { return }
        try tx.db.update(
            "groups",
            set: ["profile_said_at": tx.now.nanoseconds],
            where: ["user_id": group.userId, "group_id": group.groupId]
        )
    }

    /// Sends the profile again after a change by another owner, if the user's own change is recent. The time limit ends
    /// the repetitions if another owner changes the profile again and again.
    static func resendProfile(_ group: GroupRecord, _ tx: Transaction) throws {
        let changed = try tx.db.firstRow(
            "SELECT profile_said_at FROM groups WHERE user_id = :user_id AND group_id = :group_id",
            ["user_id": group.userId, "group_id": group.groupId]
        )?
        .int64OrNil("profile_said_at")
        guard let changed, changed > tx.now.adding(seconds: -conflictWindowSeconds).nanoseconds,
            try isDecidingOwner(group, tx.db)
        else {
            return
        }
        try group.sendProfile(.random(), tx)
    }

    // MARK: The roster

    /// Returns whether a change by another owner conflicts with a change by the user. The changes conflict if the
    /// roster version of the other owner's change is not above the user's last version. They also conflict if the
    /// changed member has been removed. Returns false if the user is not the owner who writes the link.
    static func conflictsWithOwnChange(
        _ version: Int64?,
        of id: MemberID,
        by author: MemberRecord,
        in group: GroupRecord,
        _ tx: Transaction
    ) throws -> Bool {
        guard let version, author.role == .owner, try isDecidingOwner(group, tx.db) else { return false }
        if try RemovedMembers.contains(id, in: group, tx.db) { return true }
        let own = try tx.db.firstRow(
            "SELECT own_roster_version FROM groups WHERE user_id = :user_id AND group_id = :group_id",
            ["user_id": group.userId, "group_id": group.groupId]
        )?
        .int64OrNil("own_roster_version")
        return own.map { version <= $0 } ?? false
    }

    /// Sends the role of a member again after a conflict between a change by the user and a change by another owner.
    /// The new version of the roster is higher than the versions of these two changes. For a removed member, sends the
    /// removal instead.
    ///
    /// Nothing is sent about a member whom the user does not know. Another owner may have made this member a moderator
    /// in a roster version below the user's version, and the member must stay in the channel. Nothing is sent about a
    /// relay, whose role never changes.
    static func resendRole(of id: MemberID, in group: inout GroupRecord, _ tx: Transaction) throws {
        // A removed member stays removed, even if the other owner has given a role to the member.
        if try RemovedMembers.contains(id, in: group, tx.db) { return try resendRemoval(of: id, in: &group, tx) }
        guard try mayResendChange(id, in: group, tx.db), let member = try MemberRecord.find(id, in: group, tx.db),
            !member.isRelay, !member.status.isRemoved
        else { return }
        let version = try RosterSending.sendRosterAsNewVersion(in: &group, tx)
        try sendEvent(
            .memberRole(
                id,
                member.role,
                roster: RosterChange(key: member.signatureKey.map { MemberKey($0) }, version: version)
            ),
            in: group,
            tx
        )
    }

    /// Sends the removal of a member again after a conflict between a change by the user and a change by another owner.
    /// The new version of the roster is higher than the versions of these two changes.
    static func resendRemoval(of id: MemberID, in group: inout GroupRecord, _ tx: Transaction) throws {
        guard try mayResendChange(id, in: group, tx.db) else { return }
        let version = try RosterSending.sendRosterAsNewVersion(in: &group, tx)
        try sendEvent(.memberDelete(id, withMessages: false, roster: RosterChange(version: version)), in: group, tx)
    }

    private static func mayResendChange(_ id: MemberID, in group: GroupRecord, _ db: StoreConnection) throws -> Bool {
        try id != group.membership.sharedID && RosterSending.hasNextRosterVersion(group) && isDecidingOwner(group, db)
    }

    private static func sendEvent(_ event: GroupEvent, in group: GroupRecord, _ tx: Transaction) throws {
        try tx.enqueue(ChatMessage(sharedID: .random(), event: .group(event)), to: Recipients(of: group, tx.db))
    }
}
