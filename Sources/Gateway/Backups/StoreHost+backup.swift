internal import ChatCore
internal import Concurrency

extension StoreHost {
    /// Makes a backup. Only one backup runs at a time. The backup is stopped when the gateway ends, and the backup of one
    /// store also when the store is locked or deleted.
    func backUp(_ backup: FolderBackup) async throws -> FolderBackup.Outcome {
        guard backups.begin(of: backup.store) else { throw ProblemDetails(.conflict, "Another backup is being made.") }
        defer { backups.end() }
        do {
            guard !isStopped else { throw ProblemDetails(.unavailable, "The server is stopping.") }
            return try await backup.make(of: self)
        } catch {
            if backups.isStopped() {
                throw ProblemDetails(
                    .unavailable,
                    "The backup was stopped: its store was locked or deleted, or the gateway is stopping. Its files were removed."
                )
            }
            if all.contains(where: \.isReplaced) { throw ProblemDetails.replaced }
            throw error
        }
    }
}

extension Store {
    /// Whether the store is open but its databases are closed because they are being replaced.
    var isReplaced: Bool { opened.map { $0.core.controller?.databases == nil } ?? false }

    /// Whether the databases of the store were replaced, or are being replaced.
    /// - Parameter controller: the former controller of the store.
    func hasReplaced(_ controller: ChatController?) -> Bool {
        isReplaced || controller != nil && opened?.core.controller !== controller
    }
}

extension ProblemDetails {
    /// A copy without the first store could not be used.
    static var firstStoreInUse: ProblemDetails {
        ProblemDetails(
            .unavailable,
            "The backup was stopped: the first store was locked, unlocked or emptied meanwhile. Its files were removed."
        )
    }

    static var replaced: ProblemDetails {
        var problem = ProblemDetails(.unavailable, "The databases of a store are being replaced.")
        problem.headers = [("Retry-After", "1")]
        return problem
    }
}
