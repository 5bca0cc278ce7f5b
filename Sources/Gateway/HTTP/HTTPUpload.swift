internal import CMicrohttpd
internal import Synchronization

/// A request body that is read while it arrives. The number of bytes that wait for the reader is limited: at the limit,
/// the connection is suspended.
///
/// `@unchecked Sendable`: the mutex protects all mutable state. The connection pointer in it is used only to resume a
/// connection that this object has suspended. The library does not free a suspended connection.
package final class HTTPUpload: @unchecked Sendable {
    /// Reasons why a body cannot be read to its end.
    package enum Failure: Error, Sendable {
        /// The client has disconnected before the end.
        case disconnected
        /// More bytes have arrived than the limit allows.
        case tooLarge
        /// The request was answered before the end of the body.
        case alreadyAnswered
        /// Another request continues the upload.
        case takenOver
    }

    private struct State {
        var pendingBytes: [UInt8] = []
        var isEnded = false
        var failure: Failure?
        var reader: CheckedContinuation<Void, Never>?
        var suspendedConnection: SuspendedConnection?

        /// Whether a waiting reader has to be woken.
        var shouldWakeReader: Bool { pendingBytes.count >= HTTPUpload.minReadBytes || isEnded || failure != nil }

        /// Resumes the suspended connection, if there is one. The caller must hold the lock of the state, so that
        /// `suspendedConnection` is set exactly while a connection is suspended.
        mutating func resumeConnection() {
            suspendedConnection?.resume()
            suspendedConnection = nil
        }

        mutating func takeReader() -> CheckedContinuation<Void, Never>? {
            guard shouldWakeReader else { return nil }
            defer { reader = nil }
            return reader
        }
    }

    private struct SuspendedConnection {
        let connection: MHDPointer
        let entry: ConnectionWatch.Entry?

        /// Resumes the connection, and starts the time limit of the client again.
        func resume() {
            entry?.startTimeLimit()
            MHD_resume_connection(connection.pointer)
        }
    }

    private let state = Mutex(State())
    private let changeClient: @Sendable (String) -> Bool
    /// Number of bytes that wait for the reader.
    var waitingBytes: Int { state.withLock { $0.pendingBytes.count } }
    /// Minimal number of bytes that a reader gets in one call, except at the end of the body.
    private static let minReadBytes = 64 << 10
    /// Number of waiting bytes at which the connection is suspended.
    static let maxPendingBytes = 256 << 10

    /// - Parameter changeClient: counts the upload for another client; returns false when the limit is reached for this
    ///   client.
    init(changeClient: @escaping @Sendable (String) -> Bool) { self.changeClient = changeClient }

    /// Counts the upload for a client in the limit of uploads.
    /// - Parameter client: the id of the client's key; empty without a key.
    /// - Returns: false when the limit is reached for the client.
    func countTowardsClientLimit(_ client: String) -> Bool { changeClient(client) }

    /// Returns the next bytes; nil at the end. Only one reader may call this function.
    package func readNext() async throws(Failure) -> [UInt8]? {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isReady = state.withLock { state in
                if !state.shouldWakeReader { state.reader = continuation }
                return state.shouldWakeReader
            }
            if isReady { continuation.resume() }
        }
        let (part, failure) = state.withLock { state in
            let part = state.pendingBytes
            state.pendingBytes = []
            state.resumeConnection()
            return (part, state.failure)
        }
        if !part.isEmpty { return part }
        if let failure { throw failure }
        return nil
    }

    /// Adds bytes that have arrived. The library's thread calls this function. It suspends the connection when enough
    /// bytes wait for the reader. The library passes all chunks that it has read, even after the suspension.
    /// - Returns: whether the connection is suspended.
    func appendBytes(_ bytes: UnsafeRawBufferPointer, _ connection: OpaquePointer) -> Bool {
        let (isSuspended, reader) = state.withLock { state in
            guard state.failure == nil else { return (false, CheckedContinuation<Void, Never>?.none) }
            state.pendingBytes.append(contentsOf: bytes)
            let isFull = state.pendingBytes.count >= Self.maxPendingBytes
            // A second suspension would damage the library's lists of connections.
            if isFull, state.suspendedConnection == nil {
                let entry = HTTPServer.findWatchEntry(of: connection)
                state.suspendedConnection = SuspendedConnection(
                    connection: MHDPointer(pointer: connection),
                    entry: entry
                )
                // Now the client waits for the reader, so the client's time limit stops.
                entry?.stopTimeLimit()
                MHD_suspend_connection(connection)
            }
            return (state.suspendedConnection != nil, state.takeReader())
        }
        reader?.resume()
        return isSuspended
    }

    func endBody() { changeState { $0.isEnded = true } }

    /// Ends the body early, because the rest of the body is missing or not needed. The reader still gets the bytes that
    /// have arrived, and then an error. A suspended connection is resumed.
    func endWithFailure(_ failure: Failure) {
        changeState { state in
            if !state.isEnded, state.failure == nil { state.failure = failure }
            state.resumeConnection()
        }
    }

    private func changeState(_ body: (inout State) -> Void) {
        let reader = state.withLock { state in
            body(&state)
            return state.takeReader()
        }
        reader?.resume()
    }
}
