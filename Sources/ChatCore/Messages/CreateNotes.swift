internal import ChatAPI
internal import SQLCipher

extension ChatController {
    /// `/_create`: items of the user's notes.
    func createNotes(_ messages: [ComposedMessage], in noteFolderId: Int64, user: UserRecord) async throws -> ChatResponse {
        guard !messages.isEmpty else { throw ChatFailure.command("no messages") }
        let items = try messages.map { try OutgoingItem($0, "apiCreateChatItems") }
        guard items.allSatisfy({ $0.quotedItemId == nil }) else {
            throw ChatFailure.command("createNoteFolderContentItems: quotes not supported")
        }
        return try await store.answer { tx in
            try Self.create(items, in: NoteFolderRecord.get(noteFolderId, user: user, in: tx.db), user, tx)
        }
    }

    static func create(
        _ outgoing: [OutgoingItem], in noteFolder: NoteFolderRecord, _ user: UserRecord, _ tx: Transaction
    ) throws -> ChatResponse {
        var folder = noteFolder
        let items = try outgoing.enumerated().map { index, outgoing in
            var item = NewItem(isSent: true, outgoing.marked, status: .sndNew)
            item.forwarded = outgoing.forwarded
            return try ItemWriter.create(item, in: &folder, movesChat: index == 0, tx)
        }
        // Shown as it was before, as the original does.
        let info = noteFolder.info(user)
        return .newChatItems(user: user.api, chatItems: items.map { $0.api(in: info, at: tx.now) })
    }

    /// `/_clear chat *`: all notes.
    func clearNotes(_ noteFolderId: Int64, user: UserRecord) async throws -> ChatResponse {
        try await store.answer { tx in
            let folder = try NoteFolderRecord.get(noteFolderId, user: user, in: tx.db)
            try tx.db.execute("DELETE FROM chat_items WHERE user_id = ? AND note_folder_id = ?", [user.userId, noteFolderId])
            tx.redactItems(of: folder)
            return .chatCleared(user: user.api, chatInfo: folder.info(user))
        }
    }
}
