internal import ChatAPI
internal import ChatStore
internal import SQLCipher

extension Transaction {
    /// Whether the transaction may check the proof of one more badge.
    var canCheckBadge: Bool { badgeCheckCount < BadgeCheck.maxChecksPerTransaction }

    /// Checks the badge of a new profile, and returns the result; nil without a badge. If the transaction has already
    /// made `BadgeCheck.maxChecksPerTransaction` checks, a later transaction checks the badge.
    func checkBadge(_ badge: BadgeProof?) -> BadgeCheck? {
        guard let badge else { return nil }
        guard canCheckBadge, badge.canBeChecked(with: badgeKeys) else { return postponeCheck(of: badge, until: now) }
        badgeCheckCount += 1
        return wakeWorkerIfStatusChanges(BadgeCheck(badge, with: badgeKeys, at: now))
    }

    private func postponeCheck(of badge: BadgeProof, until time: Timestamp) -> BadgeCheck {
        badge.canBeChecked(with: badgeKeys) ? wakeWorkerIfStatusChanges(BadgeCheck(uncheckedUntil: time)) : .unchecked
    }

    /// Wakes the worker for badges if the status of the checked badge will change later.
    /// - Returns: `check`, unchanged.
    private func wakeWorkerIfStatusChanges(_ check: BadgeCheck) -> BadgeCheck {
        if check.statusChangesAt != nil { followUpWork.insert(.expiringItems) }
        return check
    }

    /// Checks the badge of a profile that replaces the profile `earlier`. If `earlier` has a valid badge with the same
    /// content, its proof is kept without a check. A proof that has failed is not checked again.
    ///
    /// After a check without success, another proof is checked only when `BadgeCheck.recheckPauseSeconds` have passed.
    /// So a peer cannot cause work with each message.
    /// - Returns: the result of the check. Without a new badge, the result is nil, or `unchecked` if the earlier badge
    ///   was not valid.
    func checkProfileBadge(
        _ profile: inout Profile,
        instead earlier: Profile,
        _ status: BadgeStatus?,
        in profileId: Int64
    ) throws
        -> BadgeCheck?
    {
        guard let new = profile.badge else {
            // If the earlier badge was not valid, the status becomes `unknownKey`, not nil. So a peer cannot end the
            // pause before the next check by removing the badge.
            return status.flatMap { $0.isValid ? nil : .unchecked }
        }
        if let old = earlier.badge, status?.isValid == true, old.badgeInfo == new.badgeInfo {
            profile.badge = old
            return BadgeCheck(valid: old.badgeInfo, at: now)
        }
        if status == .failed, new == earlier.badge { return .failed }
        if let time = try findNextCheckTime(after: status, in: profileId) { return postponeCheck(of: new, until: time) }
        return checkBadge(new)
    }

    /// Whether a check of the badge in a new profile, now or later, can have a better result than the check of the
    /// badge in the earlier profile. Both badges have the same content.
    func mayImproveBadgeStatus(_ profile: Profile, _ earlier: Profile, _ status: BadgeStatus?) -> Bool {
        profile.badge?.canBeChecked(with: badgeKeys) == true && profile.mayImproveBadgeStatus(status, of: earlier)
    }

    /// Returns the time of the next permitted check of a badge in this profile; nil if a check is permitted now.
    /// Further messages do not change the time of a postponed check, so a peer that sends often still gets its check.
    private func findNextCheckTime(after status: BadgeStatus?, in profileId: Int64) throws -> Timestamp? {
        guard let status, !status.isValid else { return nil }
        let row = try db.queryFirst(
            """
            SELECT updated_at, CAST(badge_changes_at AS INTEGER) AS changes_at FROM contact_profiles
            WHERE contact_profile_id = ?
            """,
            [profileId]
        )
        guard let row else { return nil }
        let changed = Timestamp(nanoseconds: try row.int64("updated_at"))
        let postponed = status == .unknownKey ? try row.int64OrNil("changes_at").map(Timestamp.init(nanoseconds:)) : nil
        let retry = changed.adding(seconds: BadgeCheck.recheckPauseSeconds)
        let time = postponed.map { min($0, retry) } ?? retry
        return time <= now ? nil : time
    }

    /// Stores a profile of a peer with the result of the check of its badge.
    func storeProfile(_ profile: Profile, _ check: BadgeCheck?, in profileId: Int64) throws {
        try db.update(
            "contact_profiles",
            set: [
                "display_name": profile.displayName, "profile": try StoredJSON.encode(profile),
                "updated_at": now.nanoseconds, "badge_status": check?.status.rawValue,
                "badge_changes_at": check?.statusChangesAt?.nanoseconds,
            ],
            where: ["contact_profile_id": profileId]
        )
    }
}
