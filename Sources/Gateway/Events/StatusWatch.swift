internal import ChatAPI
internal import JSON
internal import Synchronization

/// Who waits for messages to be sent or delivered.
final class StatusWatches: Sendable {
    /// Requests that wait at a time.
    static let limit = 1_000

    private struct State {
        var watches: [ObjectIdentifier: StatusWatch] = [:]
        var isEnded = false
    }

    private let state = Mutex(State())

    /// Collects the states of items from now on, until `end(_:)`.
    /// - Returns: nil when too many wait.
    func begin() -> StatusWatch? {
        state.withLock { state in
            guard !state.isEnded, state.watches.count < Self.limit else { return nil }
            let watch = StatusWatch()
            state.watches[ObjectIdentifier(watch)] = watch
            return watch
        }
    }

    func end(_ watch: StatusWatch) {
        state.withLock { _ = $0.watches.removeValue(forKey: ObjectIdentifier(watch)) }
        watch.finish()
    }

    /// Nobody is waited for any more.
    func stop() {
        let watches = state.withLock { state in
            state.isEnded = true
            defer { state.watches = [:] }
            return state.watches.values.map(\.self)
        }
        for watch in watches { watch.finish() }
    }

    private static let mark = Array(#""chatItemsStatusesUpdated""#.utf8)

    func published(_ events: [Event]) {
        let watches = state.withLock { Array($0.watches.values) }
        guard !watches.isEmpty else { return }
        for event in events {
            guard let userId = event.userId, event.json.prefix(64).firstRange(of: Self.mark) != nil,
                let json = try? JSONValue(parsing: event.json), json["type"] == "chatItemsStatusesUpdated"
            else { continue }
            var statuses: [Int64: JSONValue] = [:]
            for item in json["chatItems"]?.arrayValue ?? [] {
                guard let id = item["chatItem"]?["meta"]?["itemId"]?.integerValue, let status = item["chatItem"]?["meta"]?["itemStatus"] else { continue }
                statuses[id] = status
            }
            for watch in watches { watch.changed(statuses, of: userId) }
        }
    }
}

/// The states of items since one moment, for a request that waits for some of them.
final class StatusWatch: Sendable {
    private struct Item: Hashable {
        let user: Int64
        let id: Int64
    }

    private struct State {
        /// In the order in which they came; beyond the limit the first go.
        var seen: [Item: JSONValue] = [:]
        var order: [Item] = []
        var isFinished = false
        var waiting: CheckedContinuation<Void, Never>?
    }

    /// Items of which states are kept.
    private static let limit = 10_000
    private let state = Mutex(State())

    fileprivate func changed(_ statuses: [Int64: JSONValue], of user: Int64) {
        let waiting = state.withLock { state in
            for (id, status) in statuses {
                let item = Item(user: user, id: id)
                if state.seen.updateValue(status, forKey: item) == nil { state.order.append(item) }
            }
            while state.order.count > Self.limit { state.seen[state.order.removeFirst()] = nil }
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume()
    }

    fileprivate func finish() {
        let waiting = state.withLock { state in
            state.isFinished = true
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume()
    }

    /// What is known of the items of a user.
    func statuses(_ items: [Int64], of user: Int64) -> [Int64: JSONValue] {
        state.withLock { state in
            items.reduce(into: [:]) { $0[$1] = state.seen[Item(user: user, id: $1)] }
        }
    }

    /// Returns when something has changed since `known`, or nothing will any more.
    /// - Returns: whether it is worth to go on.
    func wait(beyond known: [Int64: JSONValue], _ items: [Int64], of user: Int64) async -> Bool {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isDue = state.withLock { state in
                let now = items.reduce(into: [Int64: JSONValue]()) { $0[$1] = state.seen[Item(user: user, id: $1)] }
                if state.isFinished || now != known { return true }
                state.waiting = continuation
                return false
            }
            if isDue { continuation.resume() }
        }
        return state.withLock { !$0.isFinished }
    }
}
