internal import Descriptors
internal import Synchronization

/// Slows down clients that guess keys: after a number of wrong keys from an address, further wrong ones are answered
/// with 429.
///
/// A valid key is accepted whatever others from its address have tried, since a proxy or a network has one address for
/// many clients. This does not help an attacker: keys have 256 random bits. The limit bounds the work and the log
/// lines.
final class WrongKeys: Sendable {
    /// Maximal number of wrong keys of an address at once.
    static let burst: Int64 = 20
    /// Microseconds after which an address may try one more wrong key.
    static let interval: Int64 = 3_000_000
    /// Maximal number of addresses that are remembered. Beyond it, the address whose tries would be forgotten first is
    /// dropped.
    private static let limit = 10_000

    private struct State {
        /// Times at which all tries of an address are forgotten, in microseconds of the monotonic clock.
        var ends: [SourceAddress?: Int64] = [:]
    }

    private let state = Mutex(State())

    /// Notes a wrong key.
    /// - Parameter now: microseconds of a monotonic clock.
    /// - Returns: nil while the address has tried few wrong keys, else the seconds after which it may try another one.
    func note(_ address: SourceAddress?, at now: Int64) -> Int64? {
        state.withLock { state in
            let end = max(now, state.ends[address] ?? now) + Self.interval
            guard end - now <= Self.burst * Self.interval else {
                return (end - now - Self.burst * Self.interval) / 1_000_000 + 1
            }
            if state.ends.count >= Self.limit, state.ends[address] == nil { sweep(&state, now) }
            state.ends[address] = end
            return nil
        }
    }

    private func sweep(_ state: inout State, _ now: Int64) {
        state.ends = state.ends.filter { $0.value > now }
        guard state.ends.count >= Self.limit, let first = state.ends.min(by: { $0.value < $1.value })?.key else {
            return
        }
        state.ends[first] = nil
    }
}
