internal import Concurrency
internal import ForeignData
internal import SQLCipher
internal import Synchronization

/// What reads the databases of others at present, so that another thread can end it.
public final class ForeignReading: Sendable {
    private struct State {
        var isEnded = false
        var end: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())
    /// Each reader takes memory beside that of this process.
    private static let places = AsyncLock(places: 4)

    public init() {}

    /// Ends what is read now, and what would be read later.
    public func end() {
        let end = state.withLock { state in
            state.isEnded = true
            return state.end
        }
        end?()
    }

    /// Databases may be read again.
    public func allow() { state.withLock { $0.isEnded = false } }

    var isEnded: Bool { state.withLock { $0.isEnded } }

    /// - Parameter end: ends what has begun. It is called at once where nothing may be read any more.
    func begin(_ end: @escaping @Sendable () -> Void) {
        let isEnded = state.withLock { state in
            state.end = end
            return state.isEnded
        }
        if isEnded { end() }
    }

    /// Runs what reads on a thread of its own.
    /// - Parameter name: of the database, for errors.
    /// - Throws: ``ForeignStoreError``, and what `body` throws.
    func run<T: Sendable>(_ name: String, _ body: @escaping @Sendable () throws -> T) async throws -> T {
        defer { state.withLock { $0.end = nil } }
        return try await Self.places.run {
            try await withCheckedThrowingContinuation { continuation in
                BlockingThread.run { [self] in
                    do {
                        guard !isEnded else { throw ForeignDataError.cancelled }
                        continuation.resume(returning: try body())
                    } catch let error as ForeignDataError {
                        let isOfKey = error == .wrongKey
                        continuation.resume(
                            throwing: isOfKey ? DatabaseError.wrongKey : ForeignStoreError.database(name, error))
                    } catch { continuation.resume(throwing: error) }
                }
            }
        }
    }
}
