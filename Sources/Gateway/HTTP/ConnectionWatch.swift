internal import Synchronization

#if canImport(Glibc)
internal import Glibc
#endif

/// Ends connections whose request does not arrive in time, however steadily its bytes drip.
///
/// The library's own timeout counts from the last byte, so a byte now and then would hold a connection for ever.
final class ConnectionWatch: Sendable {
    /// One open connection. `since` is when waiting for its next request began, in microseconds; 0 while a request is answered, -1 for
    /// good when the connection has left HTTP.
    final class Entry: Sendable {
        let socket: Int32
        private let since: Atomic<Int64>

        init(socket: Int32) {
            self.socket = socket
            self.since = Atomic(MonotonicClock.microseconds())
        }

        func answering() { since.store(0, ordering: .relaxed) }
        func upgraded() { since.store(-1, ordering: .relaxed) }
        func waiting() {
            guard since.load(ordering: .relaxed) >= 0 else { return }
            since.store(MonotonicClock.microseconds(), ordering: .relaxed)
        }

        func isLate(_ now: Int64, limit: Int64) -> Bool {
            let since = since.load(ordering: .relaxed)
            return since > 0 && now - since > limit
        }
    }

    private struct State {
        var entries: [ObjectIdentifier: Entry] = [:]
        var sweeps = false
    }

    private let state = Mutex(State())
    /// Microseconds.
    private let limit: Int64

    init(seconds: Int) { limit = Int64(seconds) * 1_000_000 }

    func opened(_ socket: Int32) -> Entry {
        let entry = Entry(socket: socket)
        let start = state.withLock { state -> Bool in
            state.entries[ObjectIdentifier(entry)] = entry
            defer { state.sweeps = true }
            return !state.sweeps
        }
        if start { sweep() }
        return entry
    }

    /// Called before the library closes the socket, so that its number is not yet another connection's.
    func closed(_ entry: Entry) {
        _ = state.withLock { $0.entries.removeValue(forKey: ObjectIdentifier(entry)) }
    }

    /// Runs while there are connections.
    private func sweep() {
        Task { [weak self] in
            while true {
                guard let pause = self.map({ min(5_000_000, $0.limit / 2) }) else { return }
                try? await Task.sleep(for: .microseconds(pause))
                guard let self, endLate() else { return }
            }
        }
    }

    private func endLate() -> Bool {
        let now = MonotonicClock.microseconds()
        return state.withLock { state in
            // Under the lock: `closed` of one of them waits, and the socket stays its own.
            for entry in state.entries.values where entry.isLate(now, limit: limit) { shutdown(entry.socket, Int32(SHUT_RDWR)) }
            state.sweeps = !state.entries.isEmpty
            return state.sweeps
        }
    }
}
