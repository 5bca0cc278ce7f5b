internal import Concurrency
package import Logging
internal import Prometheus
internal import Synchronization

/// The object storage that all stores of a process share, with limits on concurrent requests. After a failure the
/// service pauses for a growing time, and requests during the pause fail immediately.
///
/// A refusal of one kind of request does not affect the other kinds: files can be read from a bucket that is full.
package final class ObjectService: Sendable {
    private enum Request: String { case store, fetch, delete, list }

    /// A gate that a failure closes for some time. Requests fail immediately while the gate is closed.
    private struct FailureGate {
        private(set) var closedUntil: ContinuousClock.Instant?
        private var backoff = Backoff(initial: .seconds(1), limit: .seconds(120), jitter: 0.8...1.2)

        /// Time from the beginning of a trial request during which other requests still fail. A trial request shows
        /// whether the storage works again.
        private static let trialTime = Duration.seconds(5)

        var isOpen: Bool { closedUntil == nil }
        func admitsRequest(_ now: ContinuousClock.Instant) -> Bool { closedUntil.map { $0 <= now } ?? true }

        /// Begins a trial with one request if the gate is closed. For other requests the gate stays closed for
        /// `trialTime`.
        mutating func beginTrial(_ now: ContinuousClock.Instant) {
            if closedUntil != nil { closedUntil = now + Self.trialTime }
        }

        /// Opens the gate, so that requests are permitted again.
        /// - Returns: true if this call has opened the gate; false if the gate was open already.
        mutating func openGate() -> Bool {
            guard closedUntil != nil else { return false }
            closedUntil = nil
            backoff.resetAttempts()
            return true
        }

        /// Closes the gate for the next delay of the backoff.
        /// - Returns: true if the gate was open before this call.
        mutating func closeGate() -> Bool {
            defer { closedUntil = .now + backoff.takeNextDelay() }
            return closedUntil == nil
        }
    }

    private struct State {
        /// The gate for all requests. It is closed while the storage cannot be used.
        var mainGate = FailureGate()
        /// The gates for the kinds of requests. A gate is closed while the storage refuses requests of its kind.
        var gateByRequest: [Request: FailureGate] = [:]
        var failureCount: UInt64 = 0
        var lostCount: UInt64 = 0
        var storedCount: UInt64 = 0
        var fetchedCount: UInt64 = 0
        var deletedCount: UInt64 = 0

        var isUp: Bool { mainGate.isOpen && gateByRequest.values.allSatisfy(\.isOpen) }
    }

    private let objectStore: any ObjectStore
    private let log: Logger
    /// The limit on concurrent fetches. Other requests have a separate limit, so that a fetch does not wait for
    /// uploads.
    private let fetchLock: AsyncLock
    private let otherRequestsLock: AsyncLock
    private let state = Mutex(State())

    /// Makes a service for the storage `objects`.
    /// - Parameter atOnce: maximal number of concurrent requests, at least 2. Half of them are for fetches, and half
    ///   for all other requests. Further requests wait.
    package init(_ objects: any ObjectStore, atOnce: Int = 8, log: Logger) {
        self.objectStore = objects
        fetchLock = AsyncLock(places: max(1, atOnce / 2))
        otherRequestsLock = AsyncLock(places: max(1, atOnce - atOnce / 2))
        self.log = log
    }

    package var isUp: Bool { state.withLock { $0.isUp } }

    /// Seconds until the next fetch may succeed.
    package var retryAfterSeconds: Int64 { Self.seconds(until: state.withLock { $0.mainGate.closedUntil }) }

    /// Seconds until requests of all kinds other than fetches may succeed.
    package var retryOtherRequestsAfterSeconds: Int64 {
        Self.seconds(
            until: state.withLock { state in
                (state.gateByRequest.values.map(\.closedUntil) + [state.mainGate.closedUntil]).compactMap(\.self).max()
            }
        )
    }

    private static func seconds(until moment: ContinuousClock.Instant?) -> Int64 {
        max(1, (moment.map { $0 - .now } ?? .seconds(1)).components.seconds + 1)
    }

    // MARK: Objects

    package func storeObject(_ key: String, _ source: ObjectSource) async throws {
        try await runLimited(.store) { try await objectStore.storeObject(key, source) }
        state.withLock { $0.storedCount &+= 1 }
    }

    /// Fetches an object; see ``ObjectStore/fetchObject(_:size:_:)``.
    package func fetchObject(
        _ key: String,
        size: Int64,
        _ take: @escaping @Sendable ([UInt8]) async throws -> Void
    ) async throws {
        try await runLimited(.fetch) { try await objectStore.fetchObject(key, size: size, take) }
        state.withLock { $0.fetchedCount &+= 1 }
    }

    /// Counts an object that should exist, but is missing or has changed contents. The caller that requested the object
    /// gets the error.
    package func countLostObject() { state.withLock { $0.lostCount &+= 1 } }

    package func deleteObject(_ key: String) async throws {
        try await runLimited(.delete) { try await objectStore.deleteObject(key) }
        state.withLock { $0.deletedCount &+= 1 }
    }

    package func listKeys(beginning prefix: String) async throws -> [String] {
        try await runLimited(.list) { try await objectStore.listKeys(beginning: prefix) }
    }

    private func runLimited<T>(_ request: Request, _ body: () async throws -> T) async throws -> T {
        try await (request == .fetch ? fetchLock : otherRequestsLock).runLocked {
            try await runUnlessGateIsClosed(request, body)
        }
    }

    private func runUnlessGateIsClosed<T>(_ request: Request, _ body: () async throws -> T) async throws -> T {
        try Task.checkCancellation()
        let mayRun = state.withLock { state in
            let (now, gate) = (ContinuousClock.now, state.gateByRequest[request, default: FailureGate()])
            guard state.mainGate.admitsRequest(now), gate.admitsRequest(now) else { return false }
            state.mainGate.beginTrial(now)
            state.gateByRequest[request, default: gate].beginTrial(now)
            return true
        }
        guard mayRun else { throw ObjectError.unavailable("a moment ago it did not answer, or refused") }
        do {
            let result = try await body()
            recordAnswer(request)
            return result
        } catch let error as ObjectError {
            switch error {
            case .tooManyRequests: break
            case .objectMissing, .sizeChanged: recordAnswer(request)
            case .requestRefused: recordRefusal(error, request)
            case .unavailable: recordUnavailability(error)
            }
            throw error
        }
    }

    private func recordAnswer(_ request: Request) {
        let (wasAway, wasRefused) = state.withLock {
            ($0.mainGate.openGate(), $0.gateByRequest[request]?.openGate() ?? false)
        }
        if wasAway { log.notice("The object storage can be used again.") }
        if wasRefused {
            log.notice("The object storage accepts requests again.", metadata: ["request": "\(request.rawValue)"])
        }
    }

    private func recordRefusal(_ error: ObjectError, _ request: Request) {
        let (wasAway, isNews) = state.withLock { state in
            state.failureCount &+= 1
            // A refused fetch concerns one object, so other fetches are still permitted.
            return (
                state.mainGate.openGate(),
                request == .fetch ? false : state.gateByRequest[request, default: FailureGate()].closeGate()
            )
        }
        if wasAway { log.notice("The object storage answers again.") }
        if isNews {
            log.error(
                "The object storage refuses requests.",
                metadata: ["request": "\(request.rawValue)", "reason": "\(error)"]
            )
        }
    }

    private func recordUnavailability(_ error: ObjectError) {
        // An error in a cancelled task does not mean that the storage has failed, so no gate is closed.
        guard !Task.isCancelled else { return }
        let isNews = state.withLock { state in
            state.failureCount &+= 1
            return state.mainGate.closeGate()
        }
        if isNews {
            log.error(
                "The object storage cannot be used: files stay on the disk, and files in the storage cannot be read.",
                metadata: ["reason": "\(error)"]
            )
        }
    }

    /// The metrics of the object storage in the text form of Prometheus.
    package var metricsText: String {
        let state = state.withLock { $0 }
        var text = MetricsText()
        text.writeValue(
            "sxgw_object_storage_up",
            .gauge,
            "0 while the object storage cannot be used, or refuses to store, delete or list, else 1.",
            state.isUp ? 1 : 0
        )
        text.writeValue(
            "sxgw_object_stored_total",
            .counter,
            "Files that were moved into the object storage.",
            state.storedCount
        )
        text.writeValue(
            "sxgw_object_fetched_total",
            .counter,
            "Files that were fetched from the object storage.",
            state.fetchedCount
        )
        text.writeValue(
            "sxgw_object_deleted_total",
            .counter,
            "Objects that were deleted from the object storage.",
            state.deletedCount
        )
        text.writeValue(
            "sxgw_object_failures_total",
            .counter,
            "Requests that the object storage did not answer, or refused.",
            state.failureCount
        )
        text.writeValue(
            "sxgw_object_lost_total",
            .counter,
            "Requested objects that were missing or altered.",
            state.lostCount
        )
        return text.text
    }
}
