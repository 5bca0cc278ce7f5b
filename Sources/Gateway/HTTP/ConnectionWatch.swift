internal import Descriptors
internal import Synchronization

#if canImport(Glibc)
internal import Glibc
#endif

/// Ends connections whose request does not arrive in time, even if its bytes arrive steadily.
///
/// The library's own timeout counts from the last byte, so a byte now and then would hold a connection for ever.
final class ConnectionWatch: Sendable {
    /// One open connection. `since` is when waiting for its next request began, in microseconds; 0 while a request is answered, -1 for
    /// good when the connection has left HTTP.
    final class Entry: Sendable {
        let socket: Int32
        let address: SourceAddress?
        private let since: Atomic<Int64>
        private let hasRequest = Atomic(false)
        /// Descriptors of the connection in addition to its socket.
        private let taken = Atomic(0)
        private let targetLength = Atomic(0)
        /// What its TLS session uses.
        private let credentials: TLSCredentials?

        init(socket: Int32, address: SourceAddress?, credentials: TLSCredentials?) {
            self.credentials = credentials
            self.socket = socket
            self.address = address
            self.since = Atomic(MonotonicClock.microseconds())
        }

        /// The header of a request has arrived.
        func begun() { hasRequest.store(true, ordering: .relaxed) }
        func answering() { since.store(0, ordering: .relaxed) }
        func upgraded() { since.store(-1, ordering: .relaxed) }
        /// The length of the next request's target, in bytes.
        func target(_ length: Int) { targetLength.store(length, ordering: .relaxed) }
        var target: Int { targetLength.load(ordering: .relaxed) }
        func took(more: Int) { taken.add(more, ordering: .relaxed) }
        var more: Int { taken.load(ordering: .relaxed) }
        func waiting() {
            guard since.load(ordering: .relaxed) >= 0 else { return }
            since.store(MonotonicClock.microseconds(), ordering: .relaxed)
        }

        func isLate(_ now: Int64, limit: Int64, first: Int64) -> Bool {
            let since = since.load(ordering: .relaxed)
            return since > 0 && now - since > (hasRequest.load(ordering: .relaxed) ? limit : min(limit, first))
        }
    }

    private struct State {
        var entries: [ObjectIdentifier: Entry] = [:]
        var sweeps = false
    }

    private let state = Mutex(State())
    /// Microseconds.
    private let limit: Int64
    /// Microseconds for the header of the first request.
    private let first: Int64

    init(seconds: Int, firstSeconds: Int) {
        limit = Int64(seconds) * 1_000_000
        first = Int64(firstSeconds) * 1_000_000
    }

    func opened(_ socket: Int32, from address: SourceAddress?, with credentials: TLSCredentials?) -> Entry {
        let entry = Entry(socket: socket, address: address, credentials: credentials)
        let start = state.withLock { state -> Bool in
            state.entries[ObjectIdentifier(entry)] = entry
            defer { state.sweeps = true }
            return !state.sweeps
        }
        if start { sweep() }
        return entry
    }

    /// Called before the library closes the socket, while no other connection can have its number.
    func closed(_ entry: Entry) {
        _ = state.withLock { $0.entries.removeValue(forKey: ObjectIdentifier(entry)) }
    }

    /// Runs while there are connections.
    private func sweep() {
        Task { [weak self] in
            while true {
                guard let pause = self.map({ min(5_000_000, min($0.limit, $0.first) / 2) }) else { return }
                try? await Task.sleep(for: .microseconds(pause))
                guard let self, endLate() else { return }
            }
        }
    }

    private func endLate() -> Bool {
        let now = MonotonicClock.microseconds()
        return state.withLock { state in
            // Under the lock: `closed` of one of them waits, and the socket stays its own.
            for entry in state.entries.values where entry.isLate(now, limit: limit, first: first) { shutdown(entry.socket, Int32(SHUT_RDWR)) }
            state.sweeps = !state.entries.isEmpty
            return state.sweeps
        }
    }
}
