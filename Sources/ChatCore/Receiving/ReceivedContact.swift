internal import ChatAPI
internal import JSON
internal import SQLCipher

/// What the contact says of itself.
extension MessageReceiver {
    func updateProfile(_ json: JSONValue, _ contact: inout ContactRecord) throws {
        var profile = try JSONDecoder().decode(Profile.self, from: json)
        profile.displayName = DisplayName.ofPeer(profile.displayName)
        guard profile != contact.profile else { return }
        let before = contact
        if profile.displayName != before.profile.displayName {
            try LocalDisplayNames.delete(before.localDisplayName, user: user.userId, in: tx.db)
            contact.localDisplayName = try LocalDisplayNames.create(profile.displayName, user: user.userId, in: tx.db)
        }
        contact.profile = profile
        try followTTL(&contact)
        try tx.db.execute(
            "UPDATE contact_profiles SET display_name = ?, profile = ?, updated_at = ? WHERE contact_profile_id = ?",
            [profile.displayName, try StoredJSON.encode(profile), tx.now.nanoseconds, contact.profileId])
        try tx.db.execute(
            """
            UPDATE contacts SET local_display_name = ?, user_preferences = ?, updated_at = ? WHERE user_id = ? AND contact_id = ?
            """,
            [
                contact.localDisplayName, try StoredJSON.encode(contact.userPreferences), tx.now.nanoseconds, user.userId,
                contact.contactId,
            ])
        contact.updatedAt = tx.now
        if before.profile.isVisiblyDifferent(from: profile) {
            let new = NewItem(
                isSent: false,
                content: .rcvDirectEvent(rcvDirectEvent: .profileUpdated(fromProfile: before.profile, toProfile: profile)),
                text: "updated profile", status: .rcvRead)
            try tell(ItemWriter.create(new, in: &contact, movesChat: false, tx), contact)
        }
        try FeatureItems.changed(from: before, user, to: &contact, user, side: .contact, tx)
        try tx.emit(
            .contactUpdated(user: user.api, fromContact: before.api(user), toContact: contact.api(user)), user: user.userId)
    }

    /// The time of disappearing messages is one for both sides: that of who changed it last.
    private func followTTL(_ contact: inout ContactRecord) throws {
        let received = contact.profile.preferences?.preference(of: .timedMessages)?.ttl
        let own = contact.userPreferences.preference(of: .timedMessages)
        guard own?.ttl != received else { return }
        let standard = user.profile.preferences?.preference(of: .timedMessages) ?? DirectFeature.timedMessages.standard
        if own != nil || received != standard.ttl {
            let allow = own?.allow ?? standard.allow
            contact.userPreferences.timedMessages = TimedMessagesPreference(allow: allow, ttl: received.map { Int(clamping: $0) })
        }
    }

    func deletedByContact(_ sharedID: SharedMessageID?, _ messageId: Int64, _ contact: inout ContactRecord) throws {
        try contact.setStatus(.deleted, tx)
        if var connection = contact.connection {
            // The row stays, to show that there was a connection; the agent's side of it goes.
            try connection.setStatus(.deleted, at: tx.now, in: tx.db)
            connection.status = .deleted
            contact.connection = connection
            try tx.deleteInAgent(connection, farewell: false)
        }
        var new = NewItem(
            isSent: false, content: .rcvDirectEvent(rcvDirectEvent: .contactDeleted), text: "contact deleted", status: .rcvRead)
        new.itemTs = brokerTs
        new.sharedID = sharedID
        new.messageId = messageId
        try tell(ItemWriter.create(new, in: &contact, movesChat: false, tx), contact)
        try tx.emit(.contactDeletedByContact(user: user.api, contact: contact.api(user)), user: user.userId)
    }
}

extension Profile {
    /// Whether people would see the difference: preferences alone are told by the items of the features.
    func isVisiblyDifferent(from other: Profile) -> Bool {
        displayName != other.displayName || fullName != other.fullName || shortDescr != other.shortDescr || image != other.image
            || contactLink != other.contactLink
    }
}
