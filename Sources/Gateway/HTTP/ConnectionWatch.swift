internal import Clocks
internal import Descriptors
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#endif

/// Ends connections whose request does not arrive in time, even if some bytes arrive all the time.
///
/// The timeout of the HTTP library begins again with each byte, so a client that sends a byte now and then could keep a
/// connection open forever. The library also does not notice the end of a connection that arrives together with the
/// last bytes. So a broken upload would look open until the timeout of the library.
final class ConnectionWatch: Sendable {
    /// An open connection. `waitingSince` is the time, in microseconds, at which the server began to wait for the next
    /// request. It is 0 while a request is answered, and -1 after the connection was upgraded.
    final class Entry: Sendable {
        let socket: Int32
        let address: SourceAddress?
        private let waitingSince: Atomic<Int64>
        private let hasRequestHeader = Atomic(false)
        /// The number of descriptors of the connection in addition to its socket.
        private let extraDescriptorCount = Atomic(0)
        private let targetLength = Atomic(0)
        private let uploadFlag = Atomic(false)
        /// The credentials of the TLS session; nil without TLS.
        private let credentials: TLSCredentials?

        init(socket: Int32, address: SourceAddress?, credentials: TLSCredentials?) {
            self.credentials = credentials
            self.socket = socket
            self.address = address
            self.waitingSince = Atomic(MonotonicClock.microseconds())
        }

        /// Marks the header of the first request as complete. The shorter time limit of a new connection then no longer
        /// applies.
        func recordRequestHeader() { hasRequestHeader.store(true, ordering: .relaxed) }
        func stopTimeLimit() { waitingSince.store(0, ordering: .relaxed) }
        /// Records whether the request has an upload, which is a body that is read while it arrives.
        func setUploading(_ uploads: Bool) { self.uploadFlag.store(uploads, ordering: .relaxed) }
        var isUploading: Bool { uploadFlag.load(ordering: .relaxed) }
        func recordUpgrade() { waitingSince.store(-1, ordering: .relaxed) }
        /// Records the length of the next request's target, in bytes.
        func setTargetLength(_ length: Int) { targetLength.store(length, ordering: .relaxed) }
        var targetBytes: Int { targetLength.load(ordering: .relaxed) }
        func addDescriptors(more: Int) { extraDescriptorCount.add(more, ordering: .relaxed) }
        var extraDescriptors: Int { extraDescriptorCount.load(ordering: .relaxed) }
        func startTimeLimit() {
            guard waitingSince.load(ordering: .relaxed) >= 0 else { return }
            waitingSince.store(MonotonicClock.microseconds(), ordering: .relaxed)
        }

        func hasExceededTimeLimit(_ now: Int64, limit: Int64, first: Int64) -> Bool {
            let since = waitingSince.load(ordering: .relaxed)
            return since > 0 && now - since > (hasRequestHeader.load(ordering: .relaxed) ? limit : min(limit, first))
        }

        /// Whether the rest of an upload cannot arrive: the client has ended its direction of the connection, and all
        /// bytes from the client were read.
        func hasBrokenUpload(_ now: Int64) -> Bool {
            let since = waitingSince.load(ordering: .relaxed)
            guard isUploading, since > 0, now - since > 2_000_000 else { return false }
            var state = pollfd(fd: socket, events: Self.hangUpEvent, revents: 0)
            guard poll(&state, 1, 0) == 1, state.revents & Self.hangUpEvent != 0 else { return false }
            // Over TLS, the end of the session may still be unread in the socket, so unread bytes are ignored.
            var byte: UInt8 = 0
            return credentials != nil || recv(socket, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) == 0
        }

        /// Whether the client has ended its direction of the connection, or the connection is broken. Use this property
        /// only before the request is answered, since the descriptor can belong to another connection after that.
        var hasEnded: Bool {
            var state = pollfd(fd: socket, events: Self.hangUpEvent, revents: 0)
            return poll(&state, 1, 0) == 1
        }

        /// `POLLRDHUP` of Linux, which the C library hides from Swift.
        private static let hangUpEvent: Int16 = 0x2000
    }

    private struct State {
        var entries: [ObjectIdentifier: Entry] = [:]
        var isSweeping = false
    }

    private let state = Mutex(State())
    /// The maximum time in microseconds from the end of a request to the last byte of the next request.
    private let maxRequestMicroseconds: Int64
    /// The maximum time in microseconds from the start of a connection to the header of its first request.
    private let maxFirstRequestMicroseconds: Int64

    init(seconds: Int, firstSeconds: Int) {
        maxRequestMicroseconds = Int64(seconds) * 1_000_000
        maxFirstRequestMicroseconds = Int64(firstSeconds) * 1_000_000
    }

    func addConnection(_ socket: Int32, from address: SourceAddress?, with credentials: TLSCredentials?) -> Entry {
        let entry = Entry(socket: socket, address: address, credentials: credentials)
        let start = state.withLock { state -> Bool in
            state.entries[ObjectIdentifier(entry)] = entry
            defer { state.isSweeping = true }
            return !state.isSweeping
        }
        if start { startSweeping() }
        return entry
    }

    /// Removes a connection. Called before the library closes the socket, while no other connection can have the same
    /// descriptor.
    func removeConnection(_ entry: Entry) {
        _ = state.withLock { $0.entries.removeValue(forKey: ObjectIdentifier(entry)) }
    }

    /// Starts the task that checks the connections at intervals. The task runs only while connections are open.
    private func startSweeping() {
        Task { [weak self] in
            while true {
                guard let pause = self?.pauseMicroseconds else { return }
                try? await Task.sleep(for: .microseconds(pause))
                guard let self, endLateConnections() else { return }
            }
        }
    }

    /// Microseconds until the next check of the connections.
    private var pauseMicroseconds: Int64 {
        let isUploading = state.withLock { $0.entries.values.contains(where: \.isUploading) }
        return min(isUploading ? 1_000_000 : 5_000_000, min(maxRequestMicroseconds, maxFirstRequestMicroseconds) / 2)
    }

    private func endLateConnections() -> Bool {
        let now = MonotonicClock.microseconds()
        return state.withLock { state in
            // The loop runs under the lock: while `removeConnection` waits for the lock, the descriptor cannot belong
            // to another connection.
            for entry in state.entries.values
            where entry.hasExceededTimeLimit(now, limit: maxRequestMicroseconds, first: maxFirstRequestMicroseconds)
                || entry.hasBrokenUpload(now)
            {
                shutdown(entry.socket, Int32(SHUT_RDWR))
            }
            state.isSweeping = !state.entries.isEmpty
            return state.isSweeping
        }
    }
}
