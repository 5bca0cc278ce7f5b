internal import ChatCore
internal import Concurrency
internal import Files

/// Backup of stores that several nodes share.
extension FolderBackup {
    /// Copies the stores one after the other, each in its state at one moment. Only the stores that this node or no
    /// node has open are copied. The outcome names the stores that another node has open, because only that node can
    /// copy them. If the backup gives way to another operation on a store, it tries a second time to copy the store.
    func copySharedStores(_ host: StoreHost, _ sources: CopySources, _ outcome: inout Outcome) async throws {
        let folders = host.folders
        var parts: [String: Outcome] = [:]
        var elsewhere: [String] = []
        var left = try await runBlocking { try folders.listIDs() }
        for _ in 0..<2 {
            var again: Set<String> = []
            for id in left {
                switch try await copySharedStore(id, host, sources) {
                case .copied(let copied): parts[id] = copied
                case .onOtherNode: elsewhere.append(id)
                case .storeDeleted: break
                case .backupGaveWay: again.insert(id)
                }
            }
            for id in host.backupSlot.takeEmptiedStores() where parts[id] != nil {
                parts[id] = nil
                await removeStoreFolder("stores/" + id, sources)
                if host.findStore(id) != nil { again.insert(id) }
            }
            left = again.sorted()
        }
        for part in parts.values { outcome.addOutcome(part) }
        outcome.storesElsewhere = elsewhere
        outcome.storesLeftOut += left.filter { host.findStore($0) != nil }
    }

    private enum SharedOutcome {
        case copied(Outcome)
        /// Another node has the store open, so only that node can copy it.
        case onOtherNode
        case storeDeleted
        case backupGaveWay
    }

    private func copySharedStore(_ id: String, _ host: StoreHost, _ sources: CopySources) async throws -> SharedOutcome
    {
        let (folders, backups) = (host.folders, host.backupSlot)
        await host.loadStore(id)
        guard let store = host.findStore(id) else {
            // The store was deleted during the backup, or its record cannot be read. In the second case, the copy
            // would be incomplete.
            guard try await runBlocking({ DiskFiles.exists(folders.makeStoreFolder(id).path) }) else {
                return .storeDeleted
            }
            throw ProblemDetails(
                .unavailable,
                "The record of the store \(id) cannot be read: the store would be missing in the copy."
            )
        }
        try backups.recordTurnWait(of: id)
        let turn = await store.lifecycleLock.acquireTurn()
        defer { turn.end() }
        guard try backups.recordTurnTaken(of: id, release: turn.end), !store.isReplacingDatabases,
            try backups.beginStoreCopy(of: id)
        else {
            backups.releaseHeldLocks()
            return .backupGaveWay
        }
        defer { backups.endStoreCopy(of: id) }
        // The controller is kept, so that a comparison shows later whether the databases were replaced. It is nil if
        // this node has not opened the store.
        let controller = store.openedStore?.core.controller
        do {
            if let copied = try await copyWithTurnLock(store, host, sources) { return .copied(copied) }
            return host.findStore(id) == nil ? .storeDeleted : .onOtherNode
        } catch {
            guard backups.isCopyInterrupted(id) || store.hasReplacedDatabases(controller), !backups.isStopped() else {
                throw error
            }
            await removeStoreFolder("stores/" + id, sources)
            return .backupGaveWay
        }
    }

    /// Copies a store while the backup holds the store's lock `lifecycleLock`.
    /// - Returns: nil when another node has the store, or the store was deleted.
    private func copyWithTurnLock(_ store: Store, _ host: StoreHost, _ sources: CopySources) async throws -> Outcome? {
        do throws(ProblemDetails) { try await host.acquireStore(store) } catch {
            guard error.code == .notFound || error.headers.contains(where: { $0.name == "Sxgw-Node" }) else {
                throw error
            }
            return nil
        }
        let target = unfinishedPath + "/stores/" + store.id
        do {
            try await runBlocking { try DiskFiles.makeFolder(target) }
            let outcome = try await copy(store, to: target, host, sources)
            let fence = store.fence
            try await runBlocking { fence?.checkTakeover() }
            let isOurs = !store.isLeaseLost
            await host.releaseStore(store)
            if isOurs { return outcome }
            // Another node has acquired the store during the copying and writes to it, so the copy is useless.
            await removeStoreFolder("stores/" + store.id, sources)
            return nil
        } catch {
            await host.releaseStore(store)
            throw error
        }
    }
}
