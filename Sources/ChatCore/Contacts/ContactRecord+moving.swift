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
            INSERT INTO contacts (user_id, contact_id, contact_profile_id, local_display_name, contact_used,
            contact_status, enable_ntfs, send_rcpts,
              favorite, unread_chat, user_preferences, custom_data, ui_themes, chat_item_ttl, chat_deleted, created_at,
              updated_at, chat_ts,
              conn_full_link_to_connect, conn_short_link_to_connect, welcome_shared_msg_id, request_shared_msg_id,
              checked_domain, domain_verified)
            SELECT :new_user_id, :new_contact_id, contact_profile_id, :local_display_name, contact_used, contact_status,
            enable_ntfs, send_rcpts, favorite, unread_chat, :user_preferences,
              custom_data, ui_themes, chat_item_ttl, chat_deleted, created_at, :updated_at, chat_ts,
              conn_full_link_to_connect, conn_short_link_to_connect,
              welcome_shared_msg_id, request_shared_msg_id, checked_domain, domain_verified
            FROM contacts WHERE user_id = :user_id AND contact_id = :contact_id
            """,
            [
                "new_user_id": newUser.userId, "new_contact_id": newId, "local_display_name": name,
                "user_preferences": try StoredJSON.encode(Preferences(toward: profile, of: newUser)),
                "updated_at": tx.now.nanoseconds, "user_id": userId, "contact_id": contactId,
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
            try tx.db.update(
                table,
                set: ["user_id": newUser.userId, "chat_id": newId],
                where: ["user_id": userId, "chat_type": chatKey.kind.rawValue, "chat_id": chatKey.chatId]
            )
        }
        try tx.db.update(
            "contact_profiles",
            set: ["user_id": newUser.userId, "updated_at": tx.now.nanoseconds],
            where: ["contact_profile_id": profileId]
        )
        try tx.moveJournalSubjects(of: self, to: .contact(newId), user: newUser.userId)
        try tx.db.delete(from: "contacts", where: ["user_id": userId, "contact_id": contactId])
        try LocalDisplayNames.delete(localDisplayName, user: userId, in: tx.db)
        return try Self.get(newId, user: newUser, in: tx.db)
    }
}
