internal import ChatCore
internal import Concurrency
internal import Files
internal import Glibc
internal import JSON
internal import SimpleXCrypto

/// A copy of the whole data folder, or of one store, made while the gateway uses it. A copy of the data folder is a
/// data folder itself, in the state that a `kill -9` at one moment would have left. An encrypted copy is a file
/// (``BackupFormat``), which is made from a copy inside the data folder.
///
/// Open databases are copied by functions of the database. Databases of locked stores are copied as files, while no
/// request can unlock the stores. So no database is copied as a file while something writes to it.
struct FolderBackup: Sendable {
    struct Outcome: Sendable {
        private(set) var fileCount = 0
        private(set) var byteCount: Int64 = 0
        /// Number of files that the copy shares with an earlier copy.
        var sharedFileCount = 0
        /// Stores that other nodes have, and that the copy does not contain; nil for a single node.
        var storesElsewhere: [String]?
        /// Other stores that the copy does not contain: the copying of these stores gave way twice, or their databases
        /// were being replaced.
        var storesLeftOut: [String] = []
        /// Reasons why `restore` or `serve` could not use a part of the copy. The data folder has the same faults. The
        /// check reads only the beginning of each database.
        var faults: [String] = []

        mutating func countFile(_ path: String) {
            fileCount += 1
            byteCount += DiskFiles.fileSize(path) ?? 0
        }

        mutating func addOutcome(_ other: Outcome) {
            fileCount += other.fileCount
            byteCount += other.byteCount
            storesLeftOut += other.storesLeftOut
        }
    }

    /// Error for an open store whose databases cannot be copied.
    struct UncopiedDatabases: Error, CustomStringConvertible {
        private let folder: String

        init(_ databases: ChatDatabases) { folder = databases.databasePaths.first.map(FilePaths.parentFolder) ?? "" }

        var description: String {
            "the databases in \(folder) are damaged, or other files have taken their place. Lock their store to copy these files as they are"
        }
    }

    /// The data folder.
    let dataFolder: String
    let target: String
    /// Files in the data folder that grow while they are copied.
    let growingFiles: [GrowingFile]
    /// Additional checks, which return the faults of a copy.
    var checks: [@Sendable (_ folder: String) -> [String]] = []
    /// The only store that is copied; nil for all stores.
    var storeID: String?
    /// The secret that encrypts the copy; nil for a copy that is a folder.
    var encryptionSecret: BackupSecret?
    /// The cost of deriving the encryption key from a passphrase.
    var passwordCost = PasswordCost.standard
    /// The folder of an earlier copy. The copy shares the files that have not changed since; see ``CopySources``.
    var earlierCopy: String?

    /// Folder of the copy until the copy is complete. For an encrypted backup, this folder is in the data folder,
    /// because the target's file system must not get unencrypted files.
    var unfinishedPath: String { encryptionSecret == nil ? target + ".partial" : dataFolder + Self.stagingPath }
    /// Folder in the data folder for a copy that is encrypted afterwards. No copy contains this folder.
    static let stagingPath = "/.backup"
    /// File in the copy of one store that contains the id of the store.
    static let storeRecordName = "/backup.json"

    /// Name of a file that marks an unfinished backup. Neither a data folder nor a complete copy contains it.
    static let markName = ".unfinished-backup"

    /// Removes the unfinished copy that a killed gateway has left in its data folder.
    static func removeStaging(in folder: String) {
        UnfinishedFolder.removeUnfinished(folder + stagingPath, mark: markName) { FolderCopies.destroyKeys(of: $0) }
    }

    func makeBackup(of host: StoreHost) async throws -> Outcome {
        let stores = host.folders.path
        let (unfinished, place) = try await runBlocking { try prepareTarget(stores) }
        if let progress = WorkProgress.currentProgress {
            let source = storeID.flatMap { host.findStore($0)?.folder.path } ?? dataFolder
            let bytes = try await runBlocking { DiskFiles.totalBytes(in: source) }
            // An encrypted backup writes its bytes twice: to the copy in the data folder, and to the encrypted file.
            progress.beginCounting(.bytes, of: encryptionSecret == nil ? bytes : 2 * bytes)
        }
        do {
            let sources = try await runBlocking { [earlierCopy] in try CopySources(base: earlierCopy) }
            var copied =
                if let storeID { try await copyStore(host, storeID, sources) } else {
                    try await copyAllStores(host, sources)
                }
            if storeID == nil, host.settings.placement != nil { try await copySharedStores(host, sources, &copied) }
            copied.faults = try await findFaults(keyOutside: host.firstStore?.folder.outsideKeyPath)
            let (outcome, mayContinue) = (copied, host.backupSlot.mayContinue)
            return try await runBlocking {
                host.folders.onStep("complete the copy")
                return try completeCopy(unfinished, place, sources, outcome, while: mayContinue)
            }
        } catch {
            await runCleanup {
                place?.discard()
                unfinished.removeFolder()
            }
            throw error
        }
    }

    /// Prepares the target.
    /// - Parameter stores: the folder of the stores.
    /// - Returns: the folder into which the files are copied, and the file of an encrypted copy.
    private func prepareTarget(_ stores: String) throws -> (UnfinishedFolder, UnfinishedFile?) {
        try checkTarget(stores)
        // An earlier backup with the same target may have been of the other kind (encrypted or not), and may have left
        // remains.
        if encryptionSecret == nil {
            UnfinishedFile.removeLeftover(target)
        } else {
            UnfinishedFolder.removeUnfinished(target + ".partial", mark: Self.markName)
        }
        let place = encryptionSecret == nil ? nil : try UnfinishedFile(target)
        do { return (try makeFolder(), place) } catch {
            place?.discard()
            throw error
        }
    }

    /// Finds the faults of the copy.
    /// - Parameter keyOutside: the key file of the first store, if it is not in the data folder.
    private func findFaults(keyOutside: String?) async throws -> [String] {
        if let storeID {
            guard
                let fault = await StoreInspection.inspectOne(
                    storeID,
                    in: StoreFolder(path: unfinishedPath),
                    isQuick: true
                )
                .faults.first
            else { return [] }
            throw ProblemDetails(
                .conflict,
                "The store cannot be copied: \(fault.text.replacing(unfinishedPath, with: dataFolder + "/stores/" + storeID))."
            )
        }
        var faults: [String] = []
        do throws(KeyFileError) { _ = try KeyFile(folder: unfinishedPath).loadKeys() } catch {
            faults.append(error.description)
        }
        for check in checks { faults += try await runBlocking { check(unfinishedPath) } }
        for store in try await StoreInspection.inspectAll(in: unfinishedPath, keyFile: keyOutside, isQuick: true) {
            faults += store.faults.map(\.text)
        }
        return faults.map { $0.replacing(unfinishedPath, with: dataFolder) }
    }

    /// Completes the copy and renames it to the target.
    private func completeCopy(
        _ unfinished: UnfinishedFolder,
        _ place: UnfinishedFile?,
        _ sources: CopySources,
        _ outcome: Outcome,
        while mayContinue: () -> Bool
    ) throws -> Outcome {
        guard let encryptionSecret, let place else {
            try sources.writeStates(to: unfinished.path)
            let known = sources.sharedHashes
            try CopyChecksums.writeList(in: unfinished.path, except: [Self.markName], known: known, while: mayContinue)
            var outcome = outcome
            for name in [CopySources.fileName, CopyChecksums.fileName] {
                outcome.countFile(unfinished.path + "/" + name)
            }
            outcome.sharedFileCount = known.count
            // The whole copy must be on the disk before it is renamed.
            sync()
            try WorkProgress.beginEffect()
            try unfinished.renameToFinal(as: target)
            return outcome
        }
        let writer = try BackupWriter(
            place,
            storeID == nil ? .dataFolder : .store,
            secret: encryptionSecret,
            cost: passwordCost
        )
        try writer.add(contentsOf: unfinished.path, except: [Self.markName], while: mayContinue)
        try writer.finish()
        guard mayContinue() else { throw CancellationError() }
        try WorkProgress.beginEffect()
        try place.publish()
        unfinished.removeFolder()
        var made = Outcome()
        made.countFile(target)
        (made.storesElsewhere, made.storesLeftOut, made.faults) = (
            outcome.storesElsewhere, outcome.storesLeftOut, outcome.faults
        )
        return made
    }

    /// Makes the folder of the copy.
    private func makeFolder() throws -> UnfinishedFolder {
        // An unencrypted copy has its keys beside the databases by choice of the administrator, so its remains are
        // removed without overwriting.
        let isStaging = encryptionSecret != nil
        do throws(UnfinishedFolder.Fault) {
            // Before the remains of an encrypted copy are removed, the keys that open its databases are overwritten.
            return try UnfinishedFolder.makeFolder(unfinishedPath, mark: Self.markName) {
                if isStaging { FolderCopies.destroyKeys(of: $0) }
            }
        } catch {
            switch error {
            case .inUse: throw ProblemDetails.otherBackupRunning(target)
            case .pathOccupied: throw ProblemDetails.occupiedPath(unfinishedPath)
            case .fileError(let error):
                guard !error.isStorageFull else { throw error }
                throw ProblemDetails(.invalidValue, "The folder of the backup cannot be made: \(error)")
            }
        }
    }

    /// Checks that the target can be used.
    /// - Parameter stores: the folder of the stores. It is outside of the data folder when several nodes share the
    ///   stores.
    private func checkTarget(_ stores: String) throws(ProblemDetails) {
        guard !DiskFiles.exists(target) else {
            throw ProblemDetails(.invalidValue, "There is something at \(target) already.")
        }
        let parent = FilePaths.parentFolder(of: target)
        guard let real = FilePaths.realPath(parent), DiskFiles.isFolder(real) else {
            throw ProblemDetails(
                .invalidValue,
                "The folder of the copy cannot be made, because there is no folder \(parent)."
            )
        }
        for folder in [dataFolder, stores].map({ FilePaths.realPath($0) ?? $0 }) {
            guard real != folder, !FilePaths.isBelow(real, folder) else {
                throw ProblemDetails(
                    .invalidValue,
                    "The backup must be outside of the data folder: the next backup would contain it."
                )
            }
        }
    }

    /// Copies one store, open or locked, with the keys that open it.
    private func copyStore(_ host: StoreHost, _ id: String, _ sources: CopySources) async throws -> Outcome {
        await host.loadStore(id)
        let store = try host.requireStore(id)
        try host.backupSlot.recordTurnWait(of: store.id)
        let turn = await store.lifecycleLock.acquireTurn()
        defer { turn.end() }
        // The copy of a single store never gives way: it is stopped.
        guard try host.backupSlot.recordTurnTaken(of: store.id, release: turn.end),
            try host.backupSlot.beginPart(of: store.id)
        else {
            throw CancellationError()
        }
        defer { host.backupSlot.endPart(of: store.id) }
        if case .deleted = store.phase { throw ProblemDetails(.notFound, "There is no such store.") }
        try await host.acquireStore(store)
        do {
            let mark = unfinishedPath + Self.storeRecordName, record: JSONValue = ["storeId": .string(store.id)]
            try await runBlocking { try DiskFiles.createFile(mark, record.encodeText()) }
            let outcome = try await copy(store, to: unfinishedPath, host, sources)
            let fence = store.fence
            try await runBlocking { fence?.checkTakeover() }
            // If another node has acquired the store meanwhile, it writes to the store, so the copy is useless.
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

    /// Copies a store to an existing folder. The caller must hold the lock `turnLock` of the store.
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
            return try await copyRemaining(
                try await runBlocking {
                    var keys = try copier.copyKeys(of: store.folder)
                    keys.addOutcome(try copier.copyDatabases(of: store.folder))
                    return keys
                },
                copier,
                host
            )
        }
        guard let databases = opened.core.controller?.databases else { throw ProblemDetails.databasesReplaced }
        return try await databases.withFilesKept {
            let hold = try await holdWrites(databases)
            let outcome = try await copyOpenStore(OpenStore(store: store, databases: databases), hold, copier)
            return try await copyRemaining(outcome, copier, host)
        }
    }

    /// An open store that is copied.
    private struct OpenStore: Sendable {
        let store: Store
        let databases: ChatDatabases
    }

    private func holdWrites(
        _ databases: ChatDatabases,
        waiting: @escaping @Sendable () -> Void = {}
    ) async throws -> DatabasesHold {
        guard databases.databasePaths.allSatisfy(DiskFiles.hasBytes) else { throw UncopiedDatabases(databases) }
        return try await databases.holdWrites(waiting: waiting)
    }

    /// Copies the databases and keys of an open store in the state of the hold, which ends when the state of the copies
    /// is determined.
    private func copyOpenStore(
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

    /// Copies the remaining files of a store.
    private func copyRemaining(_ copied: Outcome, _ copier: FolderCopier, _ host: StoreHost) async throws -> Outcome {
        var outcome = copied
        outcome.addOutcome(
            try await runBlocking {
                host.folders.onStep("copy the files of a store")
                let rest = try copier.copyOtherFiles(except: [])
                try copier.markStores()
                return rest
            }
        )
        guard copier.mayContinue() else { throw CancellationError() }
        return outcome
    }

    private func copyAllStores(_ host: StoreHost, _ sources: CopySources) async throws -> Outcome {
        // The list of the stores is made now, so the copy does not have stores that are created later.
        let (folders, backups) = (host.folders, host.backupSlot)
        let (stores, published) = try await host.creationLock.runLocked {
            (host.storesInDataFolder, try await runBlocking { try folders.listPublishedPaths() })
        }
        defer { backups.releaseHeld() }
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
            // A store whose databases are being replaced may be opened at any time, so its files cannot be copied. It is
            // copied after the other stores.
            if let databases = opened.core.controller?.databases {
                open.append(OpenStore(store: store, databases: databases))
            } else if store.isFirst {
                throw ProblemDetails.databasesReplaced
            }
        }
        backups.releaseHeld(except: Set((open.map(\.store) + locked).map(\.id)))
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
        return try await keepingFiles(of: open.map(\.databases)[...]) {
            try await copyOpenAndLocked(opened, closed, of: stores, copier, host)
        }
    }

    /// Number of open stores that are copied at a time, and number of further stores that are copied at once because a
    /// write waits.
    private static let (maxCopiesAtOnce, maxAwaitedAtOnce) = (2, 30)
    /// Number of stores whose writes the backup begins to block at a time.
    private static let maxHoldsBegun = 64

    /// Copies the stores whose locks `turnLock` the backup holds, and then the other files.
    ///
    /// The copy has the state of one moment, in which the writes of all stores wait. Then one store after the other is
    /// copied, first the stores for which a write waits. Writes to a store go on when the state of its copy is
    /// determined. A store for which the backup gave way is copied again later, in the state of that time.
    /// - Parameter stores: all stores of the copy.
    private func copyOpenAndLocked(
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
            // Each copy uses descriptors that the budget sets aside for a store with open databases.
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
                        parts[store.id] = try await copyPart(store, controller, copier, host) { copier in
                            try await copyOpenStore(open[index], hold, copier) { backups.releaseTurn(of: store.id) }
                        }
                    }
                    return parts
                }
            }
            return try await group.reduce(into: [:]) { $0.merge($1) { _, last in last } }
        }
        for store in locked {
            parts[store.id] = try await copyPart(store, nil, copier, host) { copier in
                try await copyLockedStore(store, copier)
            }
        }
        let emptied = backups.takeEmptied()
        let again = stores.filter { parts[$0.id] == nil || emptied.contains($0.id) }
        return try await copyLater(again[...], parts, copier, host) {
            try await copyOtherFiles($0, of: stores, snapshots, copier, host)
        }
    }

    /// Copies the other files, after the stores.
    /// - Parameters:
    ///   - parts: the copied stores.
    ///   - stores: all stores of the copy.
    private func copyOtherFiles(
        _ parts: [String: Outcome],
        of stores: [Store],
        _ snapshots: [Snapshot],
        _ copier: FolderCopier,
        _ host: StoreHost
    ) async throws -> Outcome {
        var parts = parts
        if stores.contains(where: { $0.isFirst && parts[$0.id] == nil }) { throw ProblemDetails.firstStoreInUse }
        let left = Set(stores.filter { parts[$0.id] == nil }.map(\.folder.path))
        var outcome = Outcome()
        outcome.addOutcome(try await runBlocking { try writeSnapshots(snapshots, copier) })
        outcome.addOutcome(
            try await runBlocking {
                host.folders.onStep("copy the other files")
                return try copier.copyOtherFiles(except: snapshots.map(\.path), without: left)
            }
        )
        // Later deletions find a complete copy, which has the state before.
        let emptied = host.backupSlot.takeEmptied()
        if emptied.contains(StoresResource.firstStoreID) { throw ProblemDetails.firstStoreInUse }
        for store in stores where emptied.contains(store.id) {
            await removePart(of: store, copier)
            parts[store.id] = nil
        }
        let missing = stores.filter { parts[$0.id] == nil }
        try await runBlocking { try copier.markStores(except: Set(missing.map(\.folder.path))) }
        guard copier.mayContinue() else { throw CancellationError() }
        for part in parts.values { outcome.addOutcome(part) }
        outcome.storesLeftOut = missing.map(\.id).filter { host.findStore($0) != nil }
        return outcome
    }

    /// Copies a store while the backup holds the store's lock `turnLock`.
    /// - Parameter controller: the controller of an open store; nil for a locked store.
    /// - Returns: nil when the backup gave way for the store, or the databases of the store were replaced meanwhile. The
    ///   copy then has no files of the store.
    private func copyPart(
        _ store: Store,
        _ controller: ChatController?,
        _ copier: FolderCopier,
        _ host: StoreHost,
        _ body: (FolderCopier) async throws -> Outcome
    ) async throws -> Outcome? {
        let backups = host.backupSlot
        guard try backups.beginPart(of: store.id) else { return nil }
        defer { backups.endPart(of: store.id) }
        var copier = copier
        copier.mayContinue = backups.mayContinue(of: store.id)
        do { return try await body(copier) } catch {
            guard backups.isInterrupted(store.id) || store.hasReplacedDatabases(controller), !backups.isStopped() else {
                throw error
            }
            await removePart(of: store, copier)
            return nil
        }
    }

    /// Copies stores later than the other stores, one after the other, and calls `body`. No file of these stores is moved
    /// to the object storage before `body` returns.
    /// - Parameters:
    ///   - parts: the copied stores.
    ///   - body: gets the copied stores. A store is missing if it was deleted, if the backup gave way for it again, or if
    ///     its databases are being replaced.
    private func copyLater(
        _ stores: ArraySlice<Store>,
        _ parts: [String: Outcome],
        _ copier: FolderCopier,
        _ host: StoreHost,
        _ body: ([String: Outcome]) async throws -> Outcome
    ) async throws -> Outcome {
        guard let store = stores.first else { return try await body(parts) }
        var parts = parts
        parts[store.id] = nil
        await removePart(of: store, copier)
        try host.backupSlot.recordTurnWait(of: store.id)
        let turn = await store.lifecycleLock.acquireTurn()
        let mayCopy = try host.backupSlot.recordTurnTaken(of: store.id, release: turn.end)
        let opened = store.openedStore
        let controller = opened?.core.controller
        let databases = controller?.databases
        guard mayCopy, host.findStore(store.id) != nil, opened == nil || databases != nil else {
            host.backupSlot.releaseHeld()
            turn.end()
            return try await copyLater(stores.dropFirst(), parts, copier, host, body)
        }
        let copied = parts
        return try await keepingFiles(of: databases.map { [$0] } ?? []) {
            var parts = copied
            parts[store.id] = try await copyPart(store, controller, copier, host) { copier in
                guard let databases else { return try await copyLockedStore(store, copier) }
                let hold = try await holdWrites(databases)
                return try await copyOpenStore(OpenStore(store: store, databases: databases), hold, copier) {
                    host.backupSlot.releaseTurn(of: store.id)
                }
            }
            turn.end()
            return try await copyLater(stores.dropFirst(), parts, copier, host, body)
        }
    }

    private func copyLockedStore(_ store: Store, _ copier: FolderCopier) async throws -> Outcome {
        try await runBlocking {
            copier.storeFolders.onStep("copy a store")
            var copied = try copier.copyKeys(of: store.folder)
            copied.addOutcome(try copier.copyDatabases(of: store.folder))
            return copied
        }
    }

    /// Removes the copied files of a store.
    private func removePart(of store: Store, _ copier: FolderCopier) async {
        guard store.isFirst else {
            return await removeStoreFolder(copier.relativePath(store.folder.path), copier.sources)
        }
        let (folder, destroysKeys) = (store.folder, encryptionSecret != nil)
        await runCleanup { copier.removeFirstStore(folder, destroyingKeys: destroysKeys) }
    }

    /// Removes the copied files of a store other than the first store.
    /// - Parameter path: the path of the folder of the store, relative to the folder of the copy.
    func removeStoreFolder(_ path: String, _ sources: CopySources) async {
        // The file of an encrypted copy is written later. Until then, the unencrypted keys are only in the data folder.
        let (copied, destroysKeys) = (StoreFolder(path: unfinishedPath + "/" + path), encryptionSecret != nil)
        await runCleanup {
            if destroysKeys { copied.destroyKeys() }
            DiskFiles.removeTree(copied.path)
        }
        sources.removeStates(below: path + "/")
    }

    /// Blocks the writes of all stores for which the backup has not given way.
    /// - Returns: the holds, by the numbers of the stores.
    private func holdWrites(
        _ open: [OpenStore],
        _ order: CopyOrder,
        _ backups: BackupSlot
    ) async throws -> [Int: DatabasesHold] {
        try await withThrowingTaskGroup(of: (Int, DatabasesHold?).self) { group in
            var holds: [Int: DatabasesHold] = [:]
            for (index, one) in open.enumerated() {
                if index >= Self.maxHoldsBegun, let (index, hold) = try await group.next() { holds[index] = hold }
                group.addTask {
                    let controller = one.store.openedStore?.core.controller
                    do {
                        let hold = try await holdWrites(one.databases, waiting: { order.recordWaitingWrite(index) })
                        guard backups.addToHold(one.store.id, hold.end) else {
                            hold.end()
                            return (index, nil)
                        }
                        return (index, hold)
                    } catch {
                        // Databases that are being closed or replaced cannot be held.
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

    private func keepingFiles<T>(
        of databases: ArraySlice<ChatDatabases>,
        _ body: () async throws -> T
    ) async throws -> T {
        guard let first = databases.first else { return try await body() }
        return try await first.withFilesKept { try await keepingFiles(of: databases.dropFirst(), body) }
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
