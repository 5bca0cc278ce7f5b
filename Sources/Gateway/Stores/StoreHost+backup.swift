internal import ChatCore
internal import Concurrency

extension StoreHost {
    /// Makes a backup. Only one backup runs at a time. The backup is stopped when the gateway ends. The backup of one
    /// store is also stopped when the store is locked or deleted.
    func backUp(_ backup: FolderBackup) async throws -> FolderBackup.Outcome {
        guard backupSlot.begin(of: backup.storeID) else {
            throw ProblemDetails(.conflict, "Another backup is being made.")
        }
        defer { backupSlot.endBackup() }
        do {
            guard !isStopped else { throw ProblemDetails(.unavailable, "The server is stopping.") }
            return try await backup.makeBackup(of: self)
        } catch {
            if backupSlot.isStopped() {
                throw ProblemDetails(
                    .unavailable,
                    "The backup was stopped: its store was locked or deleted, or the gateway is stopping. Its files were removed."
                )
            }
            if allStores.contains(where: \.isReplacingDatabases) { throw ProblemDetails.databasesReplacedProblem }
            throw error
        }
    }
}

extension Store {
    /// Whether the store is open but its databases are closed because they are being replaced.
    var isReplacingDatabases: Bool { openedStore.map { $0.core.controller?.databases == nil } ?? false }

    /// Whether the databases of the store were replaced, or are being replaced.
    /// - Parameter controller: the former controller of the store.
    func hasReplacedDatabases(_ controller: ChatController?) -> Bool {
        isReplacingDatabases || controller != nil && openedStore?.core.controller !== controller
    }
}

extension ProblemDetails {
    /// The problem of a backup that would lack the first store, and could not be used without it.
    static var firstStoreInUseProblem: ProblemDetails {
        ProblemDetails(
            .unavailable,
            "The backup was stopped: the first store was locked, unlocked or emptied meanwhile. Its files were removed."
        )
    }

    static var databasesReplacedProblem: ProblemDetails {
        var problem = ProblemDetails(.unavailable, "The databases of a store are being replaced.")
        problem.headers = [("Retry-After", "1")]
        return problem
    }
}
