internal import CMicrohttpd
internal import Synchronization

/// A request body that is read while it comes. What its reader has not taken is bounded: the client is then not read from.
///
/// `@unchecked Sendable`: everything mutable is in the mutex; the connection pointer kept there is used only to resume a connection that this object
/// suspended, and a suspended connection is not freed by the library.
public final class HTTPUpload: @unchecked Sendable {
    /// Why a body cannot be read to its end.
    public enum Failure: Error, Sendable {
        /// The client has gone in the middle.
        case disconnected
        /// More has come than is allowed.
        case tooLarge
        /// The request was answered before its end.
        case answered
        /// Another request goes on with the upload.
        case takenOver
    }

    private struct State {
        var pending: [UInt8] = []
        var isEnded = false
        var failure: Failure?
        var reader: CheckedContinuation<Void, Never>?
        var suspended: Suspended?

        /// Whether a reader that waits has something to do.
        var isReady: Bool { pending.count >= HTTPUpload.portion || isEnded || failure != nil }

        mutating func wake() -> CheckedContinuation<Void, Never>? {
            guard isReady else { return nil }
            defer { reader = nil }
            return reader
        }
    }

    /// A connection that is not read from.
    private struct Suspended {
        let connection: LibraryPointer
        let entry: ConnectionWatch.Entry?

        /// It is the client's turn again, also when nothing comes.
        func resume() {
            entry?.waiting()
            MHD_resume_connection(connection.pointer)
        }
    }

    private let state = Mutex(State())
    /// Bytes that a reader gets at least, unless the body ends.
    private static let portion = 64 << 10
    /// Bytes that wait for the reader, about.
    private static let capacity = 256 << 10

    /// The next bytes; nil at the end. For one reader.
    public func next() async throws(Failure) -> [UInt8]? {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isReady = state.withLock { state in
                if !state.isReady { state.reader = continuation }
                return state.isReady
            }
            if isReady { continuation.resume() }
        }
        let (part, failure, suspended) = state.withLock { state in
            let part = state.pending
            state.pending = []
            defer { state.suspended = nil }
            return (part, state.failure, state.suspended)
        }
        suspended?.resume()
        if !part.isEmpty { return part }
        if let failure { throw failure }
        return nil
    }

    /// Called by the library's thread. Suspends the connection when enough waits for the reader.
    /// - Returns: whether it is suspended.
    func append(_ bytes: UnsafeRawBufferPointer, _ connection: OpaquePointer) -> Bool {
        let (isFull, reader) = state.withLock { state in
            guard state.failure == nil else { return (false, CheckedContinuation<Void, Never>?.none) }
            state.pending.append(contentsOf: bytes)
            let isFull = state.pending.count >= Self.capacity
            if isFull {
                let entry = HTTPServer.entry(of: connection)
                state.suspended = Suspended(connection: LibraryPointer(pointer: connection), entry: entry)
                // It is our turn now, and the client need not hurry.
                entry?.answering()
                // Under the lock, because whoever resumes the connection must find it suspended.
                MHD_suspend_connection(connection)
            }
            return (isFull, state.wake())
        }
        reader?.resume()
        return isFull
    }

    func end() { change { $0.isEnded = true } }

    /// The rest does not come, or is of no interest. What has come is still read; a connection that waits for that goes on.
    func fail(_ failure: Failure) {
        let suspended = change { state in
            if !state.isEnded, state.failure == nil { state.failure = failure }
            defer { state.suspended = nil }
            return state.suspended
        }
        suspended?.resume()
    }

    private func change<T>(_ body: (inout State) -> T) -> T {
        let (result, reader) = state.withLock { state in
            let result = body(&state)
            return (result, state.wake())
        }
        reader?.resume()
        return result
    }
}
