internal import ChatAPI
internal import ChatProtocol
internal import SQLCipher

/// Agreement after two members change the same thing of an ordinary group at the same moment, or block and unblock the
/// same member of a channel. For other changes of a channel, its owners agree by ``OwnerAgreement``.
///
/// The protocol has no order between authors. Every member applies changes in the order of their arrival, and each of
/// the two authors gets the other change after its own. So each author would end with the change of the other one, and
/// the rest of the group with either. The author with the higher role decides; with equal roles, the author with the
/// greater id. When the deciding author gets a change of a thing that it has changed itself within ``window``,
/// it sends the current state, which is the received change, once more with an ordinary message. This restatement comes
/// after both changes at every member, so all members end with the same state. The other author restates nothing, so
/// the two never answer each other. Other programs see the restatement as an ordinary change. If both authors, or the
/// deciding one, use another program, nobody restates anything.
///
/// Removals need no restatement: a removal wins over every other change, whenever it comes. No message can repair these
/// cases:
/// - Two members remove each other, or take each other's rights: each of the rest believes the one whose message came
///   first, and rejects the message of the other one.
/// - A member changes something while it loses its rights: the change counts for members who get it before the loss.
/// - Three or more authors act at once, one of them over a slow connection: a change that arrives after the last
///   restatement stays in force where it arrived.
enum GroupAgreement {
    /// Kind of change that needs agreement.
    enum Subject: String { case role, restriction, profile }

    /// Time in which other members may not know a change of the user yet, in seconds.
    private static let window: Int64 = 24 * 3600

    /// Records a change that the user makes.
    static func note(
        _ subject: Subject,
        of member: MemberRecord? = nil,
        in group: GroupRecord,
        _ tx: Transaction
    ) throws {
        guard applies(subject, to: group) else { return }
        try tx.db.execute(
            "DELETE FROM own_group_changes WHERE user_id = ? AND group_id = ? AND changed_at < ?",
            [group.userId, group.groupId, tx.now.adding(seconds: -window).nanoseconds]
        )
        try tx.db.insert(
            into: "own_group_changes",
            or: .replace,
            [
                "user_id": group.userId, "group_id": group.groupId, "subject": subject.rawValue,
                "group_member_id": member?.memberId ?? 0, "changed_at": tx.now.nanoseconds,
            ]
        )
    }

    /// Sends the role of a member again after another author has set it, if the user is the one who decides.
    static func restateRole(
        of member: MemberRecord,
        by author: MemberRecord,
        in group: GroupRecord,
        _ tx: Transaction
    ) throws {
        guard try decides(.role, of: member, against: author, in: group, tx) else { return }
        let event = GroupEvent.memberRole(member.sharedID, member.role, roster: RosterChange())
        try tx.enqueue(ChatMessage(sharedID: .random(), event: .group(event)), to: Recipients(of: group, tx.db))
    }

    /// Sends the restriction of a member again after another author has changed it, if the user is the one who decides.
    static func restateRestriction(
        of member: MemberRecord,
        by author: MemberRecord,
        in group: GroupRecord,
        _ tx: Transaction
    ) throws {
        guard try decides(.restriction, of: member, against: author, in: group, tx) else { return }
        let event = GroupEvent.memberRestrict(member.sharedID, isBlocked: member.isBlockedByAdmin)
        try tx.enqueue(
            ChatMessage(sharedID: .random(), event: .group(event)),
            to: recipients(of: member, in: group, tx.db)
        )
    }

    /// Recipients of a member's restriction: all current members except the restricted one; in a channel its relays,
    /// which pass the message on.
    private static func recipients(
        of member: MemberRecord,
        in group: GroupRecord,
        _ db: StoreConnection
    ) throws -> Recipients {
        guard !group.isChannel else { return try Recipients(of: group, db) }
        return try Recipients(
            members: MemberRecord.others(in: group, db).filter { $0.status.isCurrent && $0.memberId != member.memberId }
        )
    }

    /// Sends the profile of the group again after another owner has changed it, if the user is the one who decides.
    static func restateProfile(by author: MemberRecord, in group: GroupRecord, _ tx: Transaction) throws {
        guard try decides(.profile, of: nil, against: author, in: group, tx) else { return }
        try group.sendProfile(.random(), tx)
    }

    /// Whether the agreement covers this kind of change in the group. Business conversations are excluded, since each
    /// side has another profile of the group.
    private static func applies(_ subject: Subject, to group: GroupRecord) -> Bool {
        !group.isServed && group.business == nil && (!group.isChannel || subject == .restriction)
    }

    private static func decides(
        _ subject: Subject,
        of member: MemberRecord?,
        against author: MemberRecord,
        in group: GroupRecord,
        _ tx: Transaction
    ) throws -> Bool {
        let own = group.membership
        guard applies(subject, to: group), own.status.isActive,
            own.role > author.role
                || own.role == author.role && author.sharedID.bytes.lexicographicallyPrecedes(own.sharedID.bytes)
        else { return false }
        let key: [Argument] = [group.userId, group.groupId, subject.rawValue, member?.memberId ?? 0]
        let changed = try tx.db.first(
            "SELECT changed_at FROM own_group_changes WHERE user_id = ? AND group_id = ? AND subject = ? AND group_member_id = ?",
            key
        )?.int64("changed_at")
        return changed.map { $0 > tx.now.adding(seconds: -window).nanoseconds } ?? false
    }
}
