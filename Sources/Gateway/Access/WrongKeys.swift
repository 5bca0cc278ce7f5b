internal import Descriptors
internal import Synchronization

/// Slows down whoever tries keys: after a number of wrong ones from an address, further wrong ones are answered 429.
///
/// A right key is let in whatever others from its address have tried, since a proxy, or a network, has one address for many. That helps nobody who
/// guesses: keys have 256 random bits. What is limited is the work, the log lines, and the hope.
final class WrongKeys: Sendable {
    /// Wrong keys of an address at once.
    static let burst: Int64 = 20
    /// Microseconds after which it may try one more.
    static let interval: Int64 = 3_000_000
    /// Addresses that are remembered. Beyond it those are forgotten that have tried nothing for longest.
    private static let limit = 10_000

    private struct State {
        /// When all tries of an address are forgotten, in microseconds of the monotonic clock.
        var ends: [SourceAddress?: Int64] = [:]
    }

    private let state = Mutex(State())

    /// Notes a wrong key.
    /// - Parameter now: microseconds of a monotonic clock.
    /// - Returns: nil when it is an ordinary mistake, else the seconds after which another may be tried.
    func note(_ address: SourceAddress?, at now: Int64) -> Int64? {
        state.withLock { state in
            let end = max(now, state.ends[address] ?? now) + Self.interval
            guard end - now <= Self.burst * Self.interval else { return (end - now - Self.burst * Self.interval) / 1_000_000 + 1 }
            if state.ends.count >= Self.limit, state.ends[address] == nil { sweep(&state, now) }
            state.ends[address] = end
            return nil
        }
    }

    private func sweep(_ state: inout State, _ now: Int64) {
        state.ends = state.ends.filter { $0.value > now }
        guard state.ends.count >= Self.limit, let first = state.ends.min(by: { $0.value < $1.value })?.key else { return }
        state.ends[first] = nil
    }
}
