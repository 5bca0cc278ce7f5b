internal import ChatCore
internal import Concurrency

extension StoreHost {
    /// Copies everything, one backup at a time. Locking or deleting a store stops it, as the end of the gateway does.
    func backUp(_ backup: FolderBackup) async throws -> FolderBackup.Outcome {
        guard backups.begin(of: backup.store) else { throw ProblemDetails(.conflict, "Another backup is made now.") }
        defer { backups.end() }
        do {
            guard !isStopped else { throw ProblemDetails(.unavailable, "The server is stopping.") }
            return try await backup.make(of: self)
        } catch {
            if backups.isStopped() {
                throw ProblemDetails(.unavailable, "The backup was stopped: a store was locked or deleted, or the gateway stops. Nothing is left of it.")
            }
            if all.contains(where: \.isReplaced) { throw ProblemDetails.replaced }
            throw error
        }
    }
}

extension Store {
    /// Whether it is open while its databases are not: others take their place.
    var isReplaced: Bool { opened.map { $0.core.databases == nil } ?? false }
}

extension ProblemDetails {
    static var replaced: ProblemDetails {
        var problem = ProblemDetails(.unavailable, "The databases of a store are being replaced.")
        problem.headers = [("Retry-After", "1")]
        return problem
    }
}
