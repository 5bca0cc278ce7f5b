internal import Descriptors
internal import Synchronization

/// Slows down clients that guess keys. After a number of wrong keys from an address, further wrong keys are answered
/// with 429.
///
/// A valid key is always accepted, even if other clients with the same address have sent wrong keys. Many clients
/// behind a proxy, or in one network, may have the same address. An attacker gains nothing from this exception, since
/// keys have 256 random bits. The limit bounds the work for wrong keys and the number of log lines.
final class WrongKeys: Sendable {
    /// Maximal number of wrong keys from an address in a short time.
    static let maxBurst: Int64 = 20
    /// Microseconds after which an address may send one more wrong key.
    static let microsecondsPerWrongKey: Int64 = 3_000_000
    /// Maximal number of remembered addresses. At the limit, the address whose wrong keys expire first is forgotten.
    private static let maxAddresses = 10_000

    private struct State {
        /// For each address, the time at which its wrong keys are forgotten, in microseconds of the monotonic clock.
        var forgottenAtMicroseconds: [SourceAddress?: Int64] = [:]
    }

    private let state = Mutex(State())

    /// Counts a wrong key.
    /// - Parameter now: microseconds of a monotonic clock.
    /// - Returns: nil while the address has sent few wrong keys, otherwise the seconds after which it may send another
    ///   wrong key.
    func countWrongKey(_ address: SourceAddress?, at now: Int64) -> Int64? {
        state.withLock { state in
            let end = max(now, state.forgottenAtMicroseconds[address] ?? now) + Self.microsecondsPerWrongKey
            guard end - now <= Self.maxBurst * Self.microsecondsPerWrongKey else {
                return (end - now - Self.maxBurst * Self.microsecondsPerWrongKey) / 1_000_000 + 1
            }
            if state.forgottenAtMicroseconds.count >= Self.maxAddresses, state.forgottenAtMicroseconds[address] == nil {
                sweepAddresses(&state, now)
            }
            state.forgottenAtMicroseconds[address] = end
            return nil
        }
    }

    private func sweepAddresses(_ state: inout State, _ now: Int64) {
        state.forgottenAtMicroseconds = state.forgottenAtMicroseconds.filter { $0.value > now }
        guard state.forgottenAtMicroseconds.count >= Self.maxAddresses,
            let first = state.forgottenAtMicroseconds.min(by: { $0.value < $1.value })?.key
        else {
            return
        }
        state.forgottenAtMicroseconds[first] = nil
    }
}
