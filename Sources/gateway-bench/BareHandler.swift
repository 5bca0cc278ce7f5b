import CMicrohttpd
import Foundation

/// The measure for reads: libmicrohttpd with the gateway's own threading, answering every request with the same bytes.
enum BareHandler {
    /// Serves the contents of `file` on loopback until the process is ended.
    static func serve(port: UInt16, file: String) throws -> Never {
        let body = try [UInt8](Data(contentsOf: URL(fileURLWithPath: file)))
        let response = body.withUnsafeBytes {
            MHD_create_response_from_buffer($0.count, UnsafeMutableRawPointer(mutating: $0.baseAddress), MHD_RESPMEM_MUST_COPY)
        }
        MHD_add_response_header(response, "Content-Type", "application/json")
        let flags = MHD_USE_EPOLL_INTERNAL_THREAD.rawValue | MHD_USE_ERROR_LOG.rawValue
        let handler: MHD_AccessHandlerCallback = { response, connection, _, _, _, _, _, _ in
            MHD_queue_response(connection, 200, OpaquePointer(response))
        }
        var options = [
            MHD_OptionItem(option: MHD_OPTION_THREAD_POOL_SIZE, value: 2, ptr_value: nil),
            MHD_OptionItem(option: MHD_OPTION_END, value: 0, ptr_value: nil),
        ]
        let daemon = withVaList([MHD_OPTION_ARRAY.rawValue, UnsafeMutableRawPointer(&options), MHD_OPTION_END.rawValue]) { arguments in
            MHD_start_daemon_va(flags, port, nil, nil, handler, UnsafeMutableRawPointer(response), arguments)
        }
        guard daemon != nil else { throw CocoaError(.fileNoSuchFile) }
        print("listening")
        fflush(stdout)
        while true { pause() }
    }
}
