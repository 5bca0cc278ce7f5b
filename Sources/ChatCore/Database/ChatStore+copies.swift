internal import ChatStore
internal import SimpleXCrypto
internal import SQLCipher

extension ChatStore {
    /// Makes a copied store independent of the original store. Gives the journal a new epoch. Cancels scheduled
    /// messages and broadcasts, since the original store sends them.
    static func makeIndependentCopy(_ db: StoreConnection) throws {
        try PlannedMessages.cancelAll(db)
        try EventJournal.renewEpoch(db)
    }

    /// Migrates the chat database of another machine to the current schema.
    /// - Parameter isCopy: whether the database will later be opened as a copy. The opening of a copy changes the epoch
    ///   of the journal. If the database will not be opened as a copy, this function changes the epoch.
    static func migrateForeignDatabase(at path: String, key: DatabaseKey, isCopy: Bool) async throws {
        let database = try await Database.open(
            at: path,
            key: key,
            migrations: ChatSchema.migrations,
            readers: 1,
            create: false
        )
        do {
            try await database.write { db in
                if !isCopy { try makeIndependentCopy(db) }
                try FileTotals.recountFiles(in: db)
            }
        } catch {
            await database.close()
            throw error
        }
        await database.close()
    }
}
