internal import ChatCore
internal import Concurrency
internal import Files

/// The copy of the data folder with all its stores.
extension FolderBackup {
    func copyAllStores(_ host: StoreHost, _ sources: CopySources) async throws -> Outcome {
        // The list of the stores is made now, so the copy does not have stores that are created later.
        let (folders, backups) = (host.folders, host.backupSlot)
        let (stores, published) = try await host.creationLock.runLocked {
            (host.storesInDataFolder, try await runBlocking { try folders.listPublishedPaths() })
        }
        defer { backups.releaseHeldLocks() }
        for store in stores {
            try backups.recordLockWait(of: store.id)
            let turn = await store.lifecycleLock.acquireTurn()
            // A store whose lock a request needs is copied after the other stores.
            if try !backups.recordLockHeld(store.id, release: turn.end) { turn.end() }
        }
        try backups.beginCopying()
        var (open, locked) = ([OpenStore](), [Store]())
        for store in stores where backups.isLockHeld(store.id) {
            guard let opened = store.openedStore else {
                locked.append(store)
                continue
            }
            // A store whose databases are being replaced may be opened at any time, so its files cannot be copied. It
            // is copied after the other stores.
            if let databases = opened.core.controller?.databases {
                open.append(OpenStore(store: store, databases: databases))
            } else if store.isFirst {
                throw ProblemDetails.databasesReplacedProblem
            }
        }
        backups.releaseHeldLocks(except: Set((open.map(\.store) + locked).map(\.id)))
        let copier = FolderCopier(
            dataFolder: dataFolder,
            target: unfinishedPath,
            stores: stores.map(\.folder),
            storeFolders: folders,
            publishedPaths: published,
            mayContinue: backups.mayContinue,
            copyRoot: unfinishedPath,
            sources: sources
        )
        let (opened, closed) = (open, locked)
        return try await runKeepingFiles(of: open.map(\.databases)[...]) {
            try await copyOpenAndLockedStores(opened, closed, of: stores, copier, host)
        }
    }

    /// Maximal number of open stores that are copied at the same time, and maximal number of stores that are copied in
    /// addition because a write to them waits.
    private static let (maxCopiesAtOnce, maxAwaitedAtOnce) = (2, 30)

    /// Maximal number of stores whose writes the backup begins to block at the same time.
    private static let maxConcurrentHoldBegins = 64

    /// Copies the stores whose locks `lifecycleLock` the backup holds, and then the other files.
    ///
    /// The copy has the state of one moment, in which the writes of all stores wait. Then one store after the other is
    /// copied, first the stores for which a write waits. Writes to a store continue as soon as later writes cannot
    /// change its copy. If another operation needs a store, the backup gives way: it releases the store, and copies the
    /// store again later, in the state of that later time.
    /// - Parameter stores: all stores of the copy.
    private func copyOpenAndLockedStores(
        _ open: [OpenStore],
        _ locked: [Store],
        of stores: [Store],
        _ copier: FolderCopier,
        _ host: StoreHost
    ) async throws -> Outcome {
        let (order, backups) = (CopyOrder(count: open.count), host.backupSlot)
        let holds = try await holdWrites(open, order, backups)
        defer { for hold in holds.values { hold.end() } }
        var written: [Snapshot] = []
        for file in growingFiles { written.append(Snapshot(path: file.path, write: try await file.takeSnapshot())) }
        let snapshots = written
        var parts = try await withThrowingTaskGroup(of: [String: Outcome].self) { group in
            // Each copy uses as many file descriptors as are reserved for one store with open databases.
            let most = host.settings.chatConfiguration.openPool?.limits.maxOpenMembers ?? .max
            let copied = min(Self.maxCopiesAtOnce, most)
            for number in 0..<min(open.count, copied + min(Self.maxAwaitedAtOnce, most - copied)) {
                let isForAwaited = number >= copied
                group.addTask {
                    var parts: [String: Outcome] = [:]
                    while let index = try await order.takeNextStore(isForAwaited: isForAwaited) {
                        guard let hold = holds[index] else { continue }
                        let store = open[index].store
                        let controller = store.openedStore?.core.controller
                        parts[store.id] = try await copyStoreUnderLock(store, controller, copier, host) { copier in
                            try await copyOpenStore(open[index], hold, copier) { backups.releaseTurn(of: store.id) }
                        }
                    }
                    return parts
                }
            }
            return try await group.reduce(into: [:]) { $0.merge($1) { _, last in last } }
        }
        for store in locked {
            parts[store.id] = try await copyStoreUnderLock(store, nil, copier, host) { copier in
                try await copyLockedStore(store, copier)
            }
        }
        let emptied = backups.takeEmptiedStores()
        let again = stores.filter { parts[$0.id] == nil || emptied.contains($0.id) }
        return try await copyPostponedStores(again[...], parts, copier, host) {
            try await copyOtherFiles($0, of: stores, snapshots, copier, host)
        }
    }

    /// Copies the files of the data folder that are neither databases nor keys, after the stores were copied.
    /// - Parameters:
    ///   - parts: the outcomes of the copied stores, by their ids.
    ///   - stores: all stores of the copy.
    private func copyOtherFiles(
        _ parts: [String: Outcome],
        of stores: [Store],
        _ snapshots: [Snapshot],
        _ copier: FolderCopier,
        _ host: StoreHost
    ) async throws -> Outcome {
        var parts = parts
        if stores.contains(where: { $0.isFirst && parts[$0.id] == nil }) { throw ProblemDetails.firstStoreInUseProblem }
        let left = Set(stores.filter { parts[$0.id] == nil }.map(\.folder.path))
        var outcome = Outcome()
        outcome.addOutcome(try await runBlocking { try writeSnapshots(snapshots, copier) })
        outcome.addOutcome(
            try await runBlocking {
                host.folders.onStep("copy the other files")
                return try copier.copyOtherFiles(except: snapshots.map(\.path), without: left)
            }
        )
        // Stores that were deleted during the copying are removed from the copy. A store that is deleted later stays in
        // the copy.
        let emptied = host.backupSlot.takeEmptiedStores()
        if emptied.contains(StoreID.firstStore) { throw ProblemDetails.firstStoreInUseProblem }
        for store in stores where emptied.contains(store.id) {
            await removeCopiedFiles(of: store, copier)
            parts[store.id] = nil
        }
        let missing = stores.filter { parts[$0.id] == nil }
        try await runBlocking { try copier.markStoresAsCopies(except: Set(missing.map(\.folder.path))) }
        guard copier.mayContinue() else { throw CancellationError() }
        for part in parts.values { outcome.addOutcome(part) }
        outcome.storesLeftOut = missing.map(\.id).filter { host.findStore($0) != nil }
        return outcome
    }

    /// Copies a store while the backup holds the store's lock `lifecycleLock`.
    /// - Parameter controller: the controller of an open store; nil for a locked store.
    /// - Returns: nil when other work needed the lock, or the databases of the store were replaced during the copying.
    ///   The copy then has no files of the store.
    private func copyStoreUnderLock(
        _ store: Store,
        _ controller: ChatController?,
        _ copier: FolderCopier,
        _ host: StoreHost,
        _ body: (FolderCopier) async throws -> Outcome
    ) async throws -> Outcome? {
        let backups = host.backupSlot
        guard try backups.beginStoreCopy(of: store.id) else { return nil }
        defer { backups.endStoreCopy(of: store.id) }
        var copier = copier
        copier.mayContinue = backups.mayContinue(of: store.id)
        do { return try await body(copier) } catch {
            guard backups.isCopyInterrupted(store.id) || store.hasReplacedDatabases(controller), !backups.isStopped()
            else {
                throw error
            }
            await removeCopiedFiles(of: store, copier)
            return nil
        }
    }

    /// Copies the stores that were not copied before, or whose copies became obsolete, one after the other, and then
    /// calls `body`. No file of these stores is moved to the object storage before `body` returns.
    /// - Parameters:
    ///   - parts: the outcomes of the stores that were copied before, by their ids.
    ///   - body: gets the outcomes of all copied stores. A store is missing if it was deleted, if the backup gave way
    ///     for it again, or if its databases are being replaced.
    private func copyPostponedStores(
        _ stores: ArraySlice<Store>,
        _ parts: [String: Outcome],
        _ copier: FolderCopier,
        _ host: StoreHost,
        _ body: ([String: Outcome]) async throws -> Outcome
    ) async throws -> Outcome {
        guard let store = stores.first else { return try await body(parts) }
        var parts = parts
        parts[store.id] = nil
        await removeCopiedFiles(of: store, copier)
        try host.backupSlot.recordTurnWait(of: store.id)
        let turn = await store.lifecycleLock.acquireTurn()
        let mayCopy = try host.backupSlot.recordTurnTaken(of: store.id, release: turn.end)
        let opened = store.openedStore
        let controller = opened?.core.controller
        let databases = controller?.databases
        guard mayCopy, host.findStore(store.id) != nil, opened == nil || databases != nil else {
            host.backupSlot.releaseHeldLocks()
            turn.end()
            return try await copyPostponedStores(stores.dropFirst(), parts, copier, host, body)
        }
        let copied = parts
        return try await runKeepingFiles(of: databases.map { [$0] } ?? []) {
            var parts = copied
            parts[store.id] = try await copyStoreUnderLock(store, controller, copier, host) { copier in
                guard let databases else { return try await copyLockedStore(store, copier) }
                let hold = try await holdWrites(databases)
                return try await copyOpenStore(OpenStore(store: store, databases: databases), hold, copier) {
                    host.backupSlot.releaseTurn(of: store.id)
                }
            }
            turn.end()
            return try await copyPostponedStores(stores.dropFirst(), parts, copier, host, body)
        }
    }

    /// Blocks the writes to the open stores. Leaves out stores for which the backup has given way.
    /// - Returns: the holds that block the writes, by the indexes of the stores.
    private func holdWrites(
        _ open: [OpenStore],
        _ order: CopyOrder,
        _ backups: BackupSlot
    ) async throws -> [Int: DatabasesHold] {
        try await withThrowingTaskGroup(of: (Int, DatabasesHold?).self) { group in
            var holds: [Int: DatabasesHold] = [:]
            for (index, one) in open.enumerated() {
                if index >= Self.maxConcurrentHoldBegins, let (index, hold) = try await group.next() {
                    holds[index] = hold
                }
                group.addTask {
                    let controller = one.store.openedStore?.core.controller
                    do {
                        let hold = try await holdWrites(one.databases, waiting: { order.recordWaitingWrite(index) })
                        guard backups.addReleaseStep(one.store.id, hold.end) else {
                            hold.end()
                            return (index, nil)
                        }
                        return (index, hold)
                    } catch {
                        // The writes to databases that are being closed or replaced cannot be blocked.
                        guard !backups.isLockHeld(one.store.id) || one.store.hasReplacedDatabases(controller) else {
                            throw error
                        }
                        backups.giveWay(for: one.store.id)
                        return (index, nil)
                    }
                }
            }
            for try await (index, hold) in group { holds[index] = hold }
            return holds
        }
    }

    private func runKeepingFiles<T>(
        of databases: ArraySlice<ChatDatabases>,
        _ body: () async throws -> T
    ) async throws -> T {
        guard let first = databases.first else { return try await body() }
        return try await first.withFilesKept { try await runKeepingFiles(of: databases.dropFirst(), body) }
    }

    private struct Snapshot: Sendable {
        let path: String
        let write: @Sendable (_ target: String) throws -> Void
    }

    private func writeSnapshots(_ snapshots: [Snapshot], _ copier: FolderCopier) throws -> Outcome {
        var outcome = Outcome()
        for snapshot in snapshots {
            try DiskFiles.makeFolder(FilePaths.parentFolder(of: copier.targetPath(snapshot.path)))
            try snapshot.write(copier.targetPath(snapshot.path))
            outcome.countFile(copier.targetPath(snapshot.path))
            WorkProgress.currentProgress?.advance(by: DiskFiles.fileSize(copier.targetPath(snapshot.path)) ?? 0)
        }
        return outcome
    }
}
