internal import CMicrohttpd
internal import Descriptors
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#endif

/// The callbacks of libmicrohttpd. They convert its pointers to Swift values.
extension HTTPServer {
    static let handleAccess: MHD_AccessHandlerCallback = {
        context,
        connection,
        url,
        method,
        version,
        data,
        size,
        slot in
        guard let context, let connection, let size, let slot else { return .NO }
        guard let existing = slot.pointee else {
            guard let url, let method, let version else { return .NO }
            let server = Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue()
            let request = server.makeRequest(connection, url: url, method: method, version: version)
            let exchange = HTTPExchange(server: server, connection: connection, request: request)
            slot.pointee = Unmanaged.passRetained(exchange).toOpaque()
            return exchange.handleHeader(server.findDefect(of: request, connection, method, version))
        }
        let exchange = Unmanaged<HTTPExchange>.fromOpaque(existing).takeUnretainedValue()
        guard size.pointee > 0 else { return exchange.advancePhase() }
        let bytes = UnsafeRawBufferPointer(start: data, count: size.pointee)
        size.pointee = 0
        // The library does not use the bytes of the body after the exchange has got them. The bytes may contain a
        // passphrase, so they are overwritten.
        defer { if let data { explicit_bzero(UnsafeMutableRawPointer(mutating: data), bytes.count) } }
        return exchange.handleBodyBytes(bytes)
    }

    /// Records the length of a request's target before the library parses the target.
    static let recordTargetLength:
        @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?) -> UnsafeMutableRawPointer? = {
            _,
            uri,
            connection in
            guard let uri, let connection else { return nil }
            HTTPServer.findWatchEntry(of: connection)?.setTargetLength(strcspn(uri, " \t"))
            return nil
        }

    static let handleCompleted: MHD_RequestCompletedCallback = { _, connection, slot, code in
        guard let slot, let existing = slot.pointee else { return }
        slot.pointee = nil
        if let connection { HTTPServer.findWatchEntry(of: connection)?.startTimeLimit() }
        Unmanaged<HTTPExchange>.fromOpaque(existing).takeRetainedValue().endExchange(
            isSent: code == .REQUEST_TERMINATED_COMPLETED_OK
        )
    }

    /// Whether the server keeps a connection that was just accepted. Otherwise it closes the connection.
    static let acceptConnection: MHD_AcceptPolicyCallback = { context, address, _ in
        guard let context else { return .NO }
        let server = Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue()
        return server.limits.connections.admitsConnection(address.flatMap { SourceAddress($0) }) ? .YES : .NO
    }

    static let notifyConnection: MHD_NotifyConnectionCallback = { context, connection, slot, code in
        guard let context, let connection, let slot else { return }
        let server = Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue()
        switch code {
        case .CONNECTION_NOTIFY_STARTED:
            let address = sxgw_connection_address(connection).flatMap { SourceAddress($0) }
            server.limits.connections.countOpenedConnection(address)
            let credentials = server.credentials
            if let credentials, let session = sxgw_connection_tls(connection) { credentials.attach(in: session) }
            let entry = server.connectionWatch.addConnection(
                sxgw_connection_socket(connection),
                from: address,
                with: credentials
            )
            slot.pointee = Unmanaged.passRetained(entry).toOpaque()
        case .CONNECTION_NOTIFY_CLOSED:
            guard let existing = slot.pointee else { return }
            slot.pointee = nil
            let entry = Unmanaged<ConnectionWatch.Entry>.fromOpaque(existing).takeRetainedValue()
            server.connectionWatch.removeConnection(entry)
            server.limits.connections.countClosedConnection(entry.address, more: entry.extraDescriptors)
        @unknown default:
            return
        }
    }

    static func findWatchEntry(of connection: OpaquePointer) -> ConnectionWatch.Entry? {
        sxgw_connection_context(connection).map {
            Unmanaged<ConnectionWatch.Entry>.fromOpaque($0).takeUnretainedValue()
        }
    }

    /// Returns the defect in the framing of a request; nil for correct framing.
    private func findDefect(
        of request: HTTPRequest,
        _ connection: OpaquePointer,
        _ method: UnsafePointer<CChar>,
        _ version: UnsafePointer<CChar>
    ) -> FramingDefect? {
        if let target = HTTPServer.findWatchEntry(of: connection)?.targetBytes, target > RequestFraming.maxTargetLength
        {
            return FramingDefect(
                status: 414,
                text: "The target of a request can have at most \(RequestFraming.maxTargetLength) bytes."
            )
        }
        if HTTPServer.libraryKeepsRawHeader {
            let header = UnsafeRawBufferPointer(start: method, count: sxgw_header_size(connection))
            let defect = RequestFraming.findDefect(
                in: header,
                target: HTTPServer.findWatchEntry(of: connection)?.targetBytes ?? 0,
                version: version - method
            )
            if let defect { return defect }
        }
        return RequestFraming.findDefect(
            method: request.method,
            version: String(cString: version),
            headers: request.headers,
            parameters: request.query.count
        )
    }

    /// Whether the library keeps the raw header of a request in memory, so that ``RequestFraming`` can check it. Since
    /// version 0.9.77, the library checks the framing itself, and does not keep the raw header.
    static let libraryKeepsRawHeader = String(cString: MHD_get_version()).split(separator: ".").compactMap { Int($0) }
        .lexicographicallyPrecedes([0, 9, 77])

    private func makeRequest(
        _ connection: OpaquePointer,
        url: UnsafePointer<CChar>,
        method: UnsafePointer<CChar>,
        version: UnsafePointer<CChar>
    ) -> HTTPRequest {
        let fields = RequestFields()
        // The pointer is valid only for the two calls below.
        let target = Unmanaged.passUnretained(fields).toOpaque()
        MHD_get_connection_values_n(connection, .HEADER_KIND, RequestFields.collectHeader, target)
        MHD_get_connection_values_n(connection, .GET_ARGUMENT_KIND, RequestFields.collectQuery, target)
        return withExtendedLifetime(fields) {
            // HTTP/1.0 has no upgrades (RFC 9110, section 7.8). With the header field `Upgrade`, the library would
            // close the connection instead of sending the answer.
            let isHTTP10 = strcmp(version, "HTTP/1.0") == 0
            if isHTTP10 { fields.headers.removeAll { $0.name == "upgrade" } }
            var request = HTTPRequest(
                method: String(cString: method),
                path: String(cString: url),
                query: fields.query,
                headers: fields.headers,
                isSecure: configuration.tls != nil,
                id: RequestID.chooseID(fields.headers.first { $0.name == "x-request-id" }?.value),
                address: HTTPServer.findWatchEntry(of: connection)?.address
            )
            request.isHTTP10 = isHTTP10
            let path = UnsafeRawBufferPointer(start: url, count: strlen(url))
            request.hasMalformedTarget = fields.isQueryMalformed || PercentEncoding.decode(utf8: path) == nil
            request.resolveAbsoluteForm()
            if !request.path.hasPrefix("/"), request.path != "*" { request.hasMalformedTarget = true }
            return request
        }
    }

    func makeUpgradeResponse(
        headers: [(name: String, value: String)],
        handover: @escaping @Sendable (UpgradedSocket) -> Void
    ) -> LibraryResponse? {
        let pending = SocketHandover(server: self, body: handover)
        let made = MHD_create_response_for_upgrade(
            { context, _, _, extra, extraSize, socket, handle in
                guard let context, let handle else { return }
                let pending = Unmanaged<SocketHandover>.fromOpaque(context).takeUnretainedValue()
                let received = [UInt8](UnsafeRawBufferPointer(start: extra, count: extra == nil ? 0 : extraSize))
                let server = pending.server
                let upgraded = UpgradedSocket(
                    descriptor: socket,
                    received: received,
                    handle: handle,
                    onClose: { server.changeUpgradedSockets(by: -1) }
                )
                guard let upgraded else { return sxgw_upgrade_close(handle) }
                server.changeUpgradedSockets(by: 1)
                pending.takeHandler()?(upgraded)
            },
            Unmanaged.passUnretained(pending).toOpaque()
        )
        guard let made else { return nil }
        return LibraryResponse(adopting: made, status: 101, headers: headers, referencedObject: pending)
    }
}

/// Passes the socket of an upgraded connection to its new owner. The response owns this object. So the object is also
/// released, with the response, if there is no upgrade: the client may disconnect before the answer, or the library may
/// refuse the upgrade.
private final class SocketHandover: Sendable {
    let server: HTTPServer
    private let handler: Mutex<(@Sendable (UpgradedSocket) -> Void)?>

    init(server: HTTPServer, body: @escaping @Sendable (UpgradedSocket) -> Void) {
        self.server = server
        self.handler = Mutex(body)
    }

    /// Returns the function that takes over the socket; nil after the first call. So this object does not keep the
    /// function while the socket is open.
    func takeHandler() -> (@Sendable (UpgradedSocket) -> Void)? {
        handler.withLock { body in
            defer { body = nil }
            return body
        }
    }
}

/// Collects the header fields and query parameters of a request while the HTTP library iterates over them.
private final class RequestFields {
    var headers: [(name: String, value: String)] = []
    var query: [(name: String, value: String)] = []
    /// Whether a parameter of the query decodes to invalid text.
    var isQueryMalformed = false

    static let collectHeader: MHD_KeyValueIteratorN = { target, _, key, keySize, value, valueSize in
        guard let target else { return .NO }
        let fields = Unmanaged<RequestFields>.fromOpaque(target).takeUnretainedValue()
        guard fields.headers.count <= RequestFraming.maxHeadersOrParameters else { return .NO }
        fields.headers.append((text(key, keySize).lowercased(), text(value, valueSize)))
        return .YES
    }

    static let collectQuery: MHD_KeyValueIteratorN = { target, _, key, keySize, value, valueSize in
        guard let target else { return .NO }
        let fields = Unmanaged<RequestFields>.fromOpaque(target).takeUnretainedValue()
        guard fields.query.count <= RequestFraming.maxHeadersOrParameters else { return .NO }
        guard let name = decodeText(key, keySize), let content = decodeText(value, valueSize) else {
            fields.isQueryMalformed = true
            return .NO
        }
        fields.query.append((name, content))
        return .YES
    }

    private static func decodeText(_ start: UnsafePointer<CChar>?, _ count: Int) -> String? {
        PercentEncoding.decode(utf8: UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
    }

    private static func text(_ start: UnsafePointer<CChar>?, _ count: Int) -> String {
        guard let start else { return "" }
        return String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
    }
}
