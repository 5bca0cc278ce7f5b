internal import ChatCore
internal import Concurrency
internal import Files

/// Stores that several nodes have.
extension FolderBackup {
    /// Copies them one after the other, each as it is at one moment: those that this node has open, and those that no node has. What another node has open is named:
    /// nobody else can copy that.
    func copyShared(_ host: StoreHost, _ outcome: inout Outcome) async throws {
        let folders = host.folders
        var elsewhere: [String] = []
        for id in try await blocking({ try folders.ids() }) {
            await host.attach(id)
            guard let store = host.find(id) else {
                // It was deleted meanwhile, or there is something that nobody can read: no copy may be called complete without it.
                guard try await blocking({ DiskFiles.exists(folders.folder(id).path) }) else { continue }
                throw ProblemDetails(.unavailable, "The record of the store \(id) cannot be read, so that it would be missing in the copy.")
            }
            try host.backups.awaitTurn(of: id)
            let copied: Outcome? = try await store.turns.run {
                try host.backups.takeTurn(of: id)
                defer { host.backups.leaveTurn(of: id) }
                return try await copyInTurn(store, host)
            }
            if let copied { outcome.add(copied) } else if host.find(id) != nil { elsewhere.append(id) }
        }
        outcome.elsewhere = elsewhere
    }

    /// - Returns: nil where another node has the store, or nobody any more.
    private func copyInTurn(_ store: Store, _ host: StoreHost) async throws -> Outcome? {
        do throws(ProblemDetails) { try await host.hold(store) } catch {
            guard error.code == .notFound || error.headers.contains(where: { $0.name == "Sxgw-Node" }) else { throw error }
            return nil
        }
        let target = partial + "/stores/" + store.id
        do {
            try await blocking { try DiskFiles.makeFolder(target) }
            let outcome = try await copy(store, to: target, host)
            let fence = store.fence
            try await blocking { fence?.look() }
            let isOurs = !store.isLost
            await host.letGo(store)
            if isOurs { return outcome }
            // Another node has taken it meanwhile, and writes.
            await cleaningUp { DiskFiles.remove(target) }
            return nil
        } catch {
            await host.letGo(store)
            throw error
        }
    }
}
