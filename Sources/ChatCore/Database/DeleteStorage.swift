internal import Agent
internal import ChatAPI
internal import ChatStore
internal import Concurrency
internal import Files
internal import SQLCipher

extension RunningCommand {
    /// `/_db delete`: deletes both databases and all files.
    ///
    /// If the store does not create missing databases, empty databases with the same key replace the deleted databases,
    /// so that nobody can create databases with another key. If the disk has no space for the empty databases, they are
    /// created later, when the disk has space.
    func deleteStorage() async throws -> ChatResponse {
        try await lifecycle.maintaining {
            let (replacement, temporary) = (services.configuration.replacement, services.folders.paths.temporary)
            try await blocking { try replacement.begin() }
            if services.configuration.makesDatabases != .made {
                do { try await makeEmpty(replacement) } catch {
                    guard (error as? any StorageError)?.isFull == true else {
                        await cleaningUp { replacement.cancel() }
                        throw error
                    }
                    try await blocking {
                        try replacement.begin()
                        try replacement.markEmpty()
                    }
                }
            }
            try await lifecycle.replaceStore(.removed, key: nil, leavesObjects: true)
            try await blocking {
                for name in DiskFiles.list(temporary) { DiskFiles.remove(temporary + "/" + name) }
            }
            return .cmdOk(user_: nil)
        }
    }

    private func makeEmpty(_ replacement: StoreReplacement) async throws {
        let store = try await ChatStore.open(
            at: replacement.chat,
            key: lifecycle.databaseKey,
            retention: services.configuration.journalRetention
        )
        await store.database.close()
        try await Agent.makeDatabase(at: replacement.agent, key: lifecycle.databaseKey)
    }
}
