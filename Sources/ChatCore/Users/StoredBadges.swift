internal import ChatAPI
internal import ChatStore
internal import SQLCipher

extension Transaction {
    /// Whether the transaction may check another proof.
    private var canCheckBadge: Bool { badgeChecks < BadgeCheck.limit }

    /// Checks the badge of a new profile; nil without a badge. The badge stays unchecked after `BadgeCheck.limit` checks
    /// in the transaction. A badge that expires wakes the worker that marks it.
    func checkBadge(_ badge: BadgeProof?) -> BadgeCheck? {
        guard let badge else { return nil }
        guard canCheckBadge, badge.canBeChecked(with: badgeKeys) else { return .unchecked }
        badgeChecks += 1
        let check = BadgeCheck(badge, with: badgeKeys, at: now)
        if check.changesAt != nil { followUp.insert(.expiringItems) }
        return check
    }

    /// Checks the badge of a profile that replaces another profile. A valid badge with the same content keeps its proof,
    /// and a failed proof is not checked again. Another proof after a badge that is not valid stays unchecked until
    /// `BadgeCheck.retryTime` is over. So a peer cannot cause work with each message.
    func check(
        _ profile: inout Profile,
        instead earlier: Profile,
        _ status: BadgeStatus?,
        in profileId: Int64
    ) throws
        -> BadgeCheck?
    {
        guard let new = profile.badge else {
            // A status that is not valid stays as `unknownKey`, so that a peer cannot end the time by removing the badge.
            return status.flatMap { $0.isValid ? nil : .unchecked }
        }
        if let old = earlier.badge, status?.isValid == true, old.badgeInfo == new.badgeInfo {
            profile.badge = old
            return BadgeCheck(valid: old.badgeInfo, at: now)
        }
        if status == .failed, new == earlier.badge { return .failed }
        guard try mayCheck(after: status, in: profileId) else { return .unchecked }
        return checkBadge(new)
    }

    /// Whether a check of the badge can have a better result than the earlier check of the badge with the same content,
    /// and the transaction may make this check now.
    func mayHeal(_ profile: Profile, _ earlier: Profile, _ status: BadgeStatus?, in profileId: Int64) throws -> Bool {
        guard canCheckBadge, profile.badge?.canBeChecked(with: badgeKeys) == true,
            profile.mayImprove(status, of: earlier)
        else { return false }
        return try mayCheck(after: status, in: profileId)
    }

    /// Whether `BadgeCheck.retryTime` is over, or the earlier badge does not limit checks.
    private func mayCheck(after status: BadgeStatus?, in profileId: Int64) throws -> Bool {
        guard let status, !status.isValid else { return true }
        let row = try db.first("SELECT updated_at FROM contact_profiles WHERE contact_profile_id = ?", [profileId])
        guard let changed = try row?.int64("updated_at") else { return true }
        return Timestamp(nanoseconds: changed).adding(seconds: BadgeCheck.retryTime) <= now
    }

    /// Stores a profile of a peer with the result of the check of its badge.
    func storeProfile(_ profile: Profile, _ check: BadgeCheck?, in profileId: Int64) throws {
        try db.execute(
            """
            UPDATE contact_profiles SET display_name = ?, profile = ?, updated_at = ?, badge_status = ?, badge_changes_at = ?
            WHERE contact_profile_id = ?
            """,
            [
                profile.displayName, try StoredJSON.encode(profile), now.nanoseconds, check?.status.rawValue,
                check?.changesAt?.nanoseconds, profileId,
            ]
        )
    }
}

/// Badges whose status changes because they expire.
enum ExpiringBadges {
    /// The maximum number of badges that one transaction marks.
    static let batchSize: Int64 = 100

    /// Returns the time until the next badge expires; nil if none does.
    static func timeUntilNext(_ now: Timestamp, _ db: StoreConnection) throws -> Duration? {
        let query = """
            SELECT CAST(min(badge_changes_at) AS INTEGER) AS next FROM contact_profiles WHERE badge_changes_at IS NOT NULL
            """
        return try db.first(query)?.int64OrNil("next").map {
            max(.zero, Timestamp(nanoseconds: $0).duration(since: now))
        }
    }

    /// Marks badges that have expired. A profile of a restored archive can have a time without a status, or with the
    /// status of a badge that does not expire: only the time is removed.
    /// - Returns: whether there may be more such badges.
    static func markDue(_ tx: Transaction) throws -> Bool {
        // A badge has expired just after its end.
        let rows = try tx.db.query(
            """
            SELECT contact_profile_id, CAST(badge_status AS TEXT) AS status, CAST(badge_changes_at AS INTEGER) AS changes_at
            FROM contact_profiles WHERE badge_changes_at < ? ORDER BY badge_changes_at LIMIT ?
            """,
            [tx.now.nanoseconds, batchSize]
        )
        for row in rows {
            let status = try row.stringOrNil("status").map(BadgeStatus.init(rawValue:))
            let gone = Timestamp(nanoseconds: try row.int64("changes_at")).adding(seconds: BadgeCheck.expiredSeconds)
            let (next, changesAt): (BadgeStatus?, Timestamp?) =
                switch status {
                case .active? where tx.now <= gone: (.expired, gone)
                case .active?, .expired?: (.expiredOld, nil)
                default: (status, nil)
                }
            try tx.db.execute(
                "UPDATE contact_profiles SET badge_status = ?, badge_changes_at = ? WHERE contact_profile_id = ?",
                [next?.rawValue, changesAt?.nanoseconds, try row.int64("contact_profile_id")]
            )
        }
        return Int64(rows.count) == batchSize
    }
}
