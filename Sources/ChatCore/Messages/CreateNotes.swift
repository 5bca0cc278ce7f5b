internal import ChatAPI
internal import SQLCipher

extension RunningCommand {
    /// `/_create`: adds items to the notes of the user.
    func createNotes(
        _ messages: [ComposedMessage],
        in noteFolderId: Int64,
        onlyUnused: Bool,
        user: UserRecord
    ) async throws -> ChatResponse {
        guard !messages.isEmpty else { throw ChatFailure.commandError("no messages") }
        let paths = services.folders.paths
        let items = try messages.map { try OutgoingItem($0, paths, mustBeUnused: onlyUnused) }
        guard items.allSatisfy({ $0.quotedItemId == nil }) else {
            throw ChatFailure.commandError("createNoteFolderContentItems: quotes not supported")
        }
        let uses = try await services.fileObjects.fetchAndHold(messages.compactMap { $0.fileSource?.filePath })
        defer { withExtendedLifetime(uses) {} }
        return try await store.writeAndAnswer { tx in
            try Self.sendItems(
                items,
                in: NoteFolderRecord.get(noteFolderId, user: user, in: tx.db),
                live: false,
                ttl: nil,
                user,
                tx
            )
        }
    }
}
