internal import ChatCore
internal import Concurrency
internal import Files

/// Stores that several nodes have, each at its time.
extension StoreHost {
    /// Makes a store of the folder known here. Where there is one node, all are.
    func attach(_ id: String) async {
        // Ids that somebody invents are not waited for.
        guard settings.placement != nil, StoreFolders.isID(id), find(id) == nil, DiskFiles.exists(folders.folder(id).path) else { return }
        await attaching.run {
            guard find(id) == nil else { return }
            do {
                try await blocking { [self] in
                    guard let record = folders.folder(id).readRecord() else { return }
                    try add(id, record)
                }
            } catch {
                log.error("a store cannot be read", metadata: ["store": "\(id)", "error": "\(error)"])
            }
        }
    }

    /// In its turn. Makes this node the one that has the store. Nothing where there is one node, and for the first store, which is the node's own.
    func hold(_ store: Store) async throws(ProblemDetails) {
        guard let placement = settings.placement, !store.isFirst else { return }
        if store.lease != nil {
            if !store.isLost { return }
            await close(store, .ended)
            store.set(nil, nil)
        }
        let (path, folder) = (store.folder.fence, store.folder.path)
        do {
            let floor = try await blocking { try WriteFence.token(at: path) }
            let lease = try await placement.acquire(store.id, above: floor)
            do {
                let fence = try await blocking { [folders, id = store.id] in
                    let fence = try WriteFence.claim(path, token: lease.token, isValid: lease.isValid)
                    // The folder that takes its place has the fence of the node that began with it.
                    return try folders.finishReplacing(id) ? WriteFence.claim(path, token: lease.token, isValid: lease.isValid) : fence
                }
                store.set(lease, fence)
                try await refresh(store)
            } catch {
                store.set(nil, nil)
                // It was deleted by another node.
                if !DiskFiles.isFolder(folder) {
                    await placement.forget(store.id, lease)
                    store.set(.deleted)
                    remove(store)
                    throw ProblemDetails(.notFound, "There is no such store.")
                }
                await placement.release(store.id, lease, isWanted: nil)
                throw error
            }
        } catch {
            if let error = error as? PlacementError { throw ProblemDetails(error) }
            if let problem = error as? ProblemDetails { throw problem }
            log.error("a store cannot be taken over", metadata: ["store": "\(store.id)", "error": "\(error)"])
            var problem = ProblemDetails(.unavailable, "The store cannot be taken over: \(error).")
            problem.headers = [("Retry-After", "2")]
            throw problem
        }
    }

    /// Another node may have changed what is outside of the databases.
    private func refresh(_ store: Store) async throws {
        let folder = store.folder
        let (record, hasAppPassword, crashes) = try await blocking {
            guard let record = folder.readRecord() else { throw ProblemDetails(.internalError, "The store's record cannot be read.") }
            let hasAppPassword = (try DiskFiles.read(folder.passwords)) != nil
            // As at the start: that password is what opens the store.
            if hasAppPassword { folder.destroyKeyFile() }
            return (record, hasAppPassword, folder.openings.value)
        }
        store.set(crashes: crashes)
        store.replace(record)
        store.set(hasAppPassword: hasAppPassword)
        try await blocking { [keys, id = store.id] in keys.reload(id) }
    }

    /// In its turn. Gives up a store that is not open.
    /// - Parameter isWanted: whether another node is to open it though nobody asks for it; nil for as it was, where it was not open here.
    func letGo(_ store: Store, isWanted: Bool? = nil) async {
        guard let placement = settings.placement, let lease = store.lease, store.opened == nil else { return }
        store.set(nil, nil)
        await placement.release(store.id, lease, isWanted: isWanted)
    }

    /// In its turn. Runs what changes a store that may be locked, while no other node has it.
    func holding<T>(_ store: Store, isWanted: Bool? = nil, _ body: () async throws(ProblemDetails) -> T) async throws(ProblemDetails) -> T {
        try await hold(store)
        do throws(ProblemDetails) {
            let result = try await body()
            await letGo(store, isWanted: isWanted)
            return result
        } catch {
            await letGo(store, isWanted: isWanted)
            throw error
        }
    }

    /// Closes a store and gives it to another node, which opens it. Streams end, and go on there by their cursors.
    func move(_ store: Store, to node: String) async throws(ProblemDetails) {
        guard let placement = settings.placement else { throw ProblemDetails(.conflict, "This gateway is no node of several.") }
        guard !store.isFirst else { throw ProblemDetails(.conflict, "The first store is the node's own, and stays there.") }
        let result: Result<Void, ProblemDetails> = await closingTurn(of: store) {
            do throws(ProblemDetails) {
                if case .deleted = store.phase { throw ProblemDetails(.notFound, "There is no such store.") }
                try await hold(store)
                guard node != placement.node else {
                    await letGo(store)
                    return .success(())
                }
                let isOpen = store.opened != nil
                do throws(PlacementError) {
                    try await placement.checkRoom(of: node)
                    await close(store, .ended)
                    guard let lease = store.lease else { return .success(()) }
                    try await placement.give(store.id, lease, to: node, isWanted: isOpen ? true : nil)
                    store.set(nil, nil)
                } catch {
                    // It goes on here: where it was given away all the same, its fence says so.
                    if isOpen, store.opened == nil { try? await unlockInTurn(store, nil) }
                    await letGo(store, isWanted: isOpen ? true : nil)
                    throw ProblemDetails(error)
                }
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    /// Whether a request has to wait until the store is open here.
    func isClosed(_ store: Store) -> Bool {
        guard !store.isFirst, settings.closesAfter != nil || settings.placement != nil else { return false }
        switch store.phase {
        case .deleted: return false
        // Another node may have it by now.
        case .unlocked: return store.isLost
        case .locked, .unlocking, .locking: return store.opensByItself && !store.isHeld || settings.placement != nil
        }
    }

    /// Opens a store for a request.
    func open(_ store: Store) async throws(ProblemDetails) {
        guard !store.opensByItself else {
            try await refuseWithoutRoom(store)
            return try await unlock(store, nil)
        }
        // It may be open on another node.
        let result: Result<Void, ProblemDetails> = await store.turns.run {
            do throws(ProblemDetails) {
                guard store.opened == nil || store.isLost else { return .success(()) }
                // Only its password opens it: no node is to try that by itself.
                try await holding(store, isWanted: false) { () async throws(ProblemDetails) in }
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        try result.get()
        // What the record says may be news.
        if store.opened == nil, store.opensByItself { try await unlock(store, nil) }
    }

    /// Where as many stores are open as may be, another node that has room is named.
    private func refuseWithoutRoom(_ store: Store) async throws(ProblemDetails) {
        guard let placement = settings.placement, store.opened == nil, settings.openStores.isFull else { return }
        await makeRoom()
        guard settings.openStores.isFull, let node = await placement.nodeWithRoom() else { return }
        // It was given to this node, or opened here before, and is free for the other.
        let isFree: Bool = await store.turns.run {
            do throws(ProblemDetails) {
                if store.opened == nil { try await holding(store) { () async throws(ProblemDetails) in } }
                return true
            } catch { return false }
        }
        guard isFree, store.opened == nil else { return }
        var problem = ProblemDetails(.unavailable, "This node has no room for another open store; the node \(node) has.")
        problem.headers = [("Retry-After", "1"), ("Sxgw-Node", node)]
        throw problem
    }

    /// Closes what another node has taken, though this one has had its lease: PostgreSQL has forgotten whose it was.
    func closePassed() async {
        for store in others where store.opened != nil {
            guard let fence = store.fence else { continue }
            _ = try? await blocking { fence.look() }
            guard fence.isPassed else { continue }
            log.error("another node has taken a store", metadata: ["store": "\(store.id)"])
            await closingTurn(of: store) {
                guard store.fence?.isPassed == true else { return }
                await close(store, .ended)
                store.set(nil, nil)
            }
        }
    }

    /// This node may not write to its stores any more.
    func lose() async {
        await withTaskGroup(of: Void.self) { tasks in
            for store in others where store.lease != nil {
                tasks.addTask { [self] in
                    await closingTurn(of: store) {
                        guard store.lease != nil, store.isLost else { return }
                        await close(store, .ended)
                        store.set(nil, nil)
                    }
                }
            }
        }
    }

    /// Opens stores that other nodes have left.
    func takeOver(_ ids: [String]) async {
        for id in ids {
            guard !isStopped else { return }
            await attach(id)
            guard let store = find(id), store.opened == nil else { continue }
            do throws(ProblemDetails) {
                try await open(store)
            } catch {
                log.notice("a store of another node is not opened here", metadata: ["store": "\(id)", "reason": "\(error.detail)"])
            }
        }
    }
}
