internal import ChatAPI
internal import ChatStore
internal import JSON
internal import SQLCipher

/// Handles the profile updates that a contact sends.
extension ContactRecord {
    /// Stores a profile that the contact has sent, and emits the changes of the profile and of the preferences.
    /// - Parameter showsItems: whether chat items show the changes.
    mutating func receiveProfile(
        profile json: JSONValue,
        showsItems: Bool,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws {
        var profile = try JSONDecoder().decode(Profile.self, from: json)
        profile.replaceUnshowableValues()
        // The proofs of the badges are not compared: each message proves the same badge with a new proof.
        let isSame = profile.hasSameContent(of: self.profile)
        guard !isSame || tx.mayImproveBadgeStatus(profile, self.profile, badgeStatus) else { return }
        let check = try tx.checkProfileBadge(&profile, instead: self.profile, badgeStatus, in: profileId)
        guard !isSame || check?.status != badgeStatus else {
            // Nothing that the user sees has changed. The profile is stored nevertheless, because the pause until the
            // next check of the badge begins when the profile is stored.
            self.profile = profile
            try tx.storeProfile(profile, check, in: profileId)
            return
        }
        let before = self
        if profile.displayName != before.profile.displayName {
            try LocalDisplayNames.delete(before.localDisplayName, user: user.userId, in: tx.db)
            localDisplayName = try LocalDisplayNames.create(profile.displayName, user: user.userId, in: tx.db)
            try tx.db.update(
                "group_members",
                set: ["local_display_name": localDisplayName],
                where: ["user_id": user.userId, "contact_id": contactId]
            )
        }
        self.profile = profile
        badgeStatus = check?.status
        adoptMessageLifetime(user)
        try forgetOutdatedDomainCheck(tx)
        try tx.storeProfile(profile, check, in: profileId)
        try tx.db.update(
            "contacts",
            set: [
                "local_display_name": localDisplayName, "user_preferences": try StoredJSON.encode(userPreferences),
                "updated_at": tx.now.nanoseconds,
            ],
            where: ["user_id": user.userId, "contact_id": contactId]
        )
        updatedAt = tx.now
        if showsItems {
            if before.profile.isVisiblyDifferent(from: profile) {
                try emitProfileChangeItem(from: before.profile, user, tx)
            }
            try FeatureItems.emitChangeItems(from: before, user, to: &self, user, side: .contact, tx)
        }
        try tx.emit(
            .contactUpdated(user: user.api, fromContact: before.api(user), toContact: api(user)),
            user: user.userId
        )
    }

    private mutating func emitProfileChangeItem(from before: Profile, _ user: UserRecord, _ tx: Transaction) throws {
        let new = NewItem(
            isSent: false,
            content: .rcvDirectEvent(
                rcvDirectEvent: .profileUpdated(fromProfile: before, toProfile: profile)
            ),
            text: "updated profile",
            status: .rcvRead
        )
        let item = try ItemWriter.create(new, in: &self, movesChat: false, tx)
        try tx.emit(
            .newChatItems(user: user.api, chatItems: [item.api(in: api(user), at: tx.now)]),
            user: user.userId
        )
    }

    /// Sets the user's lifetime of disappearing messages to the lifetime that the contact has sent. Both sides use the
    /// lifetime that was changed last.
    private mutating func adoptMessageLifetime(_ user: UserRecord) {
        let received = profile.preferences?.preference(of: .timedMessages)?.lifetimeSeconds
        let own = userPreferences.preference(of: .timedMessages)
        guard own?.lifetimeSeconds != received else { return }
        let standard =
            user.profile.preferences?.preference(of: .timedMessages) ?? DirectFeature.timedMessages.defaultPreference
        if own != nil || received != standard.lifetimeSeconds {
            let allow = own?.allow ?? standard.allow
            userPreferences.timedMessages = TimedMessagesPreference(
                allow: allow,
                ttl: received.map { Int(clamping: $0) }
            )
        }
    }
}

extension Profile {
    /// Whether the profiles differ in a visible part. Preferences are not compared, since a change of preferences has
    /// separate chat items.
    func isVisiblyDifferent(from other: Profile) -> Bool {
        displayName != other.displayName || fullName != other.fullName || shortDescr != other.shortDescr
            || image != other.image
            || contactLink != other.contactLink
    }
}
