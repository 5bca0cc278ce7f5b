internal import ChatProtocol
internal import ChatStore
internal import SQLCipher

/// Ids of members who have been removed from a channel.
///
/// An owner who does not know about a removal may still give a role to the removed member, in a message or in a roster.
/// The stored ids prevent a return of the member, even if the row of the member is already deleted. A person who joins
/// again after a removal is a new member with another id.
enum RemovedMembers {
    /// The number of removed members whose ids are kept for a channel. Older ids are deleted from time to time.
    private static let maxStoredIds: Int64 = 1_000

    static func add(_ member: MemberRecord, _ tx: Transaction) throws {
        try tx.db.execute(
            """
            INSERT OR IGNORE INTO removed_members (user_id, group_id, member_id)
            SELECT user_id, group_id, :member_id FROM groups
            WHERE user_id = :user_id AND group_id = :group_id AND public_group_id IS NOT NULL
            """,
            ["user_id": member.userId, "group_id": member.groupId, "member_id": member.sharedID.bytes]
        )
        guard tx.db.changeCount > 0, tx.db.lastInsertRowID % 64 == 0 else { return }
        try tx.db.execute(
            """
            DELETE FROM removed_members WHERE user_id = :user_id AND group_id = :group_id AND removed_id <= (
              SELECT removed_id FROM removed_members
              WHERE user_id = :user_id AND group_id = :group_id ORDER BY removed_id DESC LIMIT 1 OFFSET :offset)
            """,
            ["user_id": member.userId, "group_id": member.groupId, "offset": maxStoredIds]
        )
    }

    static func contains(_ id: MemberID, in group: GroupRecord, _ db: StoreConnection) throws -> Bool {
        try db.firstRow(
            """
            SELECT 1 FROM removed_members WHERE user_id = :user_id AND group_id = :group_id AND member_id = :member_id
            """,
            ["user_id": group.userId, "group_id": group.groupId, "member_id": id.bytes]
        ) != nil
    }
}
