package import Descriptors
import Glibc
package import NIOCore
import NIOHTTP1
import NIOPosix
import SimpleXCrypto
import Synchronization
import Transport

/// Sends HTTP requests to servers whose URLs other people have given.
///
/// This type resolves the host's name, checks the found addresses, and connects to one of them. So a later change of
/// the name's address has no effect. Redirects are not followed. At most the requested part of an answer is read.
///
/// A connection is kept for the next request of the same owner to the same server and address, if the request was sent
/// and its answer was received completely.
package final class OutgoingHTTP: Sendable {
    package struct Limits: Sendable {
        /// Maximal time of an attempt to connect to one address.
        package var maxConnectTime = TimeAmount.seconds(5)
        /// Maximal time from the name lookup to the end of the answer.
        package var maxTotalTime = TimeAmount.seconds(15)
        /// Maximal number of bytes of an answer, header and content. Further bytes are not read.
        package var maxAnswerBytes = 64 << 10
        /// Maximal number of connections that are kept for later requests; zero for none.
        package var maxKeptConnections = 32
        /// Maximal number of kept connections to one server.
        package var maxKeptConnectionsPerServer = 4
        /// Maximal time for which a connection is kept. Many servers close a connection after this time too.
        package var maxIdleTime = Duration.seconds(30)

        package init() {}
    }

    /// Maximal number of addresses of a host that are tried, one after the other.
    private static let maxTriedAddresses = 4

    package let addressPolicy: AddressPolicy
    private let eventLoopGroup: any EventLoopGroup
    /// The trusted certificate authorities of the configuration. If this value is nil, only the system's authorities
    /// are trusted, which are loaded for the first encrypted connection.
    private let authorities: WebTrust?
    let pool: ConnectionPool
    private let limits: Limits
    private let userAgent: String
    private let resolveName: NameLookup

    package struct BadAuthorities: Error, Sendable, CustomStringConvertible {
        package let description: String
    }

    /// Makes a client, and opens no connection yet.
    /// - Parameters:
    ///   - authorities: a PEM file with certificate authorities in addition to the system's.
    ///   - connections: the maximal number of connections that are open at the same time, including kept connections.
    ///   - userAgent: the value of `User-Agent`.
    ///   - lookUp: the resolver; nil for the system's resolver.
    ///   - clock: measures the time for which connections are kept.
    package init(
        group: any EventLoopGroup,
        policy: AddressPolicy,
        authorities: String? = nil,
        connections: Allowance,
        limits: Limits = Limits(),
        userAgent: String,
        lookUp: NameLookup? = nil,
        clock: any Clock<Duration> = ContinuousClock()
    ) throws(BadAuthorities) {
        self.eventLoopGroup = group
        self.addressPolicy = policy
        pool = ConnectionPool(connections, limits, clock)
        self.limits = limits
        self.userAgent = userAgent
        self.resolveName = lookUp ?? SystemLookup.systemLookup
        do throws(TLSError) {
            self.authorities = if let authorities { try WebTrust(authorities: authorities) } else { nil }
        } catch {
            if case .configuration(let reason) = error { throw BadAuthorities(description: reason) }
            throw BadAuthorities(description: "\(error)")
        }
    }

    /// The common form of an ``OutgoingRequest`` and a ``StreamedRequest``.
    private struct PreparedRequest {
        let url: TargetURL
        let owner: String?
        let policy: AddressPolicy
        let isRepeatable: Bool
        let lookupDeadline: NIODeadline
        let deadline: NIODeadline
        /// Maximal number of bytes of the answer.
        let maxAnswerBytes: Int
        /// Makes the handler of the exchange. Each call reads the body from its first byte.
        let makeExchangeHandler: @Sendable () async throws -> ExchangeMaker
    }

    /// Sends a request, and returns its answer. At the time limit, this function returns the part of the answer that
    /// was received, or fails if not even the header was received.
    package func send(_ request: OutgoingRequest) async throws(OutgoingError) -> OutgoingAnswer {
        let deadline = min(NIODeadline.now() + limits.maxTotalTime, request.deadline ?? .distantFuture)
        let head = makeHead(
            request.body == nil ? .GET : .POST,
            request.url,
            size: request.body.map { Int64($0.count) },
            request.headers
        )
        let call = PreparedRequest(
            url: request.url,
            owner: request.owner,
            policy: request.requiresPublicAddress ? AddressPolicy() : addressPolicy,
            isRepeatable: request.isRepeatable,
            lookupDeadline: deadline,
            deadline: deadline,
            maxAnswerBytes: limits.maxAnswerBytes + request.maxKeptAnswerBytes
        ) {
            { ExchangeHandler(head, request, $0, $1, deadline: deadline) }
        }
        do { return try await sendPreparedRequest(call) } catch { throw error as? OutgoingError ?? .connectionClosed }
    }

    /// Sends a request with streamed contents, and returns its answer. An incomplete answer is an error.
    /// - Throws: ``OutgoingError``, or the error of the body or the sink.
    package func send(_ request: StreamedRequest) async throws -> OutgoingAnswer {
        let deadline = request.deadline
        let head = makeHead(
            HTTPMethod(rawValue: request.method.rawValue),
            request.url,
            size: request.body?.size,
            request.headers
        )
        // An answer in chunks contains its content and also the lengths of its chunks, so more bytes than the content
        // are allowed.
        let content = Int(request.sink.map { $0.size + $0.size / 8 } ?? 0)
        // The request may be repeated, because a second GET, HEAD, PUT or DELETE has no further effect.
        let call = PreparedRequest(
            url: request.url,
            owner: nil,
            policy: addressPolicy,
            isRepeatable: true,
            lookupDeadline: .now() + limits.maxTotalTime,
            deadline: deadline,
            maxAnswerBytes: limits.maxAnswerBytes + request.maxKeptAnswerBytes + content
        ) {
            let reading = try await request.body?.openReader()
            return { StreamedExchange(head, request, reading, $0, $1, deadline: deadline) }
        }
        return try await sendPreparedRequest(call)
    }

    private func sendPreparedRequest(_ call: PreparedRequest) async throws -> OutgoingAnswer {
        guard pool.takeUnit() else { throw OutgoingError.tooManyConnections }
        var kept: OutgoingConnection?
        defer { if let kept { pool.keepConnection(kept) } else { pool.returnUnit() } }
        let keys = try await resolveAddresses(of: call.url, call.lookupDeadline)
            .filter { call.policy.permits($0, isEncrypted: call.url.isEncrypted) }
            .map { address in
                OutgoingConnection.Identity(
                    isEncrypted: call.url.isEncrypted,
                    host: call.url.host,
                    port: call.url.port,
                    serverAddress: address,
                    owner: call.owner
                )
            }
        guard !keys.isEmpty else { throw OutgoingError.refusedAddress }
        var exchange = try await call.makeExchangeHandler()
        func finishExchange(_ connection: OutgoingConnection, _ result: ExchangeResult) -> OutgoingAnswer {
            if result.canReuseConnection { kept = connection }
            var answer = result.answer
            answer.isFromAllowedAddress = call.policy.isAlwaysAllowed(connection.identity.serverAddress)
            return answer
        }
        if let connection = pool.takeConnection(keys) {
            do {
                return finishExchange(
                    connection,
                    try await runExchange(exchange, on: connection.channel, limit: call.maxAnswerBytes)
                )
            } catch let error as UnansweredError {
                if error.mayHaveSentBytes {
                    guard call.isRepeatable else { throw OutgoingError.connectionClosed }
                    exchange = try await call.makeExchangeHandler()
                }
            }
        }
        var failure = OutgoingError.timeout
        for key in keys.prefix(Self.maxTriedAddresses) where call.deadline > .now() {
            do {
                let (channel, result) = try await connectAndExchange(to: key, call, exchange)
                return finishExchange(OutgoingConnection(identity: key, channel: channel), result)
            } catch OutgoingError.unreachable(let reason) {
                failure = .unreachable(reason)
            } catch is UnansweredError {
                throw OutgoingError.connectionClosed
            }
        }
        throw failure
    }

    private func resolveAddresses(of url: TargetURL, _ deadline: NIODeadline) async throws(OutgoingError) -> [IPAddress]
    {
        let name: String
        switch url.host {
        case .address(let address): return [address]
        case .name(let text): name = text
        }
        let loop = eventLoopGroup.next()
        let found = loop.makePromise(of: [IPAddress].self)
        // The first result completes the promise. A result after the timeout is ignored.
        let timer = loop.scheduleTask(deadline: deadline) {
            found.fail(OutgoingError.lookupFailed("no answer in time"))
        }
        resolveName(name, loop).whenComplete { found.completeWith($0) }
        defer { timer.cancel() }
        do {
            return try await withTaskCancellationHandler {
                try await found.futureResult.get()
            } onCancel: {
                found.fail(OutgoingError.cancelled)
            }
        } catch {
            throw error as? OutgoingError ?? .lookupFailed("\(error)")
        }
    }

    /// Sends a request on a kept connection, and waits for the answer.
    private func runExchange(
        _ exchange: @escaping ExchangeMaker,
        on channel: any Channel,
        limit: Int
    ) async throws
        -> ExchangeResult
    {
        let result = channel.eventLoop.makePromise(of: ExchangeResult.self)
        channel.eventLoop.execute {
            do {
                let pipeline = channel.pipeline.syncOperations
                let limiter = try pipeline.handler(type: AnswerLimiter.self)
                guard channel.isActive, limiter.isBetweenAnswers else { throw UnansweredError(mayHaveSentBytes: false) }
                limiter.beginAnswer(limit: limit)
                try pipeline.addHandler(exchange(limiter, result))
            } catch {
                result.fail(UnansweredError(mayHaveSentBytes: false))
            }
        }
        return try await self.waitForResult(of: result, channel)
    }

    /// Connects to a server's address, sends a request, and waits for the answer.
    private func connectAndExchange(
        to key: OutgoingConnection.Identity,
        _ call: PreparedRequest,
        _ exchange: @escaping ExchangeMaker
    ) async throws -> (any Channel, ExchangeResult) {
        let loop = eventLoopGroup.next()
        let result = loop.makePromise(of: ExchangeResult.self)
        let channel: any Channel
        do {
            let place = try SocketAddress(ipAddress: key.serverAddress.description, port: Int(key.port))
            let trust = call.url.isEncrypted ? try authorities ?? WebTrust.systemTrust.get() : nil
            channel = try await ClientBootstrap(group: loop)
                .channelOption(.tcpOption(.tcp_nodelay), value: 1)
                .connectTimeout(min(limits.maxConnectTime, max(call.deadline - .now(), .milliseconds(1))))
                .channelInitializer { [url = call.url, deadline = call.deadline, limit = call.maxAnswerBytes] channel in
                    channel.eventLoop.makeCompletedFuture {
                        let pipeline = channel.pipeline.syncOperations
                        if let trust {
                            let isAddress = if case .address = url.host { true } else { false }
                            try pipeline.addHandler(
                                TLSHandler.makeWebClient(
                                    trust,
                                    host: url.hostText,
                                    isAddress: isAddress,
                                    handshakeTimeout: max(deadline - .now(), .milliseconds(1))
                                )
                            )
                        }
                        let limiter = AnswerLimiter(limit: limit)
                        try pipeline.addHandler(limiter)
                        try pipeline.addHTTPClientHandlers(leftOverBytesStrategy: .dropBytes)
                        try pipeline.addHandler(exchange(limiter, result))
                    }
                }
                .connect(to: place).get()
        } catch {
            let failure = error as? OutgoingError ?? .unreachable(OutgoingHTTP.describeError(error))
            result.fail(failure)
            throw failure
        }
        channel.closeFuture.whenComplete { [weak pool] _ in pool?.closeKeptConnection(channel) }
        return (channel, try await self.waitForResult(of: result, channel))
    }

    /// Waits for the end of an exchange. Closes the connection of an exchange that fails or is cancelled.
    private func waitForResult(
        of exchange: EventLoopPromise<ExchangeResult>,
        _ channel: any Channel
    ) async throws
        -> ExchangeResult
    {
        do {
            return try await withTaskCancellationHandler {
                try await exchange.futureResult.get()
            } onCancel: {
                exchange.fail(OutgoingError.cancelled)
            }
        } catch {
            channel.close(promise: nil)
            throw error
        }
    }

    private func makeHead(
        _ method: HTTPMethod,
        _ url: TargetURL,
        size: Int64?,
        _ more: [(name: String, value: String)]
    ) -> HTTPRequestHead {
        var headers = HTTPHeaders([("Host", url.authority), ("User-Agent", userAgent), ("Accept", "*/*")])
        if limits.maxKeptConnections == 0 { headers.add(name: "Connection", value: "close") }
        if let size { headers.add(name: "Content-Length", value: "\(size)") }
        if let credentials = url.credentials {
            headers.add(name: "Authorization", value: "Basic \(Base64.encode(credentials))")
        }
        for header in more { headers.replaceOrAdd(name: header.name, value: header.value) }
        return HTTPRequestHead(version: .http1_1, method: method, uri: url.path, headers: headers)
    }

    private static func describeError(_ error: any Error) -> String {
        switch error {
        case ChannelError.connectTimeout: "no answer in time"
        case let error as IOError: error.reason
        case let error as NIOConnectionError:
            error.connectionErrors.first.map { describeError($0.error) } ?? "no address"
        default: "the connection failed"
        }
    }
}
