internal import CMicrohttpd
internal import Synchronization

/// The body of a response that is written while the connection stays open.
///
/// Bytes wait in a bounded buffer until the client reads them. While the buffer is empty the connection is suspended
/// and uses no thread. `write` returns `false` when the buffer is full; `onDrain` is called when it is empty again.
///
/// `@unchecked Sendable`: everything mutable is in the mutex; the connection pointer kept there is used only to resume
/// a connection that this object suspended, and a suspended connection is not freed by the library.
public final class HTTPStream: @unchecked Sendable {
    private struct State {
        var buffer: [UInt8] = []
        var taken = 0
        var finished = false
        var closed = false
        var connection: MHDPointer?
        var suspended: MHDPointer?
        var onDrain: (@Sendable () -> Void)?
        var onClose: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())
    private let capacity: Int
    /// The number of bytes of the whole content, if it is known. If the stream is finished with fewer bytes, the
    /// connection is ended, so that the client notices.
    let length: UInt64?

    /// - Parameter capacity: bytes that may wait for the client before `write` returns `false`.
    public init(capacity: Int = 256 * 1024, length: UInt64? = nil) {
        self.capacity = capacity
        self.length = length
    }

    /// Sets the handlers. `drain` is called when the buffer has run empty, `close` once when the connection has ended.
    /// Neither may block.
    public func handlers(drain: @escaping @Sendable () -> Void, close: @escaping @Sendable () -> Void) {
        let late = state.withLock { state in
            guard !state.closed else { return true }
            state.onDrain = drain
            state.onClose = close
            return false
        }
        if late { close() }
    }

    /// Adds bytes to the output. The result is `false` when the buffer is full (these bytes are still sent), or the
    /// stream has ended.
    @discardableResult
    public func write(_ bytes: [UInt8]) -> Bool {
        let (room, wake) = state.withLock { state -> (Bool, MHDPointer?) in
            guard !state.closed, !state.finished else { return (false, nil) }
            if state.taken > 0, state.taken == state.buffer.count {
                state.buffer.removeAll(keepingCapacity: state.buffer.capacity < 65536)
                state.taken = 0
            }
            state.buffer.append(contentsOf: bytes)
            let wake = state.suspended
            state.suspended = nil
            return (state.buffer.count - state.taken <= capacity, wake)
        }
        if let wake { MHD_resume_connection(wake.pointer) }
        return room
    }

    /// Ends the content after the bytes that were written.
    public func finish() {
        let wake = state.withLock { state -> MHDPointer? in
            state.finished = true
            let wake = state.suspended
            state.suspended = nil
            return wake
        }
        if let wake { MHD_resume_connection(wake.pointer) }
    }

    func attach(_ connection: OpaquePointer) {
        let handle = MHDPointer(pointer: connection)
        state.withLock { $0.connection = handle }
    }

    /// Called by the library when it can send. Suspends the connection if there are no bytes.
    func read(into target: UnsafeMutablePointer<CChar>, capacity: Int) -> Int {
        let destination = WriteTarget(start: UnsafeMutableRawPointer(target))
        let (count, drained) = state.withLock { state -> (Int, (@Sendable () -> Void)?) in
            let available = state.buffer.count - state.taken
            guard available > 0 else {
                if state.finished { return (-1, nil) }
                guard let connection = state.connection else { return (-2, nil) }
                state.suspended = connection
                MHD_suspend_connection(connection.pointer)
                return (0, nil)
            }
            let count = min(available, capacity)
            state.buffer.withUnsafeBytes { bytes in
                guard let base = bytes.baseAddress else { return }
                destination.start.copyMemory(from: base + state.taken, byteCount: count)
            }
            state.taken += count
            guard state.taken == state.buffer.count else { return (count, nil) }
            state.buffer.removeAll(keepingCapacity: false)
            state.taken = 0
            return (count, state.onDrain)
        }
        drained?()
        return count
    }

    func disconnected() {
        let close = state.withLock { state -> (@Sendable () -> Void)? in
            guard !state.closed else { return nil }
            state.closed = true
            state.connection = nil
            state.suspended = nil
            state.buffer = []
            state.taken = 0
            let close = state.onClose
            state.onClose = nil
            state.onDrain = nil
            return close
        }
        close?()
    }
}

/// The library's buffer for the next bytes. It is used only within the call that brings it.
private struct WriteTarget: @unchecked Sendable {
    let start: UnsafeMutableRawPointer
}
