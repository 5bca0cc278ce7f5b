import Clocks
import Concurrency
import SMP
import SQLCipher
import XFTP

extension FileTransfers {
    /// Maximal number of chunks that are read from the database in one step of the deletion.
    private static let deletionBatchSize = 500

    /// Deletes the chunks of sent files that are to be deleted on their servers, and then waits for further chunks.
    /// Ends when the task is cancelled.
    func deleteQueuedChunks() async {
        var attempt = 0
        await deletionSignal.runAtSignals {
            await networkGate.waitForNetwork()
            do {
                let chunks = try await database.read { db in try DeletedChunk.readOldest(Self.deletionBatchSize, db) }
                guard !chunks.isEmpty else { return nil }
                let isOver = await withTaskGroup(of: Bool.self) { group in
                    for chunks in Dictionary(
                        grouping: chunks,
                        by: { FileSessions.Key(user: $0.user, server: $0.server) }
                    ).values {
                        group.addTask { await self.deleteOnServer(chunks) }
                    }
                    return await group.reduce(true) { $0 && $1 }
                }
                attempt = isOver ? 0 : attempt + 1
                return isOver ? .zero : configuration.sendRetry.computeDelay(attempt: attempt)
            } catch {
                attempt += 1
                return configuration.sendRetry.computeDelay(attempt: attempt)
            }
        }
    }

    /// Deletes chunks of sent files on one server.
    /// - Returns: whether all deletions are finished; false if some have to be tried again.
    private func deleteOnServer(_ chunks: [DeletedChunk]) async -> Bool {
        for chunk in chunks {
            do {
                // No command is sent for a chunk whose deletion was ordered long ago: the server has deleted it by
                // itself.
                if WallClock.seconds() < chunk.deletedAtSeconds + configuration.receivedFileTimeoutSeconds {
                    countFileOperations(chunk.user, chunk.server) { $0.deleteAttempts += 1 }
                    try await sessions.withSession(chunk.server, of: chunk.user, for: nil, .deleting) {
                        try await $0.deleteChunk(chunk.replicaID, key: chunk.replicaKey)
                    }
                    countFileOperations(chunk.user, chunk.server) { $0.deletions += 1 }
                }
            } catch {
                guard let error = error as? AgentError, !error.isTemporaryForFiles, error != .inactive else {
                    return false
                }
                countFileOperations(chunk.user, chunk.server) { $0.deleteErrs += 1 }
                logger.debug("chunk not deleted", metadata: ["error": "\(error)"])
            }
            do { try await database.write { db in try chunk.remove(db) } } catch { return false }
        }
        return true
    }
}
