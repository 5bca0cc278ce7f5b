internal import ChatAPI
internal import JSON
internal import Synchronization

/// The requests that wait until messages are sent or delivered.
///
/// A request begins to watch before its messages are written, because the first states of the messages may be published
/// before the request knows the ids of its messages. So the last states of all messages are kept while at least one
/// request does not know these ids yet. A request that knows the ids is woken only by states of its own messages.
final class StatusWatches: Sendable {
    /// Maximal number of waiting requests.
    static let maxWatches = 1_000
    /// Maximal number of states that are kept while a request does not have the ids of its messages yet.
    static let maxRecentStates = 1_000

    private struct Item: Hashable {
        let user: Int64
        let id: Int64
    }

    private struct State {
        /// The watches for which ``followItems(_:of:by:)`` was not called yet, each with the value of `publishedCount`
        /// at the beginning of the watch.
        var newWatches: [ObjectIdentifier: Int] = [:]
        var watches: [ObjectIdentifier: (watch: StatusWatch, credential: Credential?, items: Set<Item>)] = [:]
        var followers: [Item: [StatusWatch]] = [:]
        /// The last published states of items. At the limit, each new state replaces the oldest state.
        var recentStates: [(item: Item, status: JSONValue)] = []
        /// Number of states that were added to ``recentStates`` since it was last empty, including replaced states.
        var publishedCount = 0
        var isEnded = false

        mutating func keepState(_ item: Item, _ status: JSONValue) {
            if recentStates.count < maxRecentStates {
                recentStates.append((item, status))
            } else {
                recentStates[publishedCount % maxRecentStates] = (item, status)
            }
            publishedCount += 1
        }

        mutating func removeNewWatch(of watch: StatusWatch) -> Int? {
            let begin = newWatches.removeValue(forKey: ObjectIdentifier(watch))
            if newWatches.isEmpty { (recentStates, publishedCount) = ([], 0) }
            return begin
        }
    }

    private let state = Mutex(State())

    /// Begins a watch, and keeps all states until `followItems` or `endWatch` is called for the watch.
    /// - Parameter credential: the secret that authorized the request.
    /// - Returns: nil when too many requests wait, or after `stop`.
    func beginWatch(_ credential: Credential? = nil) -> StatusWatch? {
        state.withLock { state in
            guard !state.isEnded, state.watches.count < Self.maxWatches else { return nil }
            let watch = StatusWatch()
            state.watches[ObjectIdentifier(watch)] = (watch, credential, [])
            state.newWatches[ObjectIdentifier(watch)] = state.publishedCount
            return watch
        }
    }

    /// Sets the items of a watch, and gives the watch all states of these items that were published since it began.
    /// - Returns: whether all states since the beginning of the watch were still kept.
    func followItems(_ ids: [Int64], of user: Int64, by watch: StatusWatch) -> Bool {
        state.withLock { state in
            guard let known = state.watches[ObjectIdentifier(watch)],
                let begin = state.newWatches[ObjectIdentifier(watch)]
            else { return true }
            let items = Set(ids.map { Item(user: user, id: $0) })
            let oldest = state.publishedCount - state.recentStates.count
            for number in max(begin, oldest)..<state.publishedCount {
                let (item, status) = state.recentStates[number % Self.maxRecentStates]
                if items.contains(item) { _ = watch.recordStatus(item.id, status) }
            }
            state.watches[ObjectIdentifier(watch)] = (watch, known.credential, items)
            for item in items { state.followers[item, default: []].append(watch) }
            _ = state.removeNewWatch(of: watch)
            return begin >= oldest
        }
    }

    func endWatch(_ watch: StatusWatch) {
        state.withLock { state in
            _ = state.removeNewWatch(of: watch)
            for item in state.watches.removeValue(forKey: ObjectIdentifier(watch))?.items ?? [] {
                state.followers[item]?.removeAll { $0 === watch }
                if state.followers[item]?.isEmpty == true { state.followers[item] = nil }
            }
        }
        watch.finishWatch()
    }

    /// Ends the waiting of requests whose secrets are no longer valid.
    func endReaders(except valid: Set<Credential>) {
        let gone = state.withLock { state in
            state.watches.values.filter { entry in entry.credential.map { !valid.contains($0) } ?? false }.map(\.watch)
        }
        for watch in gone { endWatch(watch) }
    }

    /// Ends all watches. Later calls of `beginWatch` return nil.
    func stop() {
        let watches = state.withLock { state in
            defer {
                state = State()
                state.isEnded = true
            }
            return state.watches.values.map(\.watch)
        }
        for watch in watches { watch.finishWatch() }
    }

    private static let typeMarker = Array(#""chatItemsStatusesUpdated""#.utf8)

    func recordPublished(_ events: [Event]) {
        guard state.withLock({ !$0.watches.isEmpty }) else { return }
        for event in events {
            guard let userId = event.userId, event.json.prefix(64).firstRange(of: Self.typeMarker) != nil,
                let json = try? JSONValue(parsing: event.json), json["type"] == "chatItemsStatusesUpdated"
            else { continue }
            for entry in json["chatItems"]?.arrayValue ?? [] {
                guard let id = entry["chatItem"]?["meta"]?["itemId"]?.integerValue,
                    let status = entry["chatItem"]?["meta"]?["itemStatus"]
                else { continue }
                recordStatus(Item(user: userId, id: id), status)
            }
        }
    }

    private func recordStatus(_ item: Item, _ status: JSONValue) {
        let waiting = state.withLock { state in
            if !state.newWatches.isEmpty { state.keepState(item, status) }
            return (state.followers[item] ?? []).compactMap { $0.recordStatus(item.id, status) }
        }
        for continuation in waiting { continuation.resume() }
    }

    /// The number of states that are kept for requests that do not know their items.
    var recentStateCount: Int { state.withLock { $0.recentStates.count } }
}

/// The states of the items for which one request waits.
final class StatusWatch: Sendable {
    private struct State {
        var lastStatuses: [Int64: JSONValue] = [:]
        var isFinished = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    /// Records the state of one item.
    /// - Returns: the continuation of the waiting request, which the caller has to resume.
    fileprivate func recordStatus(_ id: Int64, _ status: JSONValue) -> CheckedContinuation<Void, Never>? {
        state.withLock { state in
            state.lastStatuses[id] = status
            defer { state.waiter = nil }
            return state.waiter
        }
    }

    fileprivate func finishWatch() {
        let waiting = state.withLock { state in
            state.isFinished = true
            defer { state.waiter = nil }
            return state.waiter
        }
        waiting?.resume()
    }

    /// The last known state of each item.
    var statuses: [Int64: JSONValue] { state.withLock { $0.lastStatuses } }

    /// Waits until the states differ from `known`, or the watch ends.
    /// - Returns: false if the watch has ended. Then no further states come.
    func waitForChange(beyond known: [Int64: JSONValue]) async -> Bool {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isDue = state.withLock { state in
                if state.isFinished || state.lastStatuses != known { return true }
                state.waiter = continuation
                return false
            }
            if isDue { continuation.resume() }
        }
        return state.withLock { !$0.isFinished }
    }
}
