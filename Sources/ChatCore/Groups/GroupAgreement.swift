internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import SQLCipher

/// Makes all members of a group end with the same state after two members have changed the same thing at the same time.
/// This agreement covers ordinary groups, and the blocking and unblocking of members in channels. ``OwnerAgreement``
/// covers the other changes of channels.
///
/// The protocol defines no order between authors. Every member applies changes in the order of their arrival, and each
/// of the two authors makes its own change before it receives the other change. Without an agreement, each author would
/// end with the change of the other author, and every other member with one of the two changes. The author with the
/// higher role decides. If the roles are equal, the author with the greater id decides. The deciding author may receive
/// the other author's change within ``conflictWindowSeconds`` after its own change. Then the deciding author sends the
/// current state, which is the received change, again in an ordinary message. This restatement arrives after both
/// changes at every member, so all members end with the same state. The other author sends no restatement, so the two
/// authors never answer each other. Other programs treat the restatement as an ordinary change. If the deciding author
/// uses another program, nobody sends a restatement.
///
/// A removal needs no restatement, since a removal always wins over any other change. No message can repair these
/// cases:
/// - Two members remove each other, or lower each other's roles. Each other member applies the message that arrives
///   first, and rejects the message of the other author.
/// - A member changes something while it loses its rights. The change counts for members who receive the change before
///   the loss.
/// - Three or more authors make a change at the same time, and one of them has a slow connection. A change that arrives
///   after the last restatement stays in force at the members where it arrived.
enum GroupAgreement {
    /// A kind of change for which the authors need agreement.
    enum Subject: String { case role, restriction, profile }

    /// Number of seconds for which other members may not know a change by the user.
    private static let conflictWindowSeconds: Int64 = 24 * 3600

    /// Records the time of a change by the user, to recognize a conflict with a change by another member that arrives
    /// later.
    static func recordChange(
        _ subject: Subject,
        of member: MemberRecord? = nil,
        in group: GroupRecord,
        _ tx: Transaction
    ) throws {
        guard applies(subject, to: group) else { return }
        try tx.db.execute(
            """
            DELETE FROM own_group_changes WHERE user_id = :user_id AND group_id = :group_id AND changed_at < :changed_at
            """,
            [
                "user_id": group.userId, "group_id": group.groupId,
                "changed_at": tx.now.adding(seconds: -conflictWindowSeconds).nanoseconds,
            ]
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

    /// Sends the role of a member again after another author has set it, if the rules of ``GroupAgreement`` require a
    /// restatement.
    static func resendRole(
        of member: MemberRecord,
        by author: MemberRecord,
        in group: GroupRecord,
        _ tx: Transaction
    ) throws {
        guard try mustResend(.role, of: member, against: author, in: group, tx) else { return }
        let event = GroupEvent.memberRole(member.sharedID, member.role, roster: RosterChange())
        try tx.enqueue(ChatMessage(sharedID: .random(), event: .group(event)), to: Recipients(of: group, tx.db))
    }

    /// Sends again whether a member is blocked, after another author has blocked or unblocked this member, if the rules
    /// of ``GroupAgreement`` require a restatement.
    static func resendRestriction(
        of member: MemberRecord,
        by author: MemberRecord,
        in group: GroupRecord,
        _ tx: Transaction
    ) throws {
        guard try mustResend(.restriction, of: member, against: author, in: group, tx) else { return }
        let event = GroupEvent.memberRestrict(member.sharedID, isBlocked: member.isBlockedByAdmin)
        try tx.enqueue(
            ChatMessage(sharedID: .random(), event: .group(event)),
            to: findRestrictionRecipients(of: member, in: group, tx.db)
        )
    }

    /// Returns the recipients of the message that says that a member is blocked or unblocked. In an ordinary group,
    /// these are all current members except the blocked or unblocked member. In a channel, these are the relays, which
    /// forward the message.
    private static func findRestrictionRecipients(
        of member: MemberRecord,
        in group: GroupRecord,
        _ db: StoreConnection
    ) throws -> Recipients {
        guard !group.isChannel else { return try Recipients(of: group, db) }
        return try Recipients(
            members: MemberRecord.findOthers(in: group, db).filter {
                $0.status.isCurrent && $0.memberId != member.memberId
            },
            db
        )
    }

    /// Sends the profile of the group again after another owner has changed it, if the rules of ``GroupAgreement``
    /// require a restatement.
    static func resendProfile(by author: MemberRecord, in group: GroupRecord, _ tx: Transaction) throws {
        guard try mustResend(.profile, of: nil, against: author, in: group, tx) else { return }
        try group.sendProfile(.random(), tx)
    }

    /// Whether the agreement covers this kind of change in the group. Business conversations are excluded, since the
    /// two sides show different profiles.
    private static func applies(_ subject: Subject, to group: GroupRecord) -> Bool {
        !group.isServed && group.businessInfo == nil && (!group.isChannel || subject == .restriction)
    }

    private static func mustResend(
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
        let changed = try tx.db.firstRow(
            """
            SELECT changed_at FROM own_group_changes
            WHERE user_id = :user_id AND group_id = :group_id AND subject = :subject
            AND group_member_id = :group_member_id
            """,
            [
                "user_id": group.userId, "group_id": group.groupId, "subject": subject.rawValue,
                "group_member_id": member?.memberId ?? 0,
            ]
        )?.int64("changed_at")
        return changed.map { $0 > tx.now.adding(seconds: -conflictWindowSeconds).nanoseconds } ?? false
    }
}
