internal import ChatAPI
internal import SQLCipher

/// Owners who change a channel at the same moment. Its relays put the changes into an order, which the owners do not see of their own, and two relays may put them into
/// two. The owner who has made the channel, and writes its link, says once more what holds: after both changes at every relay, so that all end with the same.
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

    /// So long after the user's change, in seconds, another owner may not have known it. What is said once more without need changes nothing.
    private static let window: Int64 = 24 * 3600

    private static func decides(_ group: GroupRecord, _ db: StoreConnection) throws -> Bool {
        try group.isChannel && !group.isServed && group.membership.role == .owner && group.membership.status.isActive && group.rootPrivateKey(in: db) != nil
    }

    // MARK: The profile

    /// The user changes the profile.
    static func said(_ group: GroupRecord, _ tx: Transaction) throws {
        guard group.isChannel else { return }
        try tx.db.execute(
            "UPDATE groups SET profile_said_at = ? WHERE user_id = ? AND group_id = ?", [tx.now.nanoseconds, group.userId, group.groupId])
    }

    /// Another owner has changed it.
    static func profileChanged(_ group: GroupRecord, _ tx: Transaction) throws {
        let said = try tx.db.first("SELECT profile_said_at FROM groups WHERE user_id = ? AND group_id = ?", [group.userId, group.groupId])?
            .int64OrNil("profile_said_at")
        guard let said, said > tx.now.adding(seconds: -window).nanoseconds, try decides(group, tx.db) else { return }
        try group.sendProfile(.random(), tx)
        try Self.said(group, tx)
    }

    // MARK: The roster

    /// Whether another owner has made a version of the roster that the user has made too.
    static func isContradicted(_ version: Int64?, by author: MemberRecord, in group: GroupRecord, _ tx: Transaction) throws -> Bool {
        guard let version, author.role == .owner, try decides(group, tx.db) else { return false }
        let own = try tx.db.first("SELECT own_roster_version FROM groups WHERE user_id = ? AND group_id = ?", [group.userId, group.groupId])?
            .int64OrNil("own_roster_version")
        return own.map { version <= $0 } ?? false
    }

    /// Says the role of a member, or that there is no such member any more, in a version of the roster that comes after both.
    static func say(_ id: MemberID, in group: inout GroupRecord, _ tx: Transaction) throws {
        guard id != group.membership.sharedID, try decides(group, tx.db) else { return }
        let member = try MemberRecord.find(id, in: group, tx.db).flatMap { $0.status.isRemoved ? nil : $0 }
        let version = try RosterSending.sendAnew(in: &group, tx)
        let event: GroupEvent = if let member {
            .memberRole(id, member.role, roster: RosterStep(key: member.key.map { MemberKey($0) }, version: version))
        } else {
            .memberDelete(id, withMessages: false, roster: RosterStep(version: version))
        }
        try tx.enqueue(ChatMessage(sharedID: .random(), event: .group(event)), to: Recipients(of: group, tx.db))
    }
}
