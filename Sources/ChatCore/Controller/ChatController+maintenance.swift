internal import Agent
internal import ChatAPI
internal import Concurrency
internal import Files
package import SimpleXCrypto
internal import SQLCipher

// Maintenance of the databases: export, replacement, encryption and deletion. The chat is stopped, and no other command
// runs.
extension ChatController {
    /// Whether the databases were closed for a replacement. Commands fail until another controller has opened the new
    /// databases.
    package var isStoreChanged: Bool { runState.withLock { $0.isStoreChanged } }

    /// The current key of the databases.
    package var databaseKey: DatabaseKey {
        runState.withLock { $0.newDatabaseKey } ?? services.configuration.databaseKey
    }

    /// Runs `body` while the chat is stopped and no other operation uses the databases.
    /// - Throws: `chatNotStopped`.
    func runMaintenance<T: Sendable>(_ body: () async throws -> T) async throws -> T {
        try await runOutsideMaintenance {
            let begins = runState.withLock { running in
                guard !running.isRunning else { return false }
                running.isUnderMaintenance = true
                return true
            }
            guard begins else { throw ChatFailure(ChatErrorType.chatNotStopped) }
            defer { runState.withLock { $0.isUnderMaintenance = false } }
            await runningCommands.waitUntilIdle()
            return try await body()
        }
    }

    /// Runs `body` while no maintenance of the databases runs. The chat may run.
    func runOutsideMaintenance<T: Sendable>(_ body: () async throws -> T) async throws -> T {
        try await lifecycleLock.runLocked {
            do { return try await body() } catch let failure as FileSystemError { throw failure.chatFailure() }
        }
    }

    /// Closes the databases, and replaces them with the prepared databases. The replacement is final after the commit.
    /// Later steps that fail are completed when the databases are opened.
    /// - Parameter leavesObjects: true if the data of the current store is deleted, or another store replaces it. Then
    ///   the objects of the current store are deleted from the object storage. The seals of the current store, which
    ///   permit file paths outside of the store's folders, become invalid.
    /// - Throws: `FileSystemError` before the commit; in that case the prepared files are deleted and the databases are
    ///   unchanged.
    func replaceStore(_ treatment: FileTreatment, key: DatabaseKey?, leavesObjects: Bool) async throws {
        let (replacement, folders) = (services.configuration.replacement, services.folders.paths)
        if leavesObjects {
            do { try await writeObjectList(replacement) } catch {
                await runCleanup { replacement.cancel() }
                throw error
            }
        }
        let wasOpen = runState.withLock { running in
            defer { running.isStoreChanged = true }
            return !running.isStoreChanged
        }
        if wasOpen {
            await services.agent.close()
            await store.database.close()
        }
        let fence = services.configuration.writeFence
        do {
            try await runBlocking {
                try fence.runIfValid {
                    try replacement.commit(treatment, folders: folders, forgetsSeals: leavesObjects)
                }
            }
        } catch {
            await runCleanup { replacement.cancel() }
            throw error
        }
        if let key { runState.withLock { $0.newDatabaseKey = key } }
        do { try await runBlocking { try fence.runIfValid { try replacement.finish() } } } catch {
            services.logger.error(
                "replacement of the databases not completed: the next opening completes it",
                metadata: ["error": "\(error)"]
            )
        }
    }

    /// Writes a list of the objects that the current databases have in the object storage.
    private func writeObjectList(_ replacement: StoreReplacement) async throws {
        let path = services.configuration.databasePaths[0]
        guard DiskFiles.exists(path) else { return }
        let keys = try await services.withDatabase(path, key: databaseKey, ChatDatabaseError.errorOpen) {
            try await $0.read { db in try StoredObject.readKeys(in: db) }
        }
        guard !keys.isEmpty else { return }
        try await runBlocking {
            try DiskFiles.replaceFile(
                replacement.objectListPath,
                with: keys.flatMap { Array($0.utf8) + [UInt8(ascii: "\n")] }
            )
        }
    }
}
