internal import Concurrency
internal import ForeignData
internal import SQLCipher
internal import Synchronization

/// The running reads of databases from archives and copies, which another thread can end.
package final class ForeignReads: Sendable {
    private struct State {
        var isEnded = false
        var endRead: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())
    /// Limits the number of concurrent reader processes, since each reader process uses additional memory.
    private static let readerSlots = AsyncLock(places: 4)

    package init() {}

    /// Ends running reads, and prevents later reads until ``allowReads()``.
    package func endReads() {
        let end = state.withLock { state in
            state.isEnded = true
            return state.endRead
        }
        end?()
    }

    /// Allows reads again.
    package func allowReads() { state.withLock { $0.isEnded = false } }

    var isEnded: Bool { state.withLock { $0.isEnded } }

    /// Registers a read.
    /// - Parameter end: ends the read. `end` is called immediately if reads are not allowed.
    func registerRead(_ end: @escaping @Sendable () -> Void) {
        let isEnded = state.withLock { state in
            state.endRead = end
            return state.isEnded
        }
        if isEnded { end() }
    }

    /// Runs a read on a separate thread.
    /// - Parameter name: the name of the database, for errors.
    /// - Throws: ``ForeignStoreError``, and the errors of `body`.
    func runRead<T: Sendable>(_ name: String, _ body: @escaping @Sendable () throws -> T) async throws -> T {
        defer { state.withLock { $0.endRead = nil } }
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
