internal import CMicrohttpd

/// A response in the form of the HTTP library, for one request.
///
/// `@unchecked Sendable`: the library protects the reference count of a response with its own lock, and the object does
/// not change after `init`.
final class LibraryResponse: @unchecked Sendable {
    let status: Int
    let handle: OpaquePointer
    /// The object to which the library has a pointer. This reference keeps the object alive, because the library does
    /// not.
    private let referencedObject: (any AnyObject & Sendable)?

    init(
        adopting handle: OpaquePointer,
        status: Int,
        headers: [(name: String, value: String)],
        referencedObject: (any AnyObject & Sendable)? = nil
    ) {
        self.handle = handle
        self.status = status
        self.referencedObject = referencedObject
        for header in headers {
            // The library refuses some headers, for example one with a line break. The answer is then sent without this
            // header.
            _ = MHD_add_response_header(handle, header.name, header.value)
        }
        // Browsers must not guess another type than the declared type (`nosniff`). By default, caches must not store an
        // answer (`no-store`).
        for header in LibraryResponse.defaultHeaders where !headers.contains(where: { $0.name == header.name }) {
            _ = MHD_add_response_header(handle, header.name, header.value)
        }
    }

    private static let defaultHeaders = [
        (name: "X-Content-Type-Options", value: "nosniff"), (name: "Cache-Control", value: "no-store"),
    ]

    deinit { MHD_destroy_response(handle) }
}

extension LibraryResponse {
    /// Makes a response whose content the library reads directly from `body`, without a copy. The memory stays valid
    /// while the library needs it.
    convenience init?(status: Int, headers: [(name: String, value: String)], body: SharedBytes) {
        let retained = Unmanaged.passRetained(body)
        let made = MHD_create_response_from_buffer_with_free_callback_cls(
            body.count,
            body.baseAddress,
            { context in if let context { Unmanaged<SharedBytes>.fromOpaque(context).release() } },
            retained.toOpaque()
        )
        guard let made else {
            retained.release()
            return nil
        }
        self.init(adopting: made, status: status, headers: headers)
    }

    /// Makes a response whose content comes from a stream.
    convenience init?(status: Int, headers: [(name: String, value: String)], stream: HTTPStream) {
        let retained = Unmanaged.passRetained(stream)
        let made = MHD_create_response_from_callback(
            stream.contentLength ?? UInt64.max,
            stream.contentLength == nil ? 4096 : 32 << 10,
            { context, _, buffer, capacity in
                guard let context, let buffer else { return -1 }
                return Unmanaged<HTTPStream>.fromOpaque(context).takeUnretainedValue().read(
                    into: buffer,
                    capacity: capacity
                )
            },
            retained.toOpaque(),
            { context in
                guard let context else { return }
                Unmanaged<HTTPStream>.fromOpaque(context).takeRetainedValue().didDisconnect()
            }
        )
        guard let made else {
            retained.release()
            return nil
        }
        self.init(adopting: made, status: status, headers: headers)
    }
}
