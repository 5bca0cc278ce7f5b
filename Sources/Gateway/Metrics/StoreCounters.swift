internal import ChatCore
internal import Synchronization

/// Counters of an open store. They only grow, and begin at 0 when the databases are opened.
struct StoreCounters: Sendable, Equatable {
    var commits = DatabaseCommitCounts()
    /// Number of commands that were refused because the store had no room.
    var refusalCount = 0
    /// Number of messages that were sent to members of served channels.
    var channelDeliveryCount: Int64 = 0

    var commitSum: Int { commits.chatCount + commits.agentCount }

    /// Returns the growth of the counters since they had the values `earlier`. If a counter is smaller than before, the
    /// store was opened again, and the counter has grown from 0.
    func growth(since earlier: StoreCounters) -> StoreCounters {
        func difference<T: BinaryInteger>(_ now: T, _ before: T) -> T { now < before ? now : now - before }
        return StoreCounters(
            commits: DatabaseCommitCounts(
                chat: difference(commits.chatCount, earlier.commits.chatCount),
                agent: difference(commits.agentCount, earlier.commits.agentCount)
            ),
            refusalCount: difference(refusalCount, earlier.refusalCount),
            channelDeliveryCount: difference(channelDeliveryCount, earlier.channelDeliveryCount)
        )
    }

    static func += (left: inout StoreCounters, right: StoreCounters) {
        left.commits.chatCount += right.commits.chatCount
        left.commits.agentCount += right.commits.agentCount
        left.refusalCount += right.refusalCount
        left.channelDeliveryCount += right.channelDeliveryCount
    }
}

/// Sums the counters of all stores since the start of the gateway, including stores that are closed now. The sums lack
/// the growth of a store between the last reading of the metrics and the closing of the store.
final class CounterTotals: Sendable {
    struct Reading: Sendable {
        /// The sums of all stores since the start.
        var totals: StoreCounters
        /// The growth of the counters of each open store since the last reading, by the id of the store.
        var growth: [String: StoreCounters]
    }

    private struct State {
        var totals = StoreCounters()
        var last: [String: StoreCounters] = [:]
    }

    private let state = Mutex(State())

    /// Computes the growth of the counters since the previous call, and adds it to the sums. Returns the new sums and
    /// the growth.
    /// - Parameter current: the counters of all open stores, by their ids.
    func update(_ current: [String: StoreCounters]) -> Reading {
        state.withLock { state in
            let growth = current.reduce(into: [:]) { growth, store in
                growth[store.key] = store.value.growth(since: state.last[store.key] ?? StoreCounters())
            }
            for counters in growth.values { state.totals += counters }
            state.last = current
            return Reading(totals: state.totals, growth: growth)
        }
    }
}
