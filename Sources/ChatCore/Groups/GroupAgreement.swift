internal import ChatAPI
internal import SQLCipher

/// Two members with rights who change the same thing of an ordinary group at the same moment, or block and unblock the same member of a channel. On the rest owners of channels
/// agree in another way (``OwnerAgreement``).
///
/// The protocol has no order between authors: everybody takes changes in the order in which they come, and the two see each other's change after their own. So each of them would end
/// with what the other one has said, and the rest with either. Of the two the one with the higher role decides, or of equal ones the one with the greater id: when it gets a change of
/// what it has changed itself not long ago, it restates what holds now, which is that change, with the ordinary message. That follows both changes for everybody: whatever came first,
/// all end with the same. The other one restates nothing, so that they never answer each other. For members of other programs it is a change like any other; where both authors use
/// such a program, or the one that decides does, nobody restates anything.
///
/// What is equal without it: a removal wins over everything, whenever it comes. What no message can mend:
/// - Two members who remove each other, or take each other's rights: whom each of the rest believes depends on who was heard first, and the other one is not believed any more.
/// - A change by somebody whose rights are being taken: it counts for those who hear of it before.
/// - Three or more authors at once, one of them over a slow connection: what comes from it after the last restatement stays there.
enum GroupAgreement {
    /// What somebody with rights may change.
    enum Subject: String { case role, restriction, profile }

    static let migration = Migration(
        name: "20261125_group_agreement",
        up: """
            -- When the user has last changed something of a group with the rights that it has there.
            CREATE TABLE own_group_changes (
              user_id INTEGER NOT NULL,
              group_id INTEGER NOT NULL,
              subject TEXT NOT NULL,
              -- whose, or 0
              group_member_id INTEGER NOT NULL,
              changed_at INTEGER NOT NULL,
              PRIMARY KEY (user_id, group_id, subject, group_member_id),
              FOREIGN KEY (user_id, group_id) REFERENCES groups ON DELETE CASCADE
            ) WITHOUT ROWID;
            """)

    /// How long after the user's change another member may not know it yet, in seconds.
    private static let window: Int64 = 24 * 3600

    /// The user changes something.
    static func note(_ subject: Subject, of member: MemberRecord? = nil, in group: GroupRecord, _ tx: Transaction) throws {
        guard applies(subject, to: group) else { return }
        let place: [Argument] = [group.userId, group.groupId]
        try tx.db.execute(
            "DELETE FROM own_group_changes WHERE user_id = ? AND group_id = ? AND changed_at < ?", place + [tx.now.adding(seconds: -window).nanoseconds])
        try tx.db.execute(
            "INSERT OR REPLACE INTO own_group_changes (user_id, group_id, subject, group_member_id, changed_at) VALUES (?, ?, ?, ?, ?)",
            place + [subject.rawValue, member?.memberId ?? 0, tx.now.nanoseconds])
    }

    /// Another member has given a member this role.
    static func restateRole(of member: MemberRecord, by author: MemberRecord, in group: GroupRecord, _ tx: Transaction) throws {
        guard try decides(.role, of: member, against: author, in: group, tx) else { return }
        let event = GroupEvent.memberRole(member.sharedID, member.role, roster: RosterStep())
        try tx.enqueue(ChatMessage(sharedID: .random(), event: .group(event)), to: Recipients(of: group, tx.db))
    }

    /// Another member has blocked a member for all, or ended that.
    static func restateRestriction(of member: MemberRecord, by author: MemberRecord, in group: GroupRecord, _ tx: Transaction) throws {
        guard try decides(.restriction, of: member, against: author, in: group, tx) else { return }
        let event = GroupEvent.memberRestrict(member.sharedID, isBlocked: member.isBlockedByAdmin)
        try tx.enqueue(ChatMessage(sharedID: .random(), event: .group(event)), to: recipients(of: member, in: group, tx.db))
    }

    /// Who hears of a member's restriction: it is no business of the member's own. In channels the relays pass it on.
    private static func recipients(of member: MemberRecord, in group: GroupRecord, _ db: StoreConnection) throws -> Recipients {
        guard !group.isChannel else { return try Recipients(of: group, db) }
        return try Recipients(members: MemberRecord.others(in: group, db).filter { $0.status.isCurrent && $0.memberId != member.memberId })
    }

    /// Another owner has changed the profile.
    static func restateProfile(by author: MemberRecord, in group: GroupRecord, _ tx: Transaction) throws {
        guard try decides(.profile, of: nil, against: author, in: group, tx) else { return }
        try group.sendProfile(.random(), tx)
    }

    /// In a conversation with a business each side has a profile of its own.
    private static func applies(_ subject: Subject, to group: GroupRecord) -> Bool {
        !group.isServed && group.business == nil && (!group.isChannel || subject == .restriction)
    }

    private static func decides(
        _ subject: Subject, of member: MemberRecord?, against author: MemberRecord, in group: GroupRecord, _ tx: Transaction
    ) throws -> Bool {
        let own = group.membership
        guard applies(subject, to: group), own.status.isActive, own.role > author.role || own.role == author.role && author.sharedID.bytes.lexicographicallyPrecedes(own.sharedID.bytes)
        else { return false }
        let key: [Argument] = [group.userId, group.groupId, subject.rawValue, member?.memberId ?? 0]
        let changed = try tx.db.first(
            "SELECT changed_at FROM own_group_changes WHERE user_id = ? AND group_id = ? AND subject = ? AND group_member_id = ?", key)?.int64("changed_at")
        return changed.map { $0 > tx.now.adding(seconds: -window).nanoseconds } ?? false
    }
}
