internal import ChatCore
internal import Concurrency
internal import Files

/// Stores that several nodes share. Only one node at a time has a store.
extension StoreHost {
    /// Loads the folder of a store that this node has not loaded yet. Does nothing if no other node shares the stores,
    /// because all stores are loaded then.
    func loadStore(_ id: String) async {
        // An id without a folder is ignored before the lock is acquired, because clients can send any id.
        guard settings.placement != nil, StoreID.isID(id), findStore(id) == nil,
            (try? await runBlocking({ [folders] in DiskFiles.exists(folders.makeStoreFolder(id).path) })) == true
        else { return }
        await loadLock.runLocked {
            guard findStore(id) == nil else { return }
            let fault: String? = try? await runBlocking { [self] () -> String? in
                let folder = folders.makeStoreFolder(id)
                guard let record = folder.readRecord() else {
                    // Another node may have deleted the store after this node has found its folder.
                    return DiskFiles.exists(folder.path) ? folder.recordFault ?? "the record has changed" : nil
                }
                do { try addStore(id, record) } catch { return "\(error)" }
                return nil
            }
            // Each request for the store, and each list of the stores, tries to read the record. So the same fault is
            // logged only once.
            guard loggedReadFaults.recordFault(fault, of: id), let fault else { return }
            log.error("a store cannot be read", metadata: ["store": "\(id)", "error": "\(fault)"])
        }
    }

    /// Returns the stores in the folder that all nodes share. Loads the stores that this node has not loaded yet. A
    /// store that another node has deleted is left out.
    func loadSharedStores() async -> [Store] {
        guard let ids = try? await runBlocking({ [folders] in try folders.listIDs() }) else { return otherStores }
        for id in ids { await loadStore(id) }
        let present = Set(ids)
        loggedReadFaults.keepOnlyStores(present)
        return otherStores.filter { present.contains($0.id) || $0.openedStore != nil }
    }

    /// Acquires a store for this node. The caller must hold the lock `lifecycleLock` of the store. Does nothing for a
    /// single node, nor for the first store, which always belongs to its node.
    func acquireStore(_ store: Store) async throws(ProblemDetails) {
        guard let placement = settings.placement, !store.isFirst else { return }
        if store.lease != nil {
            if !store.isLeaseLost { return }
            await closeStore(store, .endedNormally)
            store.setLease(nil, nil)
        }
        let (path, folder) = (store.folder.fencePath, store.folder.path)
        do {
            let floor = try await runBlocking { try WriteFence.readToken(at: path) }
            let lease = try await placement.acquireStore(store.id, above: floor)
            do {
                let fence = try await runBlocking { [folders, id = store.id] in
                    let fence = try WriteFence.claimFiles(path, token: lease.token, isValid: lease.isValid)
                    // After a completed replacement, the folder has the fence of the node that began the replacement.
                    // So this node claims the fence again.
                    return try folders.finishReplacement(id)
                        ? WriteFence.claimFiles(path, token: lease.token, isValid: lease.isValid) : fence
                }
                store.setLease(lease, fence)
                try await rereadFiles(store)
            } catch {
                store.setLease(nil, nil)
                // If the folder is gone, another node has deleted the store.
                if !DiskFiles.isFolder(folder) {
                    await placement.removeStore(store.id, lease)
                    store.changePhase(.deleted)
                    removeStore(store)
                    throw ProblemDetails(.notFound, "There is no such store.")
                }
                await placement.releaseStore(store.id, lease, isWanted: nil)
                throw error
            }
        } catch {
            if let error = error as? PlacementError {
                // Only the node that has the store knows whether the store can be opened.
                store.setOpeningFailed(false)
                throw ProblemDetails(error)
            }
            if let problem = error as? ProblemDetails { throw problem }
            log.error("a store cannot be taken over", metadata: ["store": "\(store.id)", "error": "\(error)"])
            var problem = ProblemDetails(.unavailable, "The store cannot be taken over: \(error).")
            problem.headers = [("Retry-After", "2")]
            throw problem
        }
    }

    /// Reads the files beside the databases of a store again, since another node may have changed them.
    private func rereadFiles(_ store: Store) async throws {
        let folder = store.folder
        let (record, hasAppPassword, crashes) = try await runBlocking {
            guard let record = folder.readRecord() else {
                throw ProblemDetails(.internalError, "The store's record cannot be read.")
            }
            let hasAppPassword = (try DiskFiles.readFile(folder.passwordsPath)) != nil
            // Only the app password opens the store, so the key file is destroyed, as at the start of the gateway.
            if hasAppPassword { folder.destroyKeyFile() }
            return (record, hasAppPassword, folder.crashCount.crashCount)
        }
        store.setCrashCount(crashes)
        store.replaceRecord(record)
        store.setHasAppPassword(hasAppPassword)
        try await runBlocking { [keyRing, id = store.id] in keyRing.reloadKeys(id) }
    }

    /// Releases a store that is not open. The caller must hold the lock `lifecycleLock` of the store.
    /// - Parameter isWanted: whether another node has to open the store without a request. For a store that was not
    ///   open on this node, nil leaves this setting unchanged.
    func releaseStore(_ store: Store, isWanted: Bool? = nil) async {
        guard let placement = settings.placement, let lease = store.lease, store.openedStore == nil else { return }
        store.setLease(nil, nil)
        await placement.releaseStore(store.id, lease, isWanted: isWanted)
    }

    /// Runs `body` while this node has the store and no other node can have it. The store may be locked. The caller
    /// must hold the lock `lifecycleLock` of the store.
    func runWithAcquired<T>(
        _ store: Store,
        isWanted: Bool? = nil,
        _ body: () async throws(ProblemDetails) -> T
    ) async throws(ProblemDetails) -> T {
        try await acquireStore(store)
        do throws(ProblemDetails) {
            let result = try await body()
            await releaseStore(store, isWanted: isWanted)
            return result
        } catch {
            await releaseStore(store, isWanted: isWanted)
            throw error
        }
    }

    /// Closes a store and passes it to another node, which opens the store. The streams of the store end, and their
    /// clients continue at the other node with their cursors.
    func moveStore(_ store: Store, to node: String) async throws(ProblemDetails) {
        guard let placement = settings.placement else {
            throw ProblemDetails(.conflict, "This gateway is not one of several nodes.")
        }
        guard !store.isFirst else {
            throw ProblemDetails(.conflict, "The first store belongs to its node and cannot be moved.")
        }
        // The progress counts three steps: running work has ended, the store is closed, and the other node may open the
        // store.
        let progress = WorkProgress.currentProgress
        progress?.beginCounting(.steps, of: 3)
        let result: Result<Void, ProblemDetails> = await runLockedForClosing(of: store) {
            do throws(ProblemDetails) {
                if case .deleted = store.phase { throw ProblemDetails(.notFound, "There is no such store.") }
                try await acquireStore(store)
                progress?.advance(to: 1)
                guard node != placement.node else {
                    await releaseStore(store)
                    progress?.advance(to: 3)
                    return .success(())
                }
                let isOpen = store.openedStore != nil
                do throws(PlacementError) {
                    try await placement.checkCapacity(of: node)
                    await closeStore(store, .endedNormally)
                    progress?.advance(to: 2)
                    guard let lease = store.lease else { return .success(()) }
                    try await placement.passStore(store.id, lease, to: node, isWanted: isOpen ? true : nil)
                    store.setLease(nil, nil)
                    progress?.advance(to: 3)
                } catch {
                    // The move has failed, so this node opens the store again. If the placement has given the store to
                    // the other node in spite of the error, the store's fence refuses the writes of this node.
                    if isOpen, store.openedStore == nil { try? await unlockUnderLock(store, nil) }
                    await releaseStore(store, isWanted: isOpen ? true : nil)
                    throw ProblemDetails(error)
                }
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    /// Number of stores that one request can pass to other nodes.
    static let maxMovedStores = 16

    /// Passes open stores to other nodes that have room, the longest unused ones first.
    /// - Parameter keep: the number of open stores that stay on this node, besides the first store; nil for an equal
    ///   number on all running nodes.
    /// - Returns: the ids of the passed stores.
    func rebalanceStores(keep: Int?) async throws(ProblemDetails) -> [String] {
        guard let placement = settings.placement else {
            throw ProblemDetails(.conflict, "This gateway is not one of several nodes.")
        }
        let all: [PlacedNode]
        do throws(PlacementError) { all = try await placement.listNodes() } catch { throw ProblemDetails(error) }
        var targets = all.filter { $0.name != placement.node && $0.remainingStoreCapacity > 0 }
        let open = storesOpenHere.sorted { $0.lastUseMicroseconds < $1.lastUseMicroseconds }
        let used = settings.openStoreLimit.inUseCount
        let total = used + all.reduce(0) { $0 + ($1.name == placement.node ? 0 : $1.openStoreCount) }
        let mean = (total + all.count - 1) / max(1, all.count)
        var moved: [String] = []
        for store in open.prefix(min(Self.maxMovedStores, max(0, keep.map { open.count - $0 } ?? used - mean))) {
            // Without the number `keep`, a node gets stores only while it has fewer open stores than the mean of all
            // nodes.
            guard
                let index = targets.indices.filter({
                    targets[$0].remainingStoreCapacity > 0 && (keep != nil || targets[$0].openStoreCount < mean)
                })
                .min(by: { targets[$0].openStoreCount < targets[$1].openStoreCount })
            else { break }
            do throws(ProblemDetails) {
                try await moveStore(store, to: targets[index].name)
                targets[index].openStoreCount += 1
                targets[index].remainingStoreCapacity -= 1
                moved.append(store.id)
            } catch {
                log.notice(
                    "a store was not passed to another node",
                    metadata: ["store": "\(store.id)", "node": "\(targets[index].name)", "reason": "\(error.detail)"]
                )
                targets[index].remainingStoreCapacity = 0
            }
        }
        return moved
    }

    /// The stores, besides the first, that this node has open.
    var storesOpenHere: [Store] { otherStores.filter { $0.openedStore != nil && !$0.isLeaseLost } }

    /// Whether a request must wait until the store is open on this node.
    func isClosed(_ store: Store) -> Bool {
        guard !store.isFirst, settings.idleLimit != nil || settings.placement != nil else { return false }
        switch store.phase {
        case .deleted: return false
        // A store that is open here is closed for requests if another node has acquired it.
        case .unlocked: return store.isLeaseLost
        case .locked, .unlocking, .locking:
            return store.canOpenByItself && !store.isHeldClosed || settings.placement != nil
        }
    }

    /// Opens a store for a request.
    func openForRequest(_ store: Store) async throws(ProblemDetails) {
        guard !store.canOpenByItself else {
            try await checkRoomForStore(store)
            return try await openPasswordlessStore(store)
        }
        // The store is acquired first, because another node may have it open.
        let result: Result<Void, ProblemDetails> = await store.lifecycleLock.runLocked {
            do throws(ProblemDetails) {
                guard store.openedStore == nil || store.isLeaseLost else { return .success(()) }
                // The store opens only with its password, so no other node has to open it without a request.
                try await runWithAcquired(store, isWanted: false) { () async throws(ProblemDetails) in }
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        try result.get()
        // The acquisition has read the record again. Another node may have changed the store to one that opens without
        // a password.
        if store.openedStore == nil, store.canOpenByItself { try await openPasswordlessStore(store) }
    }

    /// Refuses to open a store if another node can open the store, and this node has reached its limit of open stores
    /// or is to open no further stores. The problem names the other node.
    private func checkRoomForStore(_ store: Store) async throws(ProblemDetails) {
        guard let placement = settings.placement, store.openedStore == nil,
            settings.openStoreLimit.isFull || placement.isDraining
        else { return }
        if !placement.isDraining { await closeUnusedStoreIfFull() }
        guard settings.openStoreLimit.isFull || placement.isDraining, let node = await placement.findNodeWithRoom()
        else {
            return
        }
        // This node may have the store after a move, or because the store was open on this node before. The store is
        // released, so that the other node can acquire it.
        let isFree: Bool = await store.lifecycleLock.runLocked {
            do throws(ProblemDetails) {
                if store.openedStore == nil { try await runWithAcquired(store) { () async throws(ProblemDetails) in } }
                return true
            } catch { return false }
        }
        guard isFree, store.openedStore == nil else { return }
        var problem = ProblemDetails(
            .unavailable,
            "This node has no room for another open store. The node \(node) has room."
        )
        problem.headers = [("Retry-After", "1"), ("Sxgw-Node", node)]
        throw problem
    }

    /// Closes the stores that another node has acquired while this node had their leases. This happens when the
    /// PostgreSQL database of the placement has lost the leases.
    func closeTakenStores() async {
        for store in otherStores where store.openedStore != nil {
            guard let fence = store.fence else { continue }
            _ = try? await runBlocking { fence.checkTakeover() }
            guard fence.isTakenOver else { continue }
            log.error("another node has taken a store", metadata: ["store": "\(store.id)"])
            await runLockedForClosing(of: store) {
                guard store.fence?.isTakenOver == true else { return }
                await closeStore(store, .endedNormally)
                store.setLease(nil, nil)
            }
        }
    }

    /// Closes the stores whose leases this node has lost.
    func closeLostStores() async {
        await withTaskGroup(of: Void.self) { tasks in
            for store in otherStores where store.lease != nil {
                tasks.addTask { [self] in
                    await runLockedForClosing(of: store) {
                        guard store.lease != nil, store.isLeaseLost else { return }
                        await closeStore(store, .endedNormally)
                        store.setLease(nil, nil)
                    }
                }
            }
        }
    }

    /// Number of records that are read at a time by ``reportWantedStores()``.
    private static let recordBatchSize = 100

    /// Reports to the placement the stores that must stay open even without requests. The records of the stores are
    /// read for this, because the placement does not know stores that come from a single node or from a backup, and may
    /// have lost its data.
    /// - Returns: false if the report has failed and must be repeated.
    func reportWantedStores() async -> Bool {
        guard let placement = settings.placement,
            var left = try? await runBlocking({ [folders] in try folders.listIDs() })[...]
        else { return settings.placement == nil }
        while !left.isEmpty, !isStopped {
            let (part, folders) = (left.prefix(Self.recordBatchSize), folders)
            left = left.dropFirst(part.count)
            let wanted = try? await runBlocking { part.filter { folders.makeStoreFolder($0).staysOpen } }
            do throws(PlacementError) { try await placement.recordWantedStores(wanted ?? []) } catch { return false }
        }
        return true
    }

    /// Opens stores that this node has to open: stores of dead nodes, and stores that must stay open even without
    /// requests.
    func openOfferedStores(_ ids: [String]) async {
        for id in ids {
            guard !isStopped else { return }
            await loadStore(id)
            guard let store = findStore(id), store.openedStore == nil else { continue }
            do throws(ProblemDetails) {
                try await openForRequest(store)
            } catch {
                log.notice(
                    "a store of another node is not opened here",
                    metadata: ["store": "\(id)", "reason": "\(error.detail)"]
                )
            }
        }
    }
}

extension StoreFolder {
    /// Whether the store must stay open even without requests, opens without a password, and was not locked by a
    /// client.
    fileprivate var staysOpen: Bool {
        guard let record = readRecord() else { return false }
        return record.staysOpen == true && record.protection == .keyFile && !record.staysLocked
            && !DiskFiles.exists(passwordsPath)
    }
}
