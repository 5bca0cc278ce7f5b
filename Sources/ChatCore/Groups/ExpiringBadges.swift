internal import ChatAPI
internal import ChatStore
internal import SQLCipher

/// Badges whose status changes because they expire, or because their proof is checked late.
enum ExpiringBadges {
    /// The maximum number of badges that one transaction updates.
    static let maxBadgesPerTransaction: Int64 = 100

    /// Returns the time until the next badge expires or is checked; nil if no badge will expire or be checked.
    static func findTimeUntilNextChange(_ now: Timestamp, _ db: StoreConnection) throws -> Duration? {
        let query = """
            SELECT CAST(min(badge_changes_at) AS INTEGER) AS next FROM contact_profiles WHERE badge_changes_at IS NOT NULL
            """
        return try db.firstRow(query)?.int64OrNil("next").map {
            max(.zero, Timestamp(nanoseconds: $0).duration(since: now))
        }
    }

    /// Marks badges that have expired, and checks proofs that are due. A profile from a restored archive can have a due
    /// time although its badge has no status, or a status that never changes. For this profile, only the due time is
    /// removed.
    /// - Returns: whether more badges may be due.
    static func markDueBadges(_ tx: Transaction) throws -> Bool {
        // The comparison is strict, because a badge is still valid at the moment of its end.
        let rows = try tx.db.query(
            """
            SELECT contact_profile_id, CAST(badge_status AS TEXT) AS status,
            CAST(badge_changes_at AS INTEGER) AS changes_at,
            profile FROM contact_profiles
            WHERE badge_changes_at < :badge_changes_at ORDER BY badge_changes_at LIMIT :limit
            """,
            ["badge_changes_at": tx.now.nanoseconds, "limit": maxBadgesPerTransaction]
        )
        for row in rows {
            let status = try row.stringOrNil("status").map(BadgeStatus.init(rawValue:))
            let gone = Timestamp(nanoseconds: try row.int64("changes_at")).adding(
                seconds: BadgeCheck.expiredBadgeShownSeconds
            )
            let (next, changesAt): (BadgeStatus?, Timestamp?)
            var checkedAt: Timestamp?
            switch status {
            case .active? where tx.now <= gone: (next, changesAt) = (.expired, gone)
            case .active?, .expired?: (next, changesAt) = (.expiredOld, nil)
            case .unknownKey?:
                guard tx.canCheckBadge else { continue }
                let profile = try? StoredJSON.decode(Profile.self, row.string("profile"))
                let check = tx.checkBadge(profile?.badge)
                (next, changesAt) = (check?.status ?? status, check?.statusChangesAt)
                // The time of this check is stored, because a pause must follow an unsuccessful check.
                checkedAt = tx.now
            default: (next, changesAt) = (status, nil)
            }
            let profileId = try row.int64("contact_profile_id")
            // Clients calculate the end of a badge themselves, but cannot know the result of a late check. So events
            // are emitted only if a late check has changed the status.
            let owners = checkedAt == nil || next == status ? nil : try ProfileOwners(of: profileId, tx.db)
            try tx.db.execute(
                """
                UPDATE contact_profiles
                SET badge_status = :badge_status, badge_changes_at = :badge_changes_at,
                updated_at = coalesce(:updated_at, updated_at)
                WHERE contact_profile_id = :contact_profile_id
                """,
                [
                    "badge_status": next?.rawValue, "badge_changes_at": changesAt?.nanoseconds,
                    "updated_at": checkedAt?.nanoseconds, "contact_profile_id": profileId,
                ]
            )
            try owners?.emitUpdates(tx)
        }
        return Int64(rows.count) == maxBadgesPerTransaction || !tx.canCheckBadge
    }
}

/// The owners of a stored profile, read before a change of the profile: the contact with the profile, or the group
/// members with the profile.
private struct ProfileOwners {
    private var contacts: [(before: ContactRecord, user: UserRecord)] = []
    private var members: [(before: MemberRecord, group: GroupRecord, user: UserRecord)] = []

    init(of profileId: Int64, _ db: StoreConnection) throws {
        for row in try db.query("SELECT user_id, contact_id FROM contacts WHERE contact_profile_id = ?", [profileId]) {
            guard let user = try UserRecord.find(row.int64("user_id"), in: db),
                let contact = try ContactRecord.find(row.int64("contact_id"), user: user.userId, in: db)
            else { continue }
            contacts.append((contact, user))
        }
        // The update of a contact also covers the members of groups with the same profile, and there may be many of
        // them. So members are read only if no contact has the profile.
        guard contacts.isEmpty else { return }
        for row in try db.query(
            "SELECT user_id, group_id, group_member_id FROM group_members WHERE contact_profile_id = ?",
            [profileId]
        ) {
            guard let user = try UserRecord.find(row.int64("user_id"), in: db),
                let group = try GroupRecord.find(row.int64("group_id"), user: user.userId, in: db),
                let member = try MemberRecord.find(row.int64("group_member_id"), user: user.userId, in: db)
            else { continue }
            members.append((member, group, user))
        }
    }

    /// Emits the events about a change of the profile. Call this function after the changed profile is stored.
    func emitUpdates(_ tx: Transaction) throws {
        for (before, user) in contacts {
            let contact = try ContactRecord.get(before.contactId, user: user, in: tx.db)
            try tx.emit(
                .contactUpdated(user: user.api, fromContact: before.api(user), toContact: contact.api(user)),
                user: user.userId
            )
        }
        for (before, group, user) in members {
            try MemberRecord.get(before.memberId, in: group, tx.db).emitUpdate(from: before, in: group, user, tx)
        }
    }
}
