internal import Agent
internal import ChatAPI
internal import ChatStore
internal import Concurrency
internal import Files
internal import SQLCipher

extension RunningCommand {
    /// `/_db delete`: deletes both databases and all files.
    ///
    /// If the store does not create missing databases, empty databases with the same key replace the deleted databases.
    /// Then nobody can create databases with another key. If the disk has no space for the empty databases, they are
    /// created later, when the disk has space.
    func deleteStorage() async throws -> ChatResponse {
        try await lifecycle.runMaintenance {
            let (replacement, temporary) = (services.configuration.replacement, services.folders.paths.temporaryFolder)
            try await runBlocking { try replacement.createFolder() }
            if services.configuration.missingDatabasePolicy != .create {
                do { try await makeEmptyDatabases(replacement) } catch {
                    guard (error as? any StorageError)?.isStorageFull == true else {
                        await runCleanup { replacement.cancel() }
                        throw error
                    }
                    try await runBlocking {
                        try replacement.createFolder()
                        try replacement.markStoreEmpty()
                    }
                }
            }
            try await lifecycle.replaceStore(.removed, key: nil, leavesObjects: true)
            try await runBlocking {
                for name in DiskFiles.listFiles(temporary) { DiskFiles.removeTree(temporary + "/" + name) }
            }
            return .cmdOk(user_: nil)
        }
    }

    private func makeEmptyDatabases(_ replacement: StoreReplacement) async throws {
        let store = try await ChatStore.open(
            at: replacement.chatPath,
            key: lifecycle.databaseKey,
            retention: services.configuration.journalRetention
        )
        await store.database.close()
        try await Agent.makeDatabase(at: replacement.agentPath, key: lifecycle.databaseKey)
    }
}
