internal import ChatCore
internal import ChatStore
internal import Concurrency
internal import Files
internal import Logging
internal import NIOCore
internal import NIOPosix
internal import SimpleXCrypto
internal import Synchronization

/// All stores of the gateway.
final class StoreHost: Sendable {
    typealias MakeServices = @Sendable (_ core: StoreCore, _ id: String?, _ fence: WriteFence?) -> GatewayServices

    let settings: StoreSettings
    let folders: StoreFolders
    /// The first store; `nil` if the gateway was started with an open core instead of a first store. Such a core cannot
    /// be locked.
    let firstStore: Store?
    let keyRing: KeyRing
    let keyFolderWatcher: KeyFolderWatcher?
    let log: Logger
    private let eventLoopGroup: any EventLoopGroup
    private let makeServices: MakeServices
    private struct OtherStores {
        var byID: [String: Store] = [:]
        /// All stores except the first, in the order of their creation. Nil after a store was added or removed, until
        /// the order is needed.
        var orderedStores: [Store]?
    }
    /// All stores except the first.
    private let stores = Mutex(OtherStores())
    private let stopFlag = Mutex(false)
    private let idleTask = Mutex<Task<Void, Never>?>(nil)
    private let backupSchedule = Mutex<(backups: ScheduledBackups, task: Task<Void, Never>)?>(nil)
    /// Tasks that end long statements of the databases while the gateway stops.
    private let statementTimeoutTasks = Mutex<[Task<Void, Never>]>([])
    /// Lock for loading stores, so that each store is loaded only once.
    let loadLock = AsyncLock()
    /// The logged faults of stores in the shared folder that cannot be read.
    let loggedReadFaults = LoggedFaults()
    /// Lock that is held while a new store gets its id as the name of its folder, or while a backup lists the stores.
    let creationLock = AsyncLock()
    /// Lock for opening stores with earlier crashes: only one such store is opened at a time.
    let crashedStoreLock = AsyncLock()
    let backupSlot = BackupSlot()
    /// Lock for restorations: only one runs at a time.
    let restorationLock = AsyncLock()
    /// Running reads of copied databases, which are ended when the gateway stops. A read is registered here while the
    /// store that is made from the copy does not exist yet.
    let copiedDatabaseReads = ForeignReads()
    /// Logs the relays to which stores have lost their sessions.
    let relayLosses: RelayLosses
    /// Removes the objects of deleted stores; nil without an object storage.
    let objectWipes: ObjectWipes?

    /// Removes remains of the last run, and loads all stores. No store is open after that.
    init(
        _ settings: StoreSettings,
        first: FirstStore? = nil,
        keys: KeyRing,
        watch: KeyFolderWatcher?,
        group: any EventLoopGroup,
        log: Logger,
        makeServices: @escaping MakeServices
    ) async throws {
        self.settings = settings
        let folders = StoreFolders(
            path: settings.folder,
            firstStoreFolder: first?.storeFolder,
            nodeName: settings.placement?.node,
            onStep: settings.onStep
        )
        self.folders = folders
        self.keyRing = keys
        self.keyFolderWatcher = watch
        self.eventLoopGroup = group
        self.log = log
        self.makeServices = makeServices
        relayLosses = RelayLosses(log: log)
        objectWipes = settings.chatConfiguration.objectSettings.map {
            ObjectWipes($0.service, folders, settling: settings.objectSettlingTime, log: log)
        }
        self.firstStore = try await runBlocking {
            try folders.completeUnfinishedSteps()
            return try first?.makeStore(settings.unlockDelay)
        }
        try await runBlocking { [self] in try loadStores() }
        keys.onCredentialsChange { [weak self] store, valid in
            guard let self, let services = (store.map(findStore) ?? self.firstStore)?.openedStore?.services else {
                return
            }
            services.endReaders(except: valid)
        }
        if let limit = settings.idleLimit {
            let task = startIdleClosing(after: limit)
            idleTask.withLock { $0 = task }
        }
        objectWipes?.start()
        settings.placement?.onLeaseLoss { [weak self] in await self?.closeLostStores() }
        settings.placement?.onRegistration { [weak self] in await self?.reportWantedStores() ?? true }
        settings.placement?.onStoreOffer { [weak self] in await self?.openOfferedStores($0) }
    }

    /// Loads the stores at the start. A store that cannot be read is left out.
    private func loadStores() throws {
        // If several nodes share the stores, no store is loaded at the start. Each store is loaded when a request names
        // it.
        for id in try settings.placement == nil ? folders.listIDs() : [] {
            let folder = folders.makeStoreFolder(id)
            guard let record = folder.readRecord() else {
                log.error(
                    "a store cannot be read and is left out",
                    metadata: ["store": "\(id)", "error": "\(folder.recordFault ?? "it has changed")"]
                )
                continue
            }
            do { try addStore(id, record) } catch {
                log.error(
                    "a store cannot be read and is left out",
                    metadata: ["store": "\(id)", "error": "\(error)"]
                )
            }
        }
    }

    @discardableResult
    func addStore(_ id: String, _ record: StoreRecord) throws -> Store {
        let folder = folders.makeStoreFolder(id)
        let hasAppPassword = (try DiskFiles.readFile(folder.passwordsPath)) != nil
        // The key file may still exist if the process ended while an app password was set or removed. A store with an
        // app password is opened only by that password.
        if hasAppPassword { folder.destroyKeyFile() }
        let store = Store(id, folder, record, hasAppPassword: hasAppPassword, settings.unlockDelay)
        // The watch begins before the keys are read, so that it notices all later changes.
        if keyFolderWatcher?.watchFolder(folder.path, store: id) == false {
            log.warning(
                "changes of keys by other processes are seen only at SIGHUP, and after a restart",
                metadata: ["store": "\(id)"]
            )
        }
        keyRing.addStoreEvenIfUnreadable(id, file: KeyFile(folder: folder.path, store: id))
        logIfHeldClosed(store)
        stores.withLock { ($0.byID[id], $0.orderedStores) = (store, nil) }
        return store
    }

    /// All stores except the first store, in the order of their creation.
    var otherStores: [Store] {
        stores.withLock { stores in
            if let ordered = stores.orderedStores { return ordered }
            let ordered = stores.byID.values.map { (created: $0.record.createdAtSeconds, store: $0) }
                .sorted { ($0.created, $0.store.id) < ($1.created, $1.store.id) }
                .map(\.store)
            stores.orderedStores = ordered
            return ordered
        }
    }

    /// All stores, the first store before the others.
    var allStores: [Store] { (firstStore.map { [$0] } ?? []) + otherStores }

    /// The stores in the data folder. Stores that several nodes share are in another folder, and are left out.
    var storesInDataFolder: [Store] { settings.placement == nil ? allStores : firstStore.map { [$0] } ?? [] }

    /// Whether the id may be the id of a store that was not loaded yet.
    func mayNameUnloadedStore(_ id: String) -> Bool {
        settings.placement != nil && StoreID.isID(id) && findStore(id) == nil
    }

    func findStore(_ id: String) -> Store? {
        id == StoreID.firstStore ? firstStore : stores.withLock { $0.byID[id] }
    }

    func requireStore(_ id: String) throws(ProblemDetails) -> Store {
        guard let store = findStore(id) else { throw ProblemDetails(.notFound, "There is no such store.") }
        return store
    }

    func requireServices(of id: String) throws(ProblemDetails) -> GatewayServices {
        // The store was deleted, so its key is no longer valid.
        guard let store = findStore(id) else { throw ProblemDetails(.unauthorized) }
        return try store.requireServices()
    }

    /// Opens the stores that need no password, except the first store. A store that cannot be opened stays locked.
    func openPasswordlessStores() async {
        let own =
            otherStores
            .filter {
                $0.canOpenByItself && !$0.isHeldClosed && (settings.idleLimit == nil || $0.record.staysOpen != false)
            }
            .sorted { $0.crashCount < $1.crashCount }
        await withTaskGroup(of: Void.self) { tasks in
            for (index, store) in own.enumerated() {
                if index >= 4 { await tasks.next() }
                tasks.addTask { [self] in
                    do throws(ProblemDetails) { try await openPasswordlessStore(store) } catch {
                        log.error(
                            "a store does not open",
                            metadata: ["store": "\(store.id)", "reason": "\(error.detail)"]
                        )
                    }
                }
            }
        }
    }

    /// Acquires the lock `lifecycleLock` of the store, and runs `body`, which closes the store. A running backup gives
    /// way. Other work that holds the lock gets some time. After this time, the database statements of this work are
    /// ended.
    func runLockedForClosing<T>(of store: Store, _ body: () async throws -> T) async rethrows -> T {
        backupSlot.giveWay(for: store.id)
        let end = store.startTimeoutTask(after: settings.storeClosingTimeout)
        return try await store.lifecycleLock.runLocked {
            end.cancel()
            defer { if store.openedStore != nil { store.resumeWork() } }
            return try await body()
        }
    }

    func removeStore(_ store: Store) {
        stores.withLock { ($0.byID[store.id], $0.orderedStores) = (nil, nil) }
        keyFolderWatcher?.unwatchStore(store.id)
        keyRing.removeStore(store.id)
    }

    /// The backups that the gateway makes by a schedule; nil without a schedule.
    var scheduledBackups: ScheduledBackups? { backupSchedule.withLock { $0?.backups } }

    /// Starts to make backups by a schedule, until ``beginStopping()``.
    func startBackups(_ backups: ScheduledBackups) {
        backupSchedule.withLock { $0 = (backups, Task { await backups.run() }) }
    }

    /// Ends the scheduled tasks, a running backup, and all streams of all stores.
    func beginStopping() async {
        stopFlag.withLock { $0 = true }
        idleTask.withLock { $0 }?.cancel()
        backupSchedule.withLock { $0?.task }?.cancel()
        copiedDatabaseReads.endReads()
        // A backup, requests and streams that end may wait for the databases, so long statements are ended.
        statementTimeoutTasks.withLock {
            $0 = allStores.map { $0.startTimeoutTask(after: settings.storeClosingTimeout) }
        }
        await backupSlot.stop()
        await objectWipes?.stop()
        for store in allStores {
            await store.openedStore?.services.endStreams()
        }
    }

    var isStopped: Bool { stopFlag.withLock { $0 } }

    /// Closes the databases of all stores.
    func closeAllStores() async {
        await withTaskGroup(of: Void.self) { tasks in
            for store in allStores {
                tasks.addTask { [self] in
                    await runLockedForClosing(of: store) {
                        guard let opened = store.openedStore else { return }
                        let isWanted = await self.mustStayOpen(store, opened)
                        await closeStore(store, .endedNormally)
                        await releaseStore(store, isWanted: isWanted)
                    }
                }
            }
        }
        for end in statementTimeoutTasks.withLock({ $0 }) { end.cancel() }
    }

    // MARK: Opening

    /// Opens the core of a store with the databases in its folder.
    /// - Parameter missing: the policy for missing databases. An existing store always has databases. If new databases
    ///   could be made, any passphrase would be accepted.
    func openCore(
        _ folder: StoreFolder,
        _ keyring: StoreKeyring,
        _ fence: WriteFence? = nil,
        missing: ChatConfiguration.MissingDatabasePolicy,
        limits: StoreLimits? = nil,
        objects: String? = nil,
        of store: Store? = nil,
        work: StoreWork = StoreWork()
    ) async throws(ChatOpenError) -> ChatController {
        var chat = settings.chatConfiguration
        chat.missingDatabasePolicy = missing
        let isFirst = store?.isFirst ?? false
        if let id = store?.id {
            chat.storeID = id
            chat.onRelayLost = { [relayLosses] in relayLosses.recordLoss(of: $0, in: id, queues: $1, messages: $2) }
        }
        if let reach = settings.relayAddressPolicy, !isFirst {
            chat.clientConfiguration.transport.addressRule = { reach.permits($0, $1, $2) }
            chat.clientConfiguration.transport.forwardingRule = { await reach.resolveHosts(of: $0, behind: $1) }
        }
        if let limits { chat.storeLimits = limits }
        if let objects { chat.objectSettings?.folder = objects } else { chat.objectSettings = nil }
        chat.dataDirectory = folder.path
        chat.databasePrefix = folder.path + "/simplex_v1"
        chat.keyring = keyring
        chat.databaseKey = keyring.currentKey
        chat.writeFence = fence
        chat.isCopy = (try? await runBlocking { DiskFiles.exists(folder.copyMarkPath) }) ?? false
        let core = try await ChatController.open(chat, work: work, group: eventLoopGroup)
        if chat.isCopy {
            await runCleanup {
                DiskFiles.removeFile(folder.copyMarkPath)
                DiskFiles.syncParentFolder(of: folder.copyMarkPath)
            }
        }
        return core
    }

    /// Returns the limits of a store.
    func limits(of store: Store) -> StoreLimits { store.record.effectiveLimits(settings.chatConfiguration.storeLimits) }

    /// Copies the rows from the databases of a copy into new databases of a store. Does nothing if the folder has no
    /// databases of a copy.
    func adoptCopy(
        in folder: StoreFolder,
        _ key: DatabaseKey,
        _ fence: WriteFence? = nil,
        objects: String?,
        reading: ForeignReads
    ) async throws(ChatOpenError) {
        let copied = folder.copiedDatabases
        guard (try? await runBlocking { copied.hasFiles }) != false else { return }
        let left = try await copied.takeOverRows(
            key: key,
            objects: objects,
            program: settings.chatConfiguration.readerProgram,
            fence: fence,
            reading: reading
        )
        for part in left {
            log.warning(
                "a part of a copy was not taken over",
                metadata: ["folder": "\(folder.path)", "part": "\(part)"]
            )
        }
    }

    /// Opens a store. The opening may be a part of longer work, such as a restoration. The tasks of the store continue
    /// after this work, so they do not report the progress of this work.
    func openStore(_ store: Store, _ keyring: StoreKeyring) async throws(ChatOpenError) -> OpenedStore {
        try await WorkProgress.withoutProgress { () async throws(ChatOpenError) in
            try await openStoreWithoutProgress(store, keyring)
        }
    }

    private func openStoreWithoutProgress(
        _ store: Store,
        _ keyring: StoreKeyring
    ) async throws(ChatOpenError) -> OpenedStore {
        guard settings.openStoreLimit.takeUnit() else {
            throw .otherError("the limit of open files allows no more open stores")
        }
        let (controller, opening): (ChatController, Task<Void, Never>)
        do throws(ChatOpenError) { (controller, opening) = try await startCore(of: store, keyring) } catch {
            settings.openStoreLimit.returnUnit()
            throw error
        }
        let (folder, fence) = (store.folder, store.fence)
        let core = StoreCore(controller, share: settings.processorShares.makeShare(), log: log) { [weak self] in
            guard let self else { throw CancellationError() }
            let work = StoreWork()
            store.setWork(work)
            return try await openCore(
                folder,
                keyring,
                fence,
                missing: .createIfEmptied,
                limits: limits(of: store),
                objects: store.record.objectFolder,
                of: store,
                work: work
            )
        }
        var services = makeServices(core, store.isFirst ? nil : store.id, fence)
        // Requests with keys of the first store can manage the other stores. The services are released, together with
        // this reference, when the store is locked or the gateway stops.
        if store.isFirst { services.storeHost = self }
        if settings.idleLimit != nil || settings.placement != nil, !store.isFirst {
            services.planOpening = { [weak store] in await store?.beginPlanning(fence) }
        }
        services.deliveries?.start()
        if let broker = settings.broker {
            services.brokerFeed = BrokerFeed(
                core.eventSource,
                store: store.id,
                tenant: store.record.tenant ?? Tenant.defaultName,
                broker,
                log: log
            ) { [weak store] in
                guard let store else { return true }
                let fence = store.fence
                _ = try? await runBlocking { fence?.checkTakeover() }
                return store.isLeaseLost
            }
            services.brokerFeed?.start()
        }
        return OpenedStore(
            services: services,
            core: core,
            keyring: keyring,
            openStoreLimit: settings.openStoreLimit,
            openingTask: opening
        )
    }

    /// Opens the core of a store, and starts it.
    /// - Returns: the core, and a task that ends the opening later.
    private func startCore(
        of store: Store,
        _ keyring: StoreKeyring
    ) async throws(ChatOpenError) -> (ChatController, Task<Void, Never>) {
        guard let opening = await beginOpening(store) else { throw .otherError(CrashCount.heldClosedReason) }
        // While a store with earlier crashes is opened, other stores may wait for it, so its long statements are ended.
        let end =
            opening.crashedStoreTurn == nil ? nil : store.startTimeoutTask(after: settings.crashedStoreStatementTimeout)
        defer { end?.cancel() }
        do throws(ChatOpenError) {
            let work = StoreWork()
            store.setWork(work)
            try await assignObjectFolder(store)
            try await adoptCopy(
                in: store.folder,
                keyring.currentKey,
                store.fence,
                objects: store.record.objectFolder,
                reading: work.foreignReads
            )
            // A passphrase can be mistyped. A key from a file or from a password vault cannot.
            let isRight = store.record.protection == .keyFile || store.hasAppPassword
            let controller = try await openCore(
                store.folder,
                keyring,
                store.fence,
                missing: isRight ? .createIfEmptied : .refuse,
                limits: limits(of: store),
                objects: store.record.objectFolder,
                of: store,
                work: work
            )
            do { try await controller.start() } catch {
                await controller.close()
                throw ChatOpenError.otherError("\(error)")
            }
            return (controller, endOpeningLater(opening, of: store))
        } catch {
            await endOpening(opening, of: store)
            throw error
        }
    }
}
