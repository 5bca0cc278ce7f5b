import CMicrohttpd
import Foundation

/// An HTTP server with which the benchmark of reads compares the gateway. It uses libmicrohttpd with the same number of
/// threads as the gateway, and answers every request with the same bytes.
enum BareHandler {
    struct CannotListen: Error {}

    /// Serves the contents of `file` on loopback until the process is ended.
    static func serveFile(port: UInt16, file: String) throws -> Never {
        let body = try [UInt8](Data(contentsOf: URL(fileURLWithPath: file)))
        let response = body.withUnsafeBytes {
            MHD_create_response_from_buffer(
                $0.count,
                UnsafeMutableRawPointer(mutating: $0.baseAddress),
                .RESPMEM_MUST_COPY
            )
        }
        MHD_add_response_header(response, "Content-Type", "application/json")
        var options = sxgw_daemon_options()
        options.flags = MHD_USE_EPOLL_INTERNAL_THREAD.rawValue
        options.thread_pool_size = 2
        options.connection_limit = 1_000
        options.connection_timeout_seconds = 30
        options.connection_memory_limit = 16 * 1024
        options.listen_socket = try openListeningSocket(port)
        options.access = { response, connection, _, _, _, _, _, slot in
            // The first call of this function has only the header of the request. An answer at the first call would
            // close the connection, so the answer is sent at the second call.
            guard slot?.pointee != nil else {
                slot?.pointee = response
                return .YES
            }
            return MHD_queue_response(connection, 200, OpaquePointer(response))
        }
        options.completed = { _, _, _, _ in }
        options.context = UnsafeMutableRawPointer(response)
        guard sxgw_start_daemon(&options) != nil else { throw CannotListen() }
        FileHandle.standardOutput.write(Data("listening\n".utf8))
        while true { pause() }
    }

    private static func openListeningSocket(_ port: UInt16) throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var reuse: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isBound, Glibc.listen(descriptor, 128) == 0 else { throw CannotListen() }
        return descriptor
    }
}
