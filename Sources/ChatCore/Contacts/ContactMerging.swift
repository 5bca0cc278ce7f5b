internal import ChatAPI
internal import ChatStore
internal import SQLCipher

/// Merges two contacts of the same person into one contact with both connections and both histories.
enum ContactMerging {
    private static let settingName = "contact_merge"

    /// Whether contacts of the same person are merged, and probes (messages that detect duplicate contacts) are
    /// answered; true until the user disables merging.
    static func isEnabled(_ db: StoreConnection) throws -> Bool {
        try db.queryFirst("SELECT value FROM settings WHERE name = ?", [settingName])?.string("value") != "off"
    }

    static func setEnabled(_ enabled: Bool, _ tx: Transaction) throws {
        try tx.db.insert(into: "settings", or: .replace, ["name": settingName, "value": enabled ? "on" : "off"])
    }

    /// Merges two contacts. The older contact remains, and gets the name with the lower number (`bob` before `bob_1`).
    /// Contacts whose names have the same number, or no number, are not merged.
    /// - Returns: the merged contact; nil if the contacts were not merged.
    static func mergeContacts(
        _ one: ContactRecord,
        _ other: ContactRecord,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws -> ContactRecord? {
        guard let first = LocalDisplayNames.suffixNumber(of: one.localDisplayName, one.profile.displayName),
            let second = LocalDisplayNames.suffixNumber(of: other.localDisplayName, other.profile.displayName),
            first != second
        else { return nil }
        let (kept, gone) = first < second ? (one, other) : (other, one)
        let (into, from) = one.createdAt <= other.createdAt ? (one, other) : (other, one)
        try moveRelatedRows(of: from, to: into, user, tx)
        try tx.db.execute(
            """
            UPDATE contacts SET chat_ts = max(chat_ts, :chat_ts), updated_at = :updated_at
            WHERE user_id = :user_id AND contact_id = :contact_id
            """,
            [
                "chat_ts": from.chatTs.nanoseconds, "updated_at": tx.now.nanoseconds, "user_id": user.userId,
                "contact_id": into.contactId,
            ]
        )
        try tx.db.execute(
            """
            UPDATE group_members SET contact_id = :contact_id, contact_profile_id = :contact_profile_id,
            local_display_name = :local_display_name
            WHERE user_id = :user_id AND contact_id IN (:contact_id, :from_contact_id)
            """,
            [
                "contact_id": into.contactId, "contact_profile_id": into.profileId,
                "local_display_name": kept.localDisplayName, "user_id": user.userId, "from_contact_id": from.contactId,
            ]
        )
        try tx.db.update(
            "group_members",
            set: ["invited_by": into.contactId],
            where: ["user_id": user.userId, "invited_by": from.contactId]
        )
        try tx.db.delete(from: "contacts", where: ["user_id": user.userId, "contact_id": from.contactId])
        try tx.db.execute("DELETE FROM contact_profiles WHERE contact_profile_id = ?", [from.profileId])
        try LocalDisplayNames.delete(gone.localDisplayName, user: user.userId, in: tx.db)
        try tx.db.update(
            "contacts",
            set: ["local_display_name": kept.localDisplayName],
            where: ["user_id": user.userId, "contact_id": into.contactId]
        )
        var merged = try ContactRecord.get(into.contactId, user: user, in: tx.db)
        try tx.emit(
            .contactsMerged(
                user: user.api,
                intoContact: kept.api(user),
                mergedContact: gone.api(user),
                updatedContact: merged.api(user)
            ),
            user: user.userId
        )
        try reportVerificationReset(kept, gone, &merged, user, tx)
        return merged
    }

    /// Moves connections, requests, calls, items, tags, reactions and events of a contact to another contact.
    private static func moveRelatedRows(
        of from: ContactRecord,
        to into: ContactRecord,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws {
        for table in ["connections", "contact_requests"] {
            try tx.db.update(
                table,
                set: ["contact_id": into.contactId],
                where: ["user_id": user.userId, "contact_id": from.contactId]
            )
        }
        // With `OR IGNORE`, the remaining contact keeps its own call if both contacts have a call.
        try tx.db.execute(
            """
            UPDATE OR IGNORE calls SET contact_id = :contact_id
            WHERE user_id = :user_id AND contact_id = :from_contact_id
            """,
            ["contact_id": into.contactId, "user_id": user.userId, "from_contact_id": from.contactId]
        )
        // A conflict of reactions cannot occur: a reaction refers to a message, and the two chats have different
        // messages.
        for (change, table) in [
            ("UPDATE", "chat_items"), ("UPDATE OR IGNORE", "chat_tags_chats"),
            ("UPDATE OR REPLACE", "chat_item_reactions"),
        ] {
            try tx.db.execute(
                """
                \(change) \(table) SET chat_id = :new_chat_id
                WHERE user_id = :user_id AND chat_type = :chat_type AND chat_id = :chat_id
                """,
                [
                    "new_chat_id": into.contactId, "user_id": from.userId, "chat_type": from.chatKey.kind.rawValue,
                    "chat_id": from.chatKey.chatId,
                ]
            )
        }
        try tx.db.update(
            "chat_items",
            set: ["forwarded_chat_id": into.contactId],
            where: [
                "user_id": from.userId, "forwarded_chat_type": from.chatKey.kind.rawValue,
                "forwarded_chat_id": from.chatKey.chatId,
            ]
        )
        try tx.moveJournalSubjects(of: from, to: into.chatKey, user: user.userId)
    }

    /// Reports that the verification of a contact was reset, by an item and events. Does nothing unless a contact had a
    /// verified security code that the connection of the merged contact lacks. The code of one connection proves
    /// nothing about another connection.
    private static func reportVerificationReset(
        _ one: ContactRecord,
        _ other: ContactRecord,
        _ merged: inout ContactRecord,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws {
        func readSecurityCode(_ contact: ContactRecord) throws -> String? {
            guard let connection = contact.connection else { return nil }
            return try tx.db.queryFirst(
                "SELECT security_code FROM connections WHERE connection_id = ?",
                [connection.connectionId]
            )?
            .stringOrNil("security_code")
        }
        let now = try readSecurityCode(merged)
        guard try [one, other].compactMap(readSecurityCode).contains(where: { $0 != now }) else { return }
        try tx.emit(
            .terminalEvent(.contactVerificationReset(user: user.api, contact: merged.api(user))),
            user: user.userId
        )
        let new = NewItem(
            isSent: false,
            content: .rcvConnEvent(rcvConnEvent: .verificationCodeReset),
            text: "security code changed",
            status: .rcvNew
        )
        let item = try ItemWriter.create(new, in: &merged, movesChat: true, tx)
        try tx.emit(
            .newChatItems(user: user.api, chatItems: [item.api(in: merged.api(user), at: tx.now)]),
            user: user.userId
        )
    }
}

extension RunningCommand {
    /// `/contact_merge`: enables or disables the merging of contacts.
    func setContactMerge(_ enabled: Bool) async throws -> ChatResponse {
        try await store.writeAndAnswer { tx in
            try ContactMerging.setEnabled(enabled, tx)
            return .cmdOk(user_: nil)
        }
    }
}
