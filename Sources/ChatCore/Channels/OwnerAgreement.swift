internal import ChatAPI
internal import SQLCipher

/// Owners who change a channel at the same moment. Its relays put the changes into an order, which owners do not see for their own changes, and two relays may put them
/// into two. The owner who has made the channel, and writes its link, says once more what holds: after both changes at every relay, so that all end with the same.
enum OwnerAgreement {
    static let migration = Migration(
        name: "20261124_owner_agreement",
        up: """
            -- When the user has last said the profile of the channel, as its owner.
            ALTER TABLE groups ADD COLUMN profile_said_at INTEGER;
            -- The last version of the roster that is the user's.
            ALTER TABLE groups ADD COLUMN own_roster_version INTEGER;
            -- What an owner has signed of the roster that is on the way, as it came to a relay.
            ALTER TABLE roster_transfers ADD COLUMN message BLOB;
            ALTER TABLE roster_transfers ADD COLUMN sent_at INTEGER;
            """)

    /// How long after the user's change another owner may not know it yet, in seconds. A change that is restated without need has no effect.
    private static let window: Int64 = 24 * 3600

    private static func decides(_ group: GroupRecord, _ db: StoreConnection) throws -> Bool {
        try group.isChannel && !group.isServed && group.membership.role == .owner && group.membership.status.isActive && group.rootPrivateKey(in: db) != nil
    }

    // MARK: The profile

    /// The user changes the profile.
    static func noteProfileChange(_ group: GroupRecord, _ tx: Transaction) throws {
        guard group.isChannel else { return }
        try tx.db.execute(
            "UPDATE groups SET profile_said_at = ? WHERE user_id = ? AND group_id = ?", [tx.now.nanoseconds, group.userId, group.groupId])
    }

    /// Another owner has changed it: it is restated as it is now, while the user's own change is recent. Owners who go on changing it are not answered for ever.
    static func restateProfile(_ group: GroupRecord, _ tx: Transaction) throws {
        let changed = try tx.db.first("SELECT profile_said_at FROM groups WHERE user_id = ? AND group_id = ?", [group.userId, group.groupId])?
            .int64OrNil("profile_said_at")
        guard let changed, changed > tx.now.adding(seconds: -window).nanoseconds, try decides(group, tx.db) else { return }
        try group.sendProfile(.random(), tx)
    }

    // MARK: The roster

    /// Whether another owner has made a version of the roster that the user has made too, or gives a role to somebody who has been removed.
    static func isContradicted(_ version: Int64?, of id: MemberID, by author: MemberRecord, in group: GroupRecord, _ tx: Transaction) throws -> Bool {
        guard let version, author.role == .owner, try decides(group, tx.db) else { return false }
        if try RemovedMembers.contains(id, in: group, tx.db) { return true }
        let own = try tx.db.first("SELECT own_roster_version FROM groups WHERE user_id = ? AND group_id = ?", [group.userId, group.groupId])?
            .int64OrNil("own_roster_version")
        return own.map { version <= $0 } ?? false
    }

    /// Says the role of a member in a version of the roster that comes after both changes.
    ///
    /// Of a member whom the user does not know nothing is said: another owner may have made it a moderator in a version that is below the user's, and it is to stay a member. A
    /// relay has no role but its own. That somebody is gone is said only when it was removed.
    static func restateRole(of id: MemberID, in group: inout GroupRecord, _ tx: Transaction) throws {
        // It is no member any more, whatever role the other owner has given it.
        if try RemovedMembers.contains(id, in: group, tx.db) { return try restateRemoval(of: id, in: &group, tx) }
        guard try mayRestate(id, in: group, tx.db), let member = try MemberRecord.find(id, in: group, tx.db), !member.isRelay, !member.status.isRemoved else { return }
        let version = try RosterSending.sendAnew(in: &group, tx)
        try send(.memberRole(id, member.role, roster: RosterStep(key: member.key.map { MemberKey($0) }, version: version)), in: group, tx)
    }

    /// Says that another owner has removed a member, in such a version.
    static func restateRemoval(of id: MemberID, in group: inout GroupRecord, _ tx: Transaction) throws {
        guard try mayRestate(id, in: group, tx.db) else { return }
        let version = try RosterSending.sendAnew(in: &group, tx)
        try send(.memberDelete(id, withMessages: false, roster: RosterStep(version: version)), in: group, tx)
    }

    private static func mayRestate(_ id: MemberID, in group: GroupRecord, _ db: StoreConnection) throws -> Bool {
        try id != group.membership.sharedID && RosterSending.hasNextVersion(group) && decides(group, db)
    }

    private static func send(_ event: GroupEvent, in group: GroupRecord, _ tx: Transaction) throws {
        try tx.enqueue(ChatMessage(sharedID: .random(), event: .group(event)), to: Recipients(of: group, tx.db))
    }
}
