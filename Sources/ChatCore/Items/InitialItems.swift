internal import ChatAPI
internal import ChatStore
internal import SQLCipher

/// The items at the start of every chat. The items are written when a connection, a received request, or the link of a
/// prepared contact creates the chat.
enum InitialItems {
    /// Writes all initial items of a chat. No events are emitted, since clients do not know the chat yet.
    /// - Parameter postQuantum: whether the conversation has post-quantum encryption; nil while the encryption is
    ///   unknown.
    static func write(_ contact: inout ContactRecord, postQuantum: Bool?, _ user: UserRecord, _ tx: Transaction) throws
    {
        _ = try ItemWriter.create(.banner, in: &contact, movesChat: true, tx)
        _ = try ItemWriter.create(encryptionItem(postQuantum), in: &contact, movesChat: false, tx)
        _ = try FeatureItems.writeInitialItems(&contact, user, tx)
    }

    /// Writes the initial items that a newly connected contact lacks, and emits events for them.
    static func writeMissingItems(
        _ contact: inout ContactRecord,
        postQuantum: Bool,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws {
        if let preparation = contact.preparation {
            if preparation.expectsPostQuantum != postQuantum {
                try createAndEmitItems(encryptionItem(postQuantum), &contact, user, tx)
            }
        } else if let requestId = contact.requestId {
            let expected = try ContactRequestRecord.find(requestId, user: user, in: tx.db)?.supportsPostQuantum
            if expected != postQuantum { try createAndEmitItems(encryptionItem(postQuantum), &contact, user, tx) }
        } else {
            let hasItems =
                try tx.db.queryFirst(
                    "SELECT 1 FROM chat_items WHERE user_id = ? AND chat_type = ? AND chat_id = ? LIMIT 1",
                    contact.keyArguments
                ) != nil
            if !hasItems { try createAndEmitItems(.banner, &contact, user, tx) }
            try createAndEmitItems(encryptionItem(postQuantum), &contact, user, tx)
            try FeatureItems.emitInitialItems(&contact, user, tx)
        }
    }

    /// Writes the banner, which is the first item of a chat. The other initial items follow when the contact is
    /// connected.
    static func writeBanner(_ contact: inout ContactRecord, _ tx: Transaction) throws {
        _ = try ItemWriter.create(.banner, in: &contact, movesChat: true, tx)
    }

    static func emitBanner(_ contact: inout ContactRecord, _ user: UserRecord, _ tx: Transaction) throws {
        try createAndEmitItems(.banner, &contact, user, tx)
    }

    private static func createAndEmitItems(
        _ new: NewItem,
        _ contact: inout ContactRecord,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws {
        let item = try ItemWriter.create(new, in: &contact, movesChat: new.isSentOrUnread, tx)
        try tx.emit(
            .newChatItems(user: user.api, chatItems: [item.api(in: contact.api(user), at: tx.now)]),
            user: user.userId
        )
    }

    private static func encryptionItem(_ postQuantum: Bool?) -> NewItem {
        NewItem(
            isSent: false,
            content: .rcvDirectE2EEInfo(e2eeInfo: E2EInfo(pqEnabled: postQuantum)),
            text: postQuantum.map(PostQuantumItems.encryptionText) ?? PostQuantumItems.undeterminedEncryptionText,
            status: .rcvRead
        )
    }
}

extension NewItem {
    /// The banner, which is the first item of every chat with a contact or in a group.
    static var banner: NewItem {
        var banner = NewItem(isSent: true, content: .chatBanner, text: "chat banner", status: .sndNew)
        banner.itemTs = .epoch
        return banner
    }
}
