internal import CMicrohttpd
internal import Concurrency
package import NIOCore
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#endif

/// Address and limits of an HTTP server.
package struct HTTPServerConfiguration: Sendable {
    package var host = "127.0.0.1"
    /// The TCP port; 0 lets the system choose a port.
    package var port = 5225
    /// A listening socket that another process also has open; nil to open a new socket at `host` and `port`. For an
    /// existing socket, `host` and `port` must be its address.
    package var listeningDescriptor: Int32?
    package var threadCount = 2
    /// Maximal number of file descriptors for clients; see ``HTTPLimits``.
    package var maxClientDescriptors = 20_000
    /// Maximal number of connections from one address that is not loopback; nil for a quarter of
    /// `maxClientDescriptors`.
    package var maxConnectionsPerAddress: Int?
    /// Maximal number of simultaneous streams and long polls; nil for seven eighths of `maxClientDescriptors`.
    package var maxStreams: Int?
    /// Seconds until the header of a new connection's first request must have arrived.
    package var firstRequestTimeoutSeconds = 20
    /// Seconds without a byte in either direction after which a connection is closed. The time stops while a request
    /// waits for its answer.
    package var idleTimeoutSeconds = 30
    /// Seconds from the end of a request until the next request on the connection must have arrived completely.
    package var requestTimeoutSeconds = 60
    /// Bytes of memory that the library uses for one connection: for the header, and for content that is being sent.
    package var connectionMemoryBytes = 16 * 1024
    /// Maximal number of bytes of a body.
    package var maxBodyBytes = 1024 * 1024
    /// The key and the certificate as PEM; nil for a server without TLS.
    package var tls: (key: String, certificate: String)?

    package init() {}

    func makeLimits(_ answers: UnreadAnswers) -> HTTPLimits {
        HTTPLimits(
            connections: maxClientDescriptors,
            perAddress: maxConnectionsPerAddress ?? max(maxClientDescriptors / 4, 1),
            streams: maxStreams ?? maxClientDescriptors - maxClientDescriptors / 8,
            answers: answers
        )
    }
}

/// An HTTP/1.1 server with libmicrohttpd. Its epoll threads never block. Slow work runs while the connection is
/// suspended.
///
/// `@unchecked Sendable`: mutexes and atomics protect all mutable state. The library may be called from any thread.
package final class HTTPServer: @unchecked Sendable {
    package let configuration: HTTPServerConfiguration
    package let port: Int
    let service: any HTTPService
    let limits: HTTPLimits
    let lingeringClose: LingeringClose
    let connectionWatch: ConnectionWatch
    private let daemon = Mutex<MHDPointer?>(nil)
    /// The credentials for new connections; nil without TLS.
    private let currentCredentials: Mutex<TLSCredentials?>
    /// The number of requests that ``beginRequest()`` has counted and whose answers were not sent completely yet.
    /// `isOver` is true when the server has ended and accepts no requests.
    private let unansweredRequests = Mutex((count: 0, isOver: false))
    private let upgradedSocketCount = Atomic<Int>(0)
    private let hasStoppedAccepting = Atomic<Bool>(false)
    /// The listening socket. The library closes it.
    private let listeningSocket: Int32

    /// Starts a server.
    /// - Parameters:
    ///   - limits: limits that several servers of the process share; nil for the limits in the configuration.
    ///   - group: the event loops that drain refused bodies. The server does not shut them down.
    package static func start(
        _ configuration: HTTPServerConfiguration,
        service: any HTTPService,
        limits: HTTPLimits? = nil,
        group: any EventLoopGroup
    ) throws(HTTPServerError) -> HTTPServer {
        let tls: TLSCredentials?
        do throws(TLSCredentials.UnusableError) {
            tls = try configuration.tls.map { files throws(TLSCredentials.UnusableError) in
                try TLSCredentials(key: files.key, certificate: files.certificate)
            }
        } catch {
            throw .unusableCertificate(error.description)
        }
        let given = configuration.listeningDescriptor.map { (descriptor: $0, port: configuration.port) }
        let listening =
            if let given { given } else {
                try ListenSocket.openListening(host: configuration.host, port: configuration.port)
            }
        let server = HTTPServer(
            configuration,
            service: service,
            limits: limits ?? configuration.makeLimits(UnreadAnswers()),
            group: group,
            listening,
            tls
        )
        guard server.startDaemon() else {
            close(listening.descriptor)
            throw .cannotStart
        }
        return server
    }

    private init(
        _ configuration: HTTPServerConfiguration,
        service: any HTTPService,
        limits: HTTPLimits,
        group: any EventLoopGroup,
        _ socket: (descriptor: Int32, port: Int),
        _ tls: TLSCredentials?
    ) {
        self.currentCredentials = Mutex(tls)
        self.configuration = configuration
        self.service = service
        self.limits = limits
        port = socket.port
        listeningSocket = socket.descriptor
        self.lingeringClose = LingeringClose(eventLoopGroup: group, limits: limits)
        self.connectionWatch = ConnectionWatch(
            seconds: configuration.requestTimeoutSeconds,
            firstSeconds: configuration.firstRequestTimeoutSeconds
        )
    }

    private func startDaemon() -> Bool {
        var options = sxgw_daemon_options()
        options.flags =
            MHD_USE_EPOLL_INTERNAL_THREAD.rawValue | MHD_ALLOW_SUSPEND_RESUME.rawValue | MHD_ALLOW_UPGRADE.rawValue
            | MHD_USE_ITC.rawValue | (configuration.tls == nil ? 0 : MHD_USE_TLS.rawValue)
        options.thread_pool_size = UInt32(clamping: configuration.threadCount)
        // A library thread with its maximal number of connections stops accepting, and new clients would wait. So each
        // thread may have all connections, and `policy` refuses the excess connections immediately.
        options.connection_limit = UInt32(
            clamping: (limits.connections.maxDescriptors + 64) * max(configuration.threadCount, 1)
        )
        options.connection_timeout_seconds = UInt32(clamping: configuration.idleTimeoutSeconds)
        options.connection_memory_limit = configuration.connectionMemoryBytes
        options.listen_socket = listeningSocket
        // If the library leaves the check of headers to the gateway, the library must also accept requests without
        // `Host`. Otherwise it would refuse them with an HTML answer that contains its header twice.
        options.strict_for_client = HTTPServer.libraryKeepsRawHeader ? 0 : 1
        options.access = HTTPServer.handleAccess
        options.completed = HTTPServer.handleCompleted
        options.connection = HTTPServer.notifyConnection
        options.policy = HTTPServer.acceptConnection
        options.target = HTTPServer.recordTargetLength
        // This reference is released in `stop`, after the library's threads have ended.
        let context = Unmanaged.passRetained(self)
        options.context = context.toOpaque()
        let started = withOptionalCString(configuration.tls?.key) { key in
            withOptionalCString(configuration.tls?.certificate) { certificate in
                TLSPriorities.text.withCString { priorities in
                    options.tls_key_pem = key
                    options.tls_certificate_pem = certificate
                    options.tls_priorities = priorities
                    return sxgw_start_daemon(&options)
                }
            }
        }
        guard let started else {
            context.release()
            return false
        }
        let handle = MHDPointer(pointer: started)
        daemon.withLock { $0 = handle }
        return true
    }

    var credentials: TLSCredentials? { currentCredentials.withLock { $0 } }

    /// Uses another certificate for new connections. Open connections keep the previous certificate.
    /// - Parameters:
    ///   - key: the key as PEM.
    ///   - certificate: the certificate as PEM.
    func replaceCertificate(key: String, certificate: String) throws(TLSCredentials.UnusableError) {
        let new = try TLSCredentials(key: key, certificate: certificate)
        currentCredentials.withLock { tls in
            if tls != nil { tls = new }
        }
    }

    /// Stops accepting connections. Open connections continue.
    ///
    /// `MHD_quiesce_daemon` is not used, because it may abort the process. This function and a library thread may both
    /// remove the socket from the thread's epoll set. The second removal fails, and the library then aborts the
    /// process. Instead, another socket replaces the listening socket, and the system removes the listening socket from
    /// all epoll sets.
    package func stopAccepting() {
        guard hasStoppedAccepting.exchange(true, ordering: .acquiringAndReleasing) == false else { return }
        daemon.withLock { daemon in
            // After the library has stopped, the number of the descriptor may belong to another file.
            guard daemon != nil else { return }
            ListenSocket.stopListening(listeningSocket, isShared: configuration.listeningDescriptor != nil)
        }
    }

    /// Ends the server. The caller must answer all requests, end the streams and close the upgraded sockets. This
    /// function waits up to `seconds` until the last bytes are sent, because the library would drop unsent bytes.
    /// - Returns: `false` when something was still open. Then the library's threads run until the process ends.
    @discardableResult
    package func stop(within seconds: Int = 10) async -> Bool {
        stopAccepting()
        var left = seconds * 100
        while !refuseRequestsIfIdle() {
            guard left > 0 else { return false }
            left -= 1
            try? await Task.sleep(for: .milliseconds(10))
        }
        guard
            let stopping = daemon.withLock({ handle -> MHDPointer? in
                defer { handle = nil }
                return handle
            })
        else { return true }
        // This call waits until the library's threads have ended, so it must not run on a thread of the cooperative
        // pool.
        await withCheckedContinuation { continuation in
            BlockingThread.runOnThread {
                MHD_stop_daemon(stopping.pointer)
                continuation.resume()
            }
        }
        Unmanaged.passUnretained(self).release()
        return true
    }

    /// Counts a request as unanswered until ``endRequest()``. Called when the request is complete, or when its body is
    /// read while it arrives. The connection of a counted request may be suspended.
    /// - Returns: false when the server is ending. The library would abort the process if a connection were suspended
    ///   during the end of the server.
    func beginRequest() -> Bool {
        unansweredRequests.withLock { unanswered in
            guard !unanswered.isOver else { return false }
            unanswered.count += 1
            return true
        }
    }

    func endRequest() { unansweredRequests.withLock { $0.count -= 1 } }

    /// Refuses new requests if all earlier requests were answered and no upgraded socket is open.
    /// - Returns: whether the server refuses requests now.
    private func refuseRequestsIfIdle() -> Bool {
        unansweredRequests.withLock { unanswered in
            guard unanswered.count == 0, upgradedSocketCount.load(ordering: .acquiring) == 0 else { return false }
            unanswered.isOver = true
            return true
        }
    }

    func changeUpgradedSockets(by change: Int) {
        upgradedSocketCount.wrappingAdd(change, ordering: .acquiringAndReleasing)
    }
}

private func withOptionalCString<R>(_ text: String?, _ body: (UnsafePointer<CChar>?) -> R) -> R {
    guard let text else { return body(nil) }
    return text.withCString { body($0) }
}
