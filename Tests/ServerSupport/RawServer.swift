import Foundation
import Synchronization

/// A server on a port of this machine that sends any bytes. Each connection has a separate thread.
package final class RawServer: Sendable {
    package let port: UInt16
    private let listener: Int32
    private let acceptedCount = Mutex(0)

    /// The server's end of a connection. Its functions block.
    package struct Peer: Sendable {
        let descriptor: Int32
        /// The number of the connection, from 1.
        package let number: Int

        /// Reads bytes.
        /// - Returns: the received bytes; empty at the end.
        package func read() -> [UInt8] {
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            let count = recv(descriptor, &buffer, buffer.count, 0)
            return Array(buffer.prefix(max(0, count)))
        }

        /// Writes bytes.
        /// - Returns: whether the write succeeded.
        @discardableResult
        package func write(_ bytes: [UInt8]) -> Bool {
            send(descriptor, bytes, bytes.count, Int32(truncatingIfNeeded: MSG_NOSIGNAL)) == bytes.count
        }
    }

    /// Starts to listen on a free port.
    /// - Parameter serve: serves one connection, which ends when this function returns.
    package init(_ serve: @escaping @Sendable (Peer) -> Void) throws {
        struct Failed: Error {}
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        listener = descriptor
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        guard isBound, listen(descriptor, 16) == 0 else { throw Failed() }
        Thread.detachNewThread { [self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else {
                    Foundation.close(listener)
                    return
                }
                let number = acceptedCount.withLock {
                    $0 += 1; return $0
                }
                Thread.detachNewThread {
                    serve(Peer(descriptor: client, number: number))
                    Foundation.close(client)
                }
            }
        }
    }

    /// Number of connections so far.
    package var connectionCount: Int { acceptedCount.withLock { $0 } }

    package func stop() { shutdown(listener, Int32(SHUT_RDWR)) }
}
