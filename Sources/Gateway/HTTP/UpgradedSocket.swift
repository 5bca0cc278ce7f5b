internal import CMicrohttpd
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#endif

/// A socket that is no longer used for HTTP. Its owner gets the bytes that have arrived already, and `descriptor`, a
/// duplicate of the socket that the owner must close. When the owner no longer uses the socket, it calls `close`, so
/// that the HTTP library releases the connection.
///
/// `@unchecked Sendable`: the mutex protects the library's pointer to the connection, which is used only once.
package final class UpgradedSocket: @unchecked Sendable {
    /// A duplicate of the connection's socket.
    package let descriptor: Int32
    /// Bytes that the client sent after its request.
    package let receivedBytes: [UInt8]
    private let handle: Mutex<MHDPointer?>
    private let onClose: @Sendable () -> Void

    init?(descriptor: Int32, received: [UInt8], handle: OpaquePointer, onClose: @escaping @Sendable () -> Void) {
        let own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard own >= 0 else { return nil }
        self.descriptor = own
        self.receivedBytes = received
        self.handle = Mutex(MHDPointer(pointer: handle))
        self.onClose = onClose
    }

    package func close() {
        let handle = self.handle.withLock { handle -> MHDPointer? in
            defer { handle = nil }
            return handle
        }
        guard let handle else { return }
        sxgw_upgrade_close(handle.pointer)
        onClose()
    }
}
