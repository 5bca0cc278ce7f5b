internal import ChatAPI
internal import ChatStore
internal import SQLCipher

extension ContactRecord {
    /// Moves a contact without a connection, and its chat, to another user. Each user has a separate count of contact
    /// ids, so the contact gets a new id.
    func move(to newUser: UserRecord, from user: UserRecord, _ tx: Transaction) throws -> ContactRecord {
        guard newUser.userId != user.userId else { return self }
        let newId = try Self.reserveId(newUser, tx)
        let name = try LocalDisplayNames.create(profile.displayName, user: newUser.userId, in: tx.db)
        try tx.db.execute(
            """
            INSERT INTO contacts (user_id, contact_id, contact_profile_id, local_display_name, contact_used, contact_status, enable_ntfs, send_rcpts,
              favorite, unread_chat, user_preferences, custom_data, ui_themes, chat_item_ttl, chat_deleted, created_at, updated_at, chat_ts,
              conn_full_link_to_connect, conn_short_link_to_connect, welcome_shared_msg_id, request_shared_msg_id,
              checked_domain, domain_verified)
            SELECT ?, ?, contact_profile_id, ?, contact_used, contact_status, enable_ntfs, send_rcpts, favorite, unread_chat, ?,
              custom_data, ui_themes, chat_item_ttl, chat_deleted, created_at, ?, chat_ts, conn_full_link_to_connect, conn_short_link_to_connect,
              welcome_shared_msg_id, request_shared_msg_id, checked_domain, domain_verified
            FROM contacts WHERE user_id = ? AND contact_id = ?
            """,
            [
                newUser.userId, newId, name, try StoredJSON.encode(Preferences(toward: profile, of: newUser)),
                tx.now.nanoseconds, userId, contactId,
            ]
        )
        try ChatWallpapers.copyPictures(
            namedBy: uiThemes,
            from: userId,
            to: newUser.userId,
            at: tx.now,
            in: tx.db
        )
        for table in ["chat_items", "chat_item_reactions"] {
            try tx.db.execute(
                "UPDATE \(table) SET user_id = ?, chat_id = ? WHERE user_id = ? AND chat_type = ? AND chat_id = ?",
                [newUser.userId, newId] + keyArguments
            )
        }
        try tx.db.execute(
            "UPDATE contact_profiles SET user_id = ?, updated_at = ? WHERE contact_profile_id = ?",
            [newUser.userId, tx.now.nanoseconds, profileId]
        )
        try tx.moveSubjects(of: self, to: .contact(newId), user: newUser.userId)
        try tx.db.execute("DELETE FROM contacts WHERE user_id = ? AND contact_id = ?", [userId, contactId])
        try LocalDisplayNames.delete(localDisplayName, user: userId, in: tx.db)
        return try Self.get(newId, user: newUser, in: tx.db)
    }
}
