internal import CMicrohttpd
internal import Concurrency
public import NIOCore
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#endif

/// Address and limits of an HTTP server.
public struct HTTPServerConfiguration: Sendable {
    public var host = "127.0.0.1"
    /// The TCP port; with 0 the system chooses one.
    public var port = 5225
    /// A listening socket that another process also keeps; nil to open one at `host` and `port`. With such a socket,
    /// `host` and `port` must be its address.
    public var listening: Int32?
    public var threads = 2
    /// Maximal number of descriptors of clients; see ``HTTPLimits``.
    public var connectionLimit = 20_000
    /// Maximal number of connections from one address that is not loopback; nil for a quarter of all.
    public var connectionsPerAddress: Int?
    /// Maximal number of streams and long polls at a time; nil for seven eighths of all connections.
    public var streamLimit: Int?
    /// Seconds in which the header of a new connection's first request must have arrived.
    public var firstRequestTimeout = 20
    /// Seconds without a byte in either direction after which a connection is closed. Does not run while a request
    /// waits for its answer.
    public var idleTimeout = 30
    /// Seconds in which a connection's next request must have arrived in full, from the end of the one before.
    public var requestTimeout = 60
    /// Bytes of memory that the library takes for one connection: header, and content on its way out.
    public var connectionMemory = 16 * 1024
    /// Maximal number of bytes of a body.
    public var bodyLimit = 1024 * 1024
    /// PEM texts of the key and the certificate; nil for a server without TLS.
    public var tls: (key: String, certificate: String)?

    public init() {}

    func limits(_ answers: UnreadAnswers) -> HTTPLimits {
        HTTPLimits(
            connections: connectionLimit,
            perAddress: connectionsPerAddress ?? max(connectionLimit / 4, 1),
            streams: streamLimit ?? connectionLimit - connectionLimit / 8,
            answers: answers
        )
    }
}

/// HTTP/1.1 on libmicrohttpd: epoll threads that never wait, everything slow happens while a connection is suspended.
///
/// `@unchecked Sendable`: `daemon` is written once in `start`, before the first request can arrive, and read in `stop`;
/// the library may be called from any thread.
public final class HTTPServer: @unchecked Sendable {
    public let configuration: HTTPServerConfiguration
    public let port: Int
    let service: any HTTPService
    let limits: HTTPLimits
    let lingering: LingeringClose
    let watch: ConnectionWatch
    private let daemon = Mutex<MHDPointer?>(nil)
    /// The credentials for new connections; nil without TLS.
    private let tls: Mutex<TLSCredentials?>
    /// The number of complete requests whose answers are not sent in full yet, and whether the server accepts no more
    /// requests.
    private let unanswered = Mutex((count: 0, isOver: false))
    private let upgraded = Atomic<Int>(0)
    private let quiesced = Atomic<Bool>(false)
    /// The listening socket. The library closes it.
    private let listening: Int32

    /// - Parameters:
    ///   - limits: limits that are shared with other servers of the process; nil for those of the configuration.
    ///   - group: the event loops that drain refused bodies. The server does not shut them down.
    public static func start(
        _ configuration: HTTPServerConfiguration,
        service: any HTTPService,
        limits: HTTPLimits? = nil,
        group: any EventLoopGroup
    ) throws(HTTPServerError) -> HTTPServer {
        let tls: TLSCredentials?
        do throws(TLSCredentials.Unusable) {
            tls = try configuration.tls.map { files throws(TLSCredentials.Unusable) in
                try TLSCredentials(key: files.key, certificate: files.certificate)
            }
        } catch {
            throw .badCertificate(error.description)
        }
        let given = configuration.listening.map { (descriptor: $0, port: configuration.port) }
        let listening =
            if let given { given } else { try ListenSocket.open(host: configuration.host, port: configuration.port) }
        let server = HTTPServer(
            configuration,
            service: service,
            limits: limits ?? configuration.limits(UnreadAnswers()),
            group: group,
            listening,
            tls
        )
        guard server.run() else {
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
        self.tls = Mutex(tls)
        self.configuration = configuration
        self.service = service
        self.limits = limits
        port = socket.port
        listening = socket.descriptor
        self.lingering = LingeringClose(group: group, limits: limits)
        self.watch = ConnectionWatch(
            seconds: configuration.requestTimeout,
            firstSeconds: configuration.firstRequestTimeout
        )
    }

    private func run() -> Bool {
        var options = sxgw_daemon_options()
        options.flags =
            MHD_USE_EPOLL_INTERNAL_THREAD.rawValue | MHD_ALLOW_SUSPEND_RESUME.rawValue | MHD_ALLOW_UPGRADE.rawValue
            | MHD_USE_ITC.rawValue | (configuration.tls == nil ? 0 : MHD_USE_TLS.rawValue)
        options.thread_pool_size = UInt32(clamping: configuration.threads)
        // A library thread that reached its own share of connections would not accept more, and new clients would wait.
        // So each thread may have all connections, and `policy` refuses at once.
        options.connection_limit = UInt32(clamping: (limits.connections.limit + 64) * max(configuration.threads, 1))
        options.connection_timeout_seconds = UInt32(clamping: configuration.idleTimeout)
        options.connection_memory_limit = configuration.connectionMemory
        options.listen_socket = listening
        // If the framing is checked here, the library must not refuse requests without a Host: its answer is HTML, with
        // the header twice.
        options.strict_for_client = HTTPServer.leavesHeader ? 0 : 1
        options.access = HTTPServer.access
        options.completed = HTTPServer.completed
        options.connection = HTTPServer.connection
        options.policy = HTTPServer.policy
        options.target = HTTPServer.target
        // Released in `stop`, after the library's threads have ended.
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

    var credentials: TLSCredentials? { tls.withLock { $0 } }

    /// Uses another certificate for new connections; open ones keep theirs.
    /// - Parameters: PEM texts.
    func reload(key: String, certificate: String) throws(TLSCredentials.Unusable) {
        let new = try TLSCredentials(key: key, certificate: certificate)
        tls.withLock { tls in
            if tls != nil { tls = new }
        }
    }

    /// The number of open connections.
    public var connections: Int {
        daemon.withLock { $0.map { Int(sxgw_daemon_connections($0.pointer)) } ?? 0 }
    }

    /// Accepts no more connections; open ones continue.
    /// `MHD_quiesce_daemon` may abort the process: it and a library thread may both remove the socket from the thread's
    /// epoll set, and the second removal panics. So the socket is replaced by another one; the system then removes the
    /// old one from all sets.
    public func quiesce() {
        guard quiesced.exchange(true, ordering: .acquiringAndReleasing) == false else { return }
        daemon.withLock { daemon in
            // After the library has stopped, another file may have the descriptor.
            guard daemon != nil else { return }
            ListenSocket.silence(listening, isShared: configuration.listening != nil)
        }
    }

    /// Ends the server. The caller must answer all requests, end the streams and close the upgraded sockets. This waits
    /// up to `seconds` until their last bytes are sent, because the library would cut them off.
    /// - Returns: `false` when something was still open. Then the threads run until the process ends.
    @discardableResult
    public func stop(within seconds: Int = 10) async -> Bool {
        quiesce()
        var left = seconds * 100
        while !endRequests() {
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
        // This waits for the library's threads to end, so it must not run on a thread of the cooperative pool.
        await withCheckedContinuation { continuation in
            BlockingThread.run {
                MHD_stop_daemon(stopping.pointer)
                continuation.resume()
            }
        }
        Unmanaged.passUnretained(self).release()
        return true
    }

    /// Notes that a request is complete, or that its body is read while it arrives. Until ``requestEnded()`` its
    /// connection may be suspended.
    /// - Returns: false when the server is ending. The library aborts the process if a connection is suspended then.
    func requestBegun() -> Bool {
        unanswered.withLock { unanswered in
            guard !unanswered.isOver else { return false }
            unanswered.count += 1
            return true
        }
    }

    func requestEnded() { unanswered.withLock { $0.count -= 1 } }

    /// Refuses new requests, as soon as all earlier ones have their answers and no upgraded socket is open.
    private func endRequests() -> Bool {
        unanswered.withLock { unanswered in
            guard unanswered.count == 0, upgraded.load(ordering: .acquiring) == 0 else { return false }
            unanswered.isOver = true
            return true
        }
    }

    func upgradedSockets(_ change: Int) {
        upgraded.wrappingAdd(change, ordering: .acquiringAndReleasing)
    }
}

private func withOptionalCString<R>(_ text: String?, _ body: (UnsafePointer<CChar>?) -> R) -> R {
    guard let text else { return body(nil) }
    return text.withCString { body($0) }
}
