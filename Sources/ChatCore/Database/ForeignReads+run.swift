internal import Concurrency
internal import ForeignData
internal import SQLCipher

extension ForeignReads {
    /// The lock that limits the number of concurrent reader processes, since each reader process uses additional
    /// memory.
    private static let readerSlots = AsyncLock(places: 4)

    /// Runs a read of a database from an archive or copy on a separate thread.
    /// - Parameter name: the name of the database, for errors.
    /// - Throws: ``ForeignStoreError``, and the errors of `body`.
    func runRead<T: Sendable>(_ name: String, _ body: @escaping @Sendable () throws -> T) async throws -> T {
        defer { removeRead() }
        return try await Self.readerSlots.runLocked {
            try await withCheckedThrowingContinuation { continuation in
                BlockingThread.runOnThread { [self] in
                    do {
                        guard !isEnded else { throw ForeignDataError.cancelled }
                        continuation.resume(returning: try body())
                    } catch let error as ForeignDataError {
                        let isOfKey = error == .wrongKey
                        continuation.resume(
                            throwing: isOfKey ? DatabaseError.wrongKey : ForeignStoreError.database(name, error)
                        )
                    } catch { continuation.resume(throwing: error) }
                }
            }
        }
    }
}
