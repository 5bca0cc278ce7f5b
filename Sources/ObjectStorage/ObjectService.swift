internal import Concurrency
public import Logging
internal import Synchronization

/// The object storage of a process, as all its stores use it: one that is away is left alone for a while, which grows, and whoever asks meanwhile is told so at once.
public final class ObjectService: Sendable {
    private struct State {
        /// While it is away.
        var until: ContinuousClock.Instant?
        var backoff = Backoff(initial: .seconds(1), limit: .seconds(120), jitter: 0.8...1.2)
        var failures: UInt64 = 0
        var stored: UInt64 = 0
        var fetched: UInt64 = 0
        var deleted: UInt64 = 0
    }

    /// After this another one may try, while the first one waits for its answer.
    private static let trial = Duration.seconds(5)

    private let objects: any ObjectStore
    private let log: Logger
    private let places: AsyncLock
    private let state = Mutex(State())

    /// - Parameter atOnce: requests that may be on their way at a time; others wait.
    public init(_ objects: any ObjectStore, atOnce: Int = 8, log: Logger) {
        self.objects = objects
        places = AsyncLock(places: atOnce)
        self.log = log
    }

    public var isUp: Bool { state.withLock { $0.until == nil } }

    /// In seconds: after which it makes sense to ask again.
    public var retryAfter: Int64 {
        let left = state.withLock { $0.until.map { $0 - .now } } ?? .seconds(1)
        return max(1, left.components.seconds + 1)
    }

    // MARK: Objects

    public func put(_ key: String, _ source: ObjectSource) async throws {
        try await asked { try await objects.put(key, source) }
        state.withLock { $0.stored &+= 1 }
    }

    /// As ``ObjectStore/get(_:size:_:)``.
    public func get(_ key: String, size: Int64, _ take: @escaping @Sendable ([UInt8]) async throws -> Void) async throws {
        // One object that is refused says nothing of the others.
        try await asked(isOfOneObject: true) { try await objects.get(key, size: size, take) }
        state.withLock { $0.fetched &+= 1 }
    }

    public func delete(_ key: String) async throws {
        try await asked { try await objects.delete(key) }
        state.withLock { $0.deleted &+= 1 }
    }

    public func keys(beginning prefix: String) async throws -> [String] { try await asked { try await objects.keys(beginning: prefix) } }

    private func asked<T>(isOfOneObject: Bool = false, _ body: () async throws -> T) async throws -> T {
        try await places.run { try await ask(isOfOneObject, body) }
    }

    private func ask<T>(_ isOfOneObject: Bool, _ body: () async throws -> T) async throws -> T {
        try Task.checkCancellation()
        let mayAsk = state.withLock { state in
            guard let until = state.until else { return true }
            guard until <= .now else { return false }
            state.until = .now + Self.trial
            return true
        }
        guard mayAsk else { throw ObjectError.away("it has just not answered, or refused") }
        do {
            let result = try await body()
            noteAnswer()
            return result
        } catch let error as ObjectError {
            switch error {
            case .busy: break
            case .missing, .altered:
                state.withLock { $0.failures &+= 1 }
                noteAnswer()
            case .refused where isOfOneObject: state.withLock { $0.failures &+= 1 }
            case .away, .refused: noteFailure(error)
            }
            throw error
        }
    }

    private func noteAnswer() {
        let wasAway = state.withLock { state in
            defer { state.until = nil }
            guard state.until != nil else { return false }
            state.backoff.reset()
            return true
        }
        if wasAway { log.notice("The object storage can be used again.") }
    }

    private func noteFailure(_ error: ObjectError) {
        // Of a task that is over nothing is known.
        guard !Task.isCancelled else { return }
        let isNews = state.withLock { state in
            state.failures &+= 1
            defer { state.until = .now + state.backoff.next() }
            return state.until == nil
        }
        if isNews { log.error("The object storage cannot be used: files stay on the disk, and those that are only there cannot be read.", metadata: ["reason": "\(error)"]) }
    }

    /// In the text form of Prometheus.
    public var metrics: String {
        let state = state.withLock { $0 }
        return """
            # HELP sxgw_object_storage_up 0 while the object storage cannot be used, else 1.
            # TYPE sxgw_object_storage_up gauge
            sxgw_object_storage_up \(state.until == nil ? 1 : 0)
            # HELP sxgw_object_stored_total Files that were moved into the object storage.
            # TYPE sxgw_object_stored_total counter
            sxgw_object_stored_total \(state.stored)
            # HELP sxgw_object_fetched_total Files that were fetched from it.
            # TYPE sxgw_object_fetched_total counter
            sxgw_object_fetched_total \(state.fetched)
            # HELP sxgw_object_deleted_total Objects that were deleted there.
            # TYPE sxgw_object_deleted_total counter
            sxgw_object_deleted_total \(state.deleted)
            # HELP sxgw_object_failures_total Requests that it has not answered, or has refused, and objects that were missing or altered.
            # TYPE sxgw_object_failures_total counter
            sxgw_object_failures_total \(state.failures)

            """
    }
}
