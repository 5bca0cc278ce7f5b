internal import CMicrohttpd

/// A complete response in the form of the HTTP library, made once and queued on any number of connections.
///
/// `@unchecked Sendable`: the library guards the reference count of a response with its own lock, and nothing is changed
/// after `init`.
public final class PreparedResponse: @unchecked Sendable {
    let status: Int
    let handle: OpaquePointer
    /// What its content counts for.
    let share: UnreadAnswers.Share?

    public convenience init?(status: Int, headers: [(name: String, value: String)], body: [UInt8]) {
        self.init(status: status, headers: headers, body: body, share: nil)
    }

    convenience init?(status: Int, headers: [(name: String, value: String)], body: [UInt8], share: UnreadAnswers.Share?) {
        let made = body.withUnsafeBytes { bytes in
            MHD_create_response_from_buffer(
                bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), .RESPMEM_MUST_COPY)
        }
        guard let made else { return nil }
        self.init(adopting: made, status: status, headers: headers, share: share)
    }

    init(adopting handle: OpaquePointer, status: Int, headers: [(name: String, value: String)], share: UnreadAnswers.Share? = nil) {
        self.share = share
        self.handle = handle
        self.status = status
        for header in headers {
            // A name or value that the library refuses (a line break in it) is left out.
            _ = MHD_add_response_header(handle, header.name, header.value)
        }
        // Bodies are never of another type than declared (`nosniff`), and by default only for the client that asked (`no-store`).
        for header in PreparedResponse.common where !headers.contains(where: { $0.name == header.name }) {
            _ = MHD_add_response_header(handle, header.name, header.value)
        }
    }

    private static let common = [(name: "X-Content-Type-Options", value: "nosniff"), (name: "Cache-Control", value: "no-store")]

    deinit { MHD_destroy_response(handle) }
}

extension PreparedResponse {
    /// A response whose content is written over time.
    convenience init?(status: Int, headers: [(name: String, value: String)], stream: HTTPStream) {
        let retained = Unmanaged.passRetained(stream)
        let made = MHD_create_response_from_callback(
            stream.length ?? UInt64.max, stream.length == nil ? 4096 : 32 << 10,
            { context, _, buffer, capacity in
                guard let context, let buffer else { return -1 }
                return Unmanaged<HTTPStream>.fromOpaque(context).takeUnretainedValue().read(into: buffer, capacity: capacity)
            },
            retained.toOpaque(),
            { context in
                guard let context else { return }
                Unmanaged<HTTPStream>.fromOpaque(context).takeRetainedValue().disconnected()
            })
        guard let made else {
            retained.release()
            return nil
        }
        self.init(adopting: made, status: status, headers: headers)
    }
}
