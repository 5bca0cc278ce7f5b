internal import ChatCore
internal import Concurrency
internal import Files
internal import JSON
internal import SimpleXCrypto

/// The copy of one store, open or locked.
extension FolderBackup {
    /// Error for an open store whose databases cannot be copied.
    struct UncopiedDatabases: Error, CustomStringConvertible {
        private let folder: String

        init(_ databases: ChatDatabases) { folder = databases.databasePaths.first.map(FilePaths.parentFolder) ?? "" }

        var description: String {
            "the databases in \(folder) are damaged, or other files have taken their place. Lock their store to copy these files as they are"
        }
    }

    /// Copies one store, open or locked, with the keys that open the store.
    func copyStore(_ host: StoreHost, _ id: String, _ sources: CopySources) async throws -> Outcome {
        await host.loadStore(id)
        let store = try host.requireStore(id)
        try host.backupSlot.recordTurnWait(of: store.id)
        let turn = await store.lifecycleLock.acquireTurn()
        defer { turn.end() }
        // If another operation needs the lock of the store, the copy of a single store is cancelled. A backup of all
        // stores would copy other stores first, and this store later.
        guard try host.backupSlot.recordTurnTaken(of: store.id, release: turn.end),
            try host.backupSlot.beginStoreCopy(of: store.id)
        else {
            throw CancellationError()
        }
        defer { host.backupSlot.endStoreCopy(of: store.id) }
        if case .deleted = store.phase { throw ProblemDetails(.notFound, "There is no such store.") }
        try await host.acquireStore(store)
        do {
            let mark = unfinishedPath + Self.storeRecordName, record: JSONValue = ["storeId": .string(store.id)]
            try await runBlocking { try DiskFiles.createFile(mark, record.encodeText()) }
            let outcome = try await copy(store, to: unfinishedPath, host, sources)
            let fence = store.fence
            try await runBlocking { fence?.checkTakeover() }
            // If another node has acquired the store, it may have changed the files, so the copy is useless.
            guard !store.isLeaseLost else {
                throw ProblemDetails(.unavailable, "Another node took the store over while the store was being copied.")
            }
            await host.releaseStore(store)
            return outcome
        } catch {
            await host.releaseStore(store)
            throw error
        }
    }

    /// Copies a store to an existing folder. The caller must hold the lock `lifecycleLock` of the store.
    func copy(_ store: Store, to target: String, _ host: StoreHost, _ sources: CopySources) async throws -> Outcome {
        let copier = FolderCopier(
            dataFolder: store.folder.path,
            target: target,
            stores: [store.folder],
            storeFolders: host.folders,
            publishedPaths: [],
            mayContinue: host.backupSlot.mayContinue(of: store.id),
            copyRoot: unfinishedPath,
            sources: sources,
            omittedPaths: [store.folder.fencePath]
        )
        guard let opened = store.openedStore else {
            return try await copyRemainingFiles(
                try await runBlocking {
                    var keys = try copier.copyKeys(of: store.folder)
                    keys.addOutcome(try copier.copyDatabases(of: store.folder))
                    return keys
                },
                copier,
                host
            )
        }
        guard let databases = opened.core.controller?.databases else { throw ProblemDetails.databasesReplacedProblem }
        return try await databases.withFilesKept {
            let hold = try await holdWrites(databases)
            let outcome = try await copyOpenStore(OpenStore(store: store, databases: databases), hold, copier)
            return try await copyRemainingFiles(outcome, copier, host)
        }
    }

    /// An open store that the backup copies, with its open databases.
    struct OpenStore: Sendable {
        let store: Store
        let databases: ChatDatabases
    }

    func holdWrites(
        _ databases: ChatDatabases,
        waiting: @escaping @Sendable () -> Void = {}
    ) async throws -> DatabasesHold {
        guard databases.databasePaths.allSatisfy(DiskFiles.hasBytes) else { throw UncopiedDatabases(databases) }
        return try await databases.holdWrites(waiting: waiting)
    }

    /// Copies the databases and keys of an open store, while `hold` blocks the writes to the store. Ends the hold, and
    /// calls `begun`, as soon as later writes cannot change the copy.
    func copyOpenStore(
        _ open: OpenStore,
        _ hold: DatabasesHold,
        _ copier: FolderCopier,
        begun: () -> Void = {}
    ) async throws -> Outcome {
        defer { hold.end() }
        let (folder, databases) = (open.store.folder, open.databases)
        let (keys, isShared) = try await runBlocking {
            copier.storeFolders.onStep("copy a store")
            let isShared = try copier.shareDatabases(databases.databasePaths)
            if !isShared { copier.recordDatabaseStates(databases.databasePaths) }
            return (try copier.copyKeys(of: folder), isShared)
        }
        if !isShared {
            let signal = WakeSignal()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await copyDatabases(databases, copier, begun: signal) }
                guard await signal.waitForSignal() else { throw CancellationError() }
                hold.end()
                begun()
                try await group.waitForAll()
            }
        } else {
            hold.end()
            begun()
            for path in databases.databasePaths {
                WorkProgress.currentProgress?.advance(by: DiskFiles.fileSize(path) ?? 0)
            }
        }
        var outcome = keys
        for path in databases.databasePaths { outcome.countFile(copier.targetPath(path)) }
        return outcome
    }

    /// Copies the files of a store that are neither databases nor keys.
    private func copyRemainingFiles(
        _ copied: Outcome,
        _ copier: FolderCopier,
        _ host: StoreHost
    ) async throws -> Outcome {
        var outcome = copied
        outcome.addOutcome(
            try await runBlocking {
                host.folders.onStep("copy the files of a store")
                let rest = try copier.copyOtherFiles(except: [])
                try copier.markStoresAsCopies()
                return rest
            }
        )
        guard copier.mayContinue() else { throw CancellationError() }
        return outcome
    }

    func copyLockedStore(_ store: Store, _ copier: FolderCopier) async throws -> Outcome {
        try await runBlocking {
            copier.storeFolders.onStep("copy a store")
            var copied = try copier.copyKeys(of: store.folder)
            copied.addOutcome(try copier.copyDatabases(of: store.folder))
            return copied
        }
    }

    /// Removes the copied files of a store.
    func removeCopiedFiles(of store: Store, _ copier: FolderCopier) async {
        guard store.isFirst else {
            return await removeStoreFolder(copier.relativePath(store.folder.path), copier.sources)
        }
        let (folder, destroysKeys) = (store.folder, encryptionSecret != nil)
        await runCleanup { copier.removeFirstStore(folder, destroyingKeys: destroysKeys) }
    }

    /// Removes the copied files of a store other than the first store.
    /// - Parameter path: the path of the folder of the store, relative to the folder of the copy.
    func removeStoreFolder(_ path: String, _ sources: CopySources) async {
        // The folder of an encrypted copy contains unencrypted keys, because the encrypted file is written later. So
        // these keys are overwritten before the folder is removed.
        let (copied, destroysKeys) = (StoreFolder(path: unfinishedPath + "/" + path), encryptionSecret != nil)
        await runCleanup {
            if destroysKeys { copied.destroyKeys() }
            DiskFiles.removeTree(copied.path)
        }
        sources.removeStates(below: path + "/")
    }

    func copyDatabases(_ databases: ChatDatabases, _ copier: FolderCopier, begun: WakeSignal) async throws {
        // A failed copy sends the signal too. Otherwise its caller would wait for the signal forever.
        defer { begun.wake() }
        let targets = databases.databasePaths.map(copier.targetPath)
        try await runBlocking { for target in targets { try DiskFiles.makeFolder(FilePaths.parentFolder(of: target)) } }
        do { try await databases.copyDatabases(to: targets, begun: begun.wake, while: copier.mayContinue) } catch {
            guard copier.mayContinue(), !((error as? any StorageError)?.isStorageFull ?? false) else { throw error }
            throw UncopiedDatabases(databases)
        }
    }
}
