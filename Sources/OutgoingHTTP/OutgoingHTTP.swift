package import Descriptors
import Glibc
package import NIOCore
import NIOHTTP1
import NIOPosix
import SimpleXCrypto
import Synchronization
import Transport

/// Sends requests to servers that other people have named.
///
/// This type resolves the host's name, checks the found addresses, and connects to one of them. So a later change of
/// the name's address has no effect. Redirects are not followed. At most the requested part of an answer is read.
///
/// A connection is kept for the next request of the same owner to the same server and address, if the request was sent
/// and its answer was received completely.
package final class OutgoingHTTP: Sendable {
    package struct Limits: Sendable {
        /// Maximal time of an attempt to connect to one address.
        package var connectTime = TimeAmount.seconds(5)
        /// Maximal time from the name lookup to the end of the answer.
        package var totalTime = TimeAmount.seconds(15)
        /// Maximal number of bytes of an answer, header and content. Further bytes are not read.
        package var maxAnswerBytes = 64 << 10
        /// Maximal number of connections that are kept for a next request; zero for none.
        package var maxKeptConnections = 32
        /// Maximal number of kept connections to one server.
        package var maxKeptPerServer = 4
        /// Maximal time for which a connection is kept. Many servers close a connection after this time too.
        package var idleTime = Duration.seconds(30)

        package init() {}
    }

    /// Maximal number of addresses of a host that are tried, one after the other.
    private static let addressLimit = 4

    package let policy: AddressPolicy
    private let group: any EventLoopGroup
    /// The authorities of the configuration; nil for the system's alone, which the first encrypted connection loads.
    private let authorities: WebTrust?
    let pool: ConnectionPool
    private let limits: Limits
    private let userAgent: String
    private let lookUp: NameLookup

    package struct BadAuthorities: Error, Sendable, CustomStringConvertible {
        package let description: String
    }

    /// - Parameters:
    ///   - authorities: a PEM file with certificate authorities in addition to the system's.
    ///   - connections: maximal number of connections that are open at the same time, also of kept connections.
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
        self.group = group
        self.policy = policy
        pool = ConnectionPool(connections, limits, clock)
        self.limits = limits
        self.userAgent = userAgent
        self.lookUp = lookUp ?? SystemLookup.lookUp
        do throws(TLSError) {
            self.authorities = if let authorities { try WebTrust(authorities: authorities) } else { nil }
        } catch {
            if case .configuration(let reason) = error { throw BadAuthorities(description: reason) }
            throw BadAuthorities(description: "\(error)")
        }
    }

    /// The common form of both kinds of requests.
    private struct Call {
        let url: TargetURL
        let owner: String?
        let policy: AddressPolicy
        let isRepeatable: Bool
        let lookupDeadline: NIODeadline
        let deadline: NIODeadline
        /// Maximal number of bytes of the answer.
        let answerLimit: Int
        /// Makes the handler of the exchange. Each call reads the body from its first byte.
        let makeExchange: @Sendable () async throws -> ExchangeMaker
    }

    /// Sends a request within the time limit of the whole request.
    package func send(_ request: OutgoingRequest) async throws(OutgoingError) -> OutgoingAnswer {
        let deadline = min(NIODeadline.now() + limits.totalTime, request.deadline ?? .distantFuture)
        let head = makeHead(
            request.body == nil ? .GET : .POST,
            request.url,
            size: request.body.map { Int64($0.count) },
            request.headers
        )
        let call = Call(
            url: request.url,
            owner: request.owner,
            policy: request.requiresPublicAddress ? AddressPolicy() : policy,
            isRepeatable: request.isRepeatable,
            lookupDeadline: deadline,
            deadline: deadline,
            answerLimit: limits.maxAnswerBytes + request.keptBytes
        ) {
            { ExchangeHandler(head, request, $0, $1, deadline: deadline) }
        }
        do { return try await send(call) } catch { throw error as? OutgoingError ?? .closed }
    }

    /// Sends a request with streamed contents. An incomplete answer is an error.
    /// - Throws: ``OutgoingError``, or the error of the body or the sink.
    package func send(_ request: StreamedRequest) async throws -> OutgoingAnswer {
        let deadline = request.deadline
        let head = makeHead(
            HTTPMethod(rawValue: request.method.rawValue),
            request.url,
            size: request.body?.size,
            request.headers
        )
        // An answer in chunks also contains the lengths of its chunks.
        let content = Int(request.sink.map { $0.size + $0.size / 8 } ?? 0)
        // Each of these methods has the same effect once and twice.
        let call = Call(
            url: request.url,
            owner: nil,
            policy: policy,
            isRepeatable: true,
            lookupDeadline: .now() + limits.totalTime,
            deadline: deadline,
            answerLimit: limits.maxAnswerBytes + request.keptBytes + content
        ) {
            let reading = try await request.body?.open()
            return { StreamedExchange(head, request, reading, $0, $1, deadline: deadline) }
        }
        return try await send(call)
    }

    private func send(_ call: Call) async throws -> OutgoingAnswer {
        guard pool.takeUnit() else { throw OutgoingError.noRoom }
        var kept: OutgoingConnection?
        defer { if let kept { pool.keep(kept) } else { pool.returnUnit() } }
        let keys = try await resolveAddresses(of: call.url, call.lookupDeadline)
            .filter { call.policy.permits($0, isEncrypted: call.url.isEncrypted) }
            .map { address in
                OutgoingConnection.Key(
                    isEncrypted: call.url.isEncrypted,
                    host: call.url.host,
                    port: call.url.port,
                    address: address,
                    owner: call.owner
                )
            }
        guard !keys.isEmpty else { throw OutgoingError.refusedAddress }
        var exchange = try await call.makeExchange()
        func finish(_ connection: OutgoingConnection, _ result: ExchangeResult) -> OutgoingAnswer {
            if result.mayContinue { kept = connection }
            var answer = result.answer
            answer.isFromAllowedAddress = call.policy.allows(connection.key.address)
            return answer
        }
        if let connection = pool.takeConnection(keys) {
            do {
                return finish(connection, try await run(exchange, on: connection.channel, limit: call.answerLimit))
            } catch let error as UnansweredError {
                if error.mayHaveBegun {
                    guard call.isRepeatable else { throw OutgoingError.closed }
                    exchange = try await call.makeExchange()
                }
            }
        }
        var failure = OutgoingError.timeout
        for key in keys.prefix(Self.addressLimit) where call.deadline > .now() {
            do {
                let (channel, result) = try await connect(to: key, call, exchange)
                return finish(OutgoingConnection(key: key, channel: channel), result)
            } catch OutgoingError.unreachable(let reason) {
                failure = .unreachable(reason)
            } catch is UnansweredError {
                throw OutgoingError.closed
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
        let loop = group.next()
        let found = loop.makePromise(of: [IPAddress].self)
        // The first result completes the promise. A result after the timeout is ignored.
        let timer = loop.scheduleTask(deadline: deadline) {
            found.fail(OutgoingError.lookupFailed("no answer in time"))
        }
        lookUp(name, loop).whenComplete { found.completeWith($0) }
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

    /// Runs an exchange on a kept connection.
    private func run(
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
                let bounds = try pipeline.handler(type: AnswerBounds.self)
                guard channel.isActive, bounds.isBetweenAnswers else { throw UnansweredError(mayHaveBegun: false) }
                bounds.begin(limit: limit)
                try pipeline.addHandler(exchange(bounds, result))
            } catch {
                result.fail(UnansweredError(mayHaveBegun: false))
            }
        }
        return try await self.waitForResult(of: result, channel)
    }

    /// Connects to the address, and runs an exchange.
    private func connect(
        to key: OutgoingConnection.Key,
        _ call: Call,
        _ exchange: @escaping ExchangeMaker
    ) async throws -> (any Channel, ExchangeResult) {
        let loop = group.next()
        let result = loop.makePromise(of: ExchangeResult.self)
        let channel: any Channel
        do {
            let place = try SocketAddress(ipAddress: key.address.description, port: Int(key.port))
            let trust = call.url.isEncrypted ? try authorities ?? WebTrust.system.get() : nil
            channel = try await ClientBootstrap(group: loop)
                .channelOption(.tcpOption(.tcp_nodelay), value: 1)
                .connectTimeout(min(limits.connectTime, max(call.deadline - .now(), .milliseconds(1))))
                .channelInitializer { [url = call.url, deadline = call.deadline, limit = call.answerLimit] channel in
                    channel.eventLoop.makeCompletedFuture {
                        let pipeline = channel.pipeline.syncOperations
                        if let trust {
                            let isAddress = if case .address = url.host { true } else { false }
                            try pipeline.addHandler(
                                TLSHandler.web(
                                    trust,
                                    host: url.hostText,
                                    isAddress: isAddress,
                                    handshakeTimeout: max(deadline - .now(), .milliseconds(1))
                                )
                            )
                        }
                        let bounds = AnswerBounds(limit: limit)
                        try pipeline.addHandler(bounds)
                        try pipeline.addHTTPClientHandlers(leftOverBytesStrategy: .dropBytes)
                        try pipeline.addHandler(exchange(bounds, result))
                    }
                }
                .connect(to: place).get()
        } catch {
            let failure = error as? OutgoingError ?? .unreachable(OutgoingHTTP.text(of: error))
            result.fail(failure)
            throw failure
        }
        channel.closeFuture.whenComplete { [weak pool] _ in pool?.remove(channel) }
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

    private static func text(of error: any Error) -> String {
        switch error {
        case ChannelError.connectTimeout: "no answer in time"
        case let error as IOError: error.reason
        case let error as NIOConnectionError: error.connectionErrors.first.map { text(of: $0.error) } ?? "no address"
        default: "the connection failed"
        }
    }
}
