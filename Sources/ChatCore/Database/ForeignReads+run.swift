internal import Concurrency
internal import ForeignData
internal import SQLCipher

extension ForeignReads {
    /// The lock that limits the number of concurrent reader processes, since each reader process uses additional
    /// memory.
    private static let readerSlots = AsyncLock(places: 4)

    /// Runs a read of a database from an archive or copy on a separate thread.
    /// - Parameters:
    ///   - name: the name of the database, for errors.
    ///   - body: a function that reads the database. It calls `setEndFunction`, so that another thread can end the
    ///     read.
    /// - Throws: ``ForeignStoreError``, and the errors of `body`.
    func runRead<T: Sendable>(_ name: String, _ body: @escaping @Sendable (ForeignRead) throws -> T) async throws -> T {
        let read = ForeignRead(in: self)
        defer { read.finish() }
        return try await Self.readerSlots.runLocked {
            try await withCheckedThrowingContinuation { continuation in
                BlockingThread.runOnThread { [self] in
                    do {
                        guard !isEnded else { throw ForeignDataError.cancelled }
                        continuation.resume(returning: try body(read))
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

    /// Runs `body`, which imports the rows of an app. ``endReads()`` calls `end`, which ends the import from another
    /// thread.
    func runImport<T: Sendable>(
        endedBy end: @escaping @Sendable () -> Void,
        _ body: () async throws -> T
    ) async throws -> T {
        let read = ForeignRead(in: self)
        defer { read.finish() }
        read.setEndFunction(end)
        return try await body()
    }
}
