internal import ChatCore
internal import Concurrency
internal import Files

/// Backup of stores that several nodes share.
extension FolderBackup {
    /// Copies the stores one after the other, each in its state at one moment. Only the stores that this node or no
    /// node has open are copied. The outcome names the stores that another node has open, because only that node can
    /// copy them.
    func copyShared(_ host: StoreHost, _ sources: CopySources, _ outcome: inout Outcome) async throws {
        let folders = host.folders
        var elsewhere: [String] = []
        for id in try await blocking({ try folders.ids() }) {
            await host.attach(id)
            guard let store = host.find(id) else {
                // If the folder is gone, the store was deleted during the backup. Otherwise its record cannot be read,
                // and the copy would lack the store.
                guard try await blocking({ DiskFiles.exists(folders.folder(id).path) }) else { continue }
                throw ProblemDetails(
                    .unavailable,
                    "The record of the store \(id) cannot be read: the store would be missing in the copy."
                )
            }
            try host.backups.awaitTurn(of: id)
            let copied: Outcome? = try await store.turns.run {
                try host.backups.takeTurn(of: id)
                defer { host.backups.leaveTurn(of: id) }
                return try await copyInTurn(store, host, sources)
            }
            if let copied { outcome.add(copied) } else if host.find(id) != nil { elsewhere.append(id) }
        }
        outcome.elsewhere = elsewhere
    }

    /// Copies a store while the backup holds the store's lock `turns`.
    /// - Returns: nil when another node has the store, or the store was deleted.
    private func copyInTurn(_ store: Store, _ host: StoreHost, _ sources: CopySources) async throws -> Outcome? {
        do throws(ProblemDetails) { try await host.acquire(store) } catch {
            guard error.code == .notFound || error.headers.contains(where: { $0.name == "Sxgw-Node" }) else {
                throw error
            }
            return nil
        }
        let target = partial + "/stores/" + store.id
        do {
            try await blocking { try DiskFiles.makeFolder(target) }
            let outcome = try await copy(store, to: target, host, sources)
            let fence = store.fence
            try await blocking { fence?.refresh() }
            let isOurs = !store.isLost
            await host.release(store)
            if isOurs { return outcome }
            // Another node has acquired the store meanwhile and writes to it, so the copy is useless.
            await cleaningUp { DiskFiles.remove(target) }
            return nil
        } catch {
            await host.release(store)
            throw error
        }
    }
}
