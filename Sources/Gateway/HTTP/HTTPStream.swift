internal import CMicrohttpd
internal import Synchronization

/// The body of a response that is written while the connection stays open.
///
/// Bytes wait in a bounded buffer until the client reads them. While the buffer is empty, the connection is suspended
/// and uses no thread. `writeBytes` returns `false` when the buffer is full. `onDrain` is called when the buffer is
/// empty again.
///
/// `@unchecked Sendable`: the mutex protects all mutable state. The connection pointer in it is used only to resume a
/// connection that this object has suspended. The library does not free a suspended connection.
package final class HTTPStream: @unchecked Sendable {
    private struct State {
        var buffer: [UInt8] = []
        var takenBytes = 0
        var isFinished = false
        var isClosed = false
        var connection: MHDPointer?
        var suspendedConnection: MHDPointer?
        var onDrain: (@Sendable () -> Void)?
        var onClose: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())
    private let bufferCapacity: Int
    /// The number of bytes in the whole content; nil if it is unknown. If the stream is finished with fewer bytes, the
    /// connection is ended, so that the client notices the error.
    let contentLength: UInt64?

    /// - Parameter capacity: the number of bytes that may wait for the client before `writeBytes` returns `false`.
    package init(capacity: Int = 256 * 1024, length: UInt64? = nil) {
        self.bufferCapacity = capacity
        self.contentLength = length
    }

    /// Sets the handlers. `drain` is called when the buffer has become empty. `close` is called once, when the
    /// connection has ended. The handlers must not block.
    package func setHandlers(drain: @escaping @Sendable () -> Void, close: @escaping @Sendable () -> Void) {
        let late = state.withLock { state in
            guard !state.isClosed else { return true }
            state.onDrain = drain
            state.onClose = close
            return false
        }
        if late { close() }
    }

    /// Adds bytes to the output.
    /// - Returns: `false` when the buffer is full or the stream has ended. With a full buffer, these bytes are still
    ///   sent.
    @discardableResult
    package func writeBytes(_ bytes: [UInt8]) -> Bool {
        let (room, wake) = state.withLock { state -> (Bool, MHDPointer?) in
            guard !state.isClosed, !state.isFinished else { return (false, nil) }
            if state.takenBytes > 0, state.takenBytes == state.buffer.count {
                state.buffer.removeAll(keepingCapacity: state.buffer.capacity < 65536)
                state.takenBytes = 0
            }
            state.buffer.append(contentsOf: bytes)
            let wake = state.suspendedConnection
            state.suspendedConnection = nil
            return (state.buffer.count - state.takenBytes <= bufferCapacity, wake)
        }
        if let wake { MHD_resume_connection(wake.pointer) }
        return room
    }

    /// Ends the content. Bytes that were written before are still sent.
    package func finish() {
        let wake = state.withLock { state -> MHDPointer? in
            state.isFinished = true
            let wake = state.suspendedConnection
            state.suspendedConnection = nil
            return wake
        }
        if let wake { MHD_resume_connection(wake.pointer) }
    }

    /// Number of bytes that wait for the client.
    var waitingBytes: Int { state.withLock { $0.buffer.count - $0.takenBytes } }

    func attach(_ connection: OpaquePointer) {
        let handle = MHDPointer(pointer: connection)
        state.withLock { $0.connection = handle }
    }

    /// Copies waiting bytes into the library's buffer. The library calls this function when it can send. If no bytes
    /// wait, this function suspends the connection.
    /// - Returns: the number of copied bytes; -1 at the end of the content, and -2 for an error.
    func read(into target: UnsafeMutablePointer<CChar>, capacity: Int) -> Int {
        let destination = WriteTarget(start: UnsafeMutableRawPointer(target))
        let (count, drained) = state.withLock { state -> (Int, (@Sendable () -> Void)?) in
            let available = state.buffer.count - state.takenBytes
            guard available > 0 else {
                if state.isFinished { return (-1, nil) }
                guard let connection = state.connection else { return (-2, nil) }
                state.suspendedConnection = connection
                MHD_suspend_connection(connection.pointer)
                return (0, nil)
            }
            let count = min(available, capacity)
            state.buffer.withUnsafeBytes { bytes in
                guard let base = bytes.baseAddress else { return }
                destination.start.copyMemory(from: base + state.takenBytes, byteCount: count)
            }
            state.takenBytes += count
            guard state.takenBytes == state.buffer.count else { return (count, nil) }
            state.buffer.removeAll(keepingCapacity: false)
            state.takenBytes = 0
            return (count, state.onDrain)
        }
        drained?()
        return count
    }

    func didDisconnect() {
        let close = state.withLock { state -> (@Sendable () -> Void)? in
            guard !state.isClosed else { return nil }
            state.isClosed = true
            state.connection = nil
            state.suspendedConnection = nil
            state.buffer = []
            state.takenBytes = 0
            let close = state.onClose
            state.onClose = nil
            state.onDrain = nil
            return close
        }
        close?()
    }
}

/// The library's buffer for the next bytes. It is valid only during the call that passes it.
private struct WriteTarget: @unchecked Sendable {
    let start: UnsafeMutableRawPointer
}
