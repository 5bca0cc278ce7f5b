public import Descriptors
import Glibc
public import NIOCore
import NIOHTTP1
import NIOPosix
import SimpleXCrypto
import Synchronization
import Transport

/// Sends requests to servers that other people have named.
///
/// This type resolves the host's name, checks the found addresses, and connects to one of them. So a later change of
/// the name's address has no effect. Redirects are not followed. At most the requested part of an answer is read.
public final class OutgoingHTTP: Sendable {
    public struct Limits: Sendable {
        /// Maximal time of an attempt to connect to one address.
        public var connecting = TimeAmount.seconds(5)
        /// Maximal time from the name lookup to the end of the answer.
        public var whole = TimeAmount.seconds(15)
        /// Maximal number of bytes of an answer, header and content. Further bytes are not read.
        public var answer = 64 << 10

        public init() {}
    }

    /// Maximal number of addresses of a host that are tried, one after the other.
    private static let addressLimit = 4

    public let policy: AddressPolicy
    private let group: any EventLoopGroup
    private let trust: WebTrust
    private let connections: Allowance
    private let limits: Limits
    private let userAgent: String
    private let lookUp: NameLookup

    public struct BadAuthorities: Error, Sendable, CustomStringConvertible {
        public let description: String
    }

    /// - Parameters:
    ///   - authorities: a PEM file with certificate authorities in addition to the system's.
    ///   - connections: maximal number of connections that are open at the same time.
    ///   - userAgent: the value of `User-Agent`.
    ///   - lookUp: the resolver; nil for the system's resolver.
    public init(
        group: any EventLoopGroup,
        policy: AddressPolicy,
        authorities: String? = nil,
        connections: Allowance,
        limits: Limits = Limits(),
        userAgent: String,
        lookUp: NameLookup? = nil
    ) throws(BadAuthorities) {
        self.group = group
        self.policy = policy
        self.connections = connections
        self.limits = limits
        self.userAgent = userAgent
        self.lookUp = lookUp ?? SystemLookup.lookUp
        do throws(TLSError) {
            trust = if let authorities { try WebTrust(authorities: authorities) } else { try WebTrust.system.get() }
        } catch {
            if case .configuration(let reason) = error { throw BadAuthorities(description: reason) }
            throw BadAuthorities(description: "\(error)")
        }
    }

    /// Sends a request once, within the time limit of the whole request.
    public func send(_ request: OutgoingRequest) async throws(OutgoingError) -> OutgoingAnswer {
        guard connections.take() else { throw .noRoom }
        defer { connections.giveBack() }
        let deadline = min(NIODeadline.now() + limits.whole, request.deadline ?? .distantFuture)
        let policy = request.isForPublic ? AddressPolicy() : policy
        let addresses = try await addresses(of: request.url, deadline).filter {
            policy.permits($0, isEncrypted: request.url.isEncrypted)
        }
        guard !addresses.isEmpty else { throw .refusedAddress }
        var failure = OutgoingError.timeout
        for address in addresses.prefix(Self.addressLimit) where deadline > .now() {
            do throws(OutgoingError) {
                var answer = try await send(request, to: address, deadline)
                answer.isOfAllowed = policy.allows(address)
                return answer
            } catch {
                guard case .unreachable = error else { throw error }
                failure = error
            }
        }
        throw failure
    }

    private func addresses(of url: TargetURL, _ deadline: NIODeadline) async throws(OutgoingError) -> [IPAddress] {
        let name: String
        switch url.host {
        case .address(let address): return [address]
        case .name(let text): name = text
        }
        let loop = group.next()
        let found = loop.makePromise(of: [IPAddress].self)
        // The first result completes the promise. A result after the timeout is ignored.
        let timer = loop.scheduleTask(deadline: deadline) { found.fail(OutgoingError.lookup("no answer in time")) }
        lookUp(name, loop).whenComplete { found.completeWith($0) }
        defer { timer.cancel() }
        do {
            return try await withTaskCancellationHandler {
                try await found.futureResult.get()
            } onCancel: {
                found.fail(OutgoingError.cancelled)
            }
        } catch {
            throw error as? OutgoingError ?? .lookup("\(error)")
        }
    }

    private func send(
        _ request: OutgoingRequest,
        to address: IPAddress,
        _ deadline: NIODeadline
    ) async throws(OutgoingError) -> OutgoingAnswer {
        let head = head(of: request)
        do {
            return try await exchange(with: request.url, at: address, deadline, limit: limits.answer + request.keeps) {
                answer in
                ExchangeHandler(head, request, answer: answer, deadline: deadline)
            }
        } catch {
            throw error as? OutgoingError ?? .closed
        }
    }

    /// Connects to the address, and adds the handler that sends the request and receives the answer.
    private func exchange(
        with url: TargetURL,
        at address: IPAddress,
        _ deadline: NIODeadline,
        limit: Int,
        _ handler: @escaping @Sendable (EventLoopPromise<OutgoingAnswer>) -> any ChannelHandler
    ) async throws -> OutgoingAnswer {
        let loop = group.next()
        let answer = loop.makePromise(of: OutgoingAnswer.self)
        let channel: any Channel
        do {
            let place = try SocketAddress(ipAddress: address.description, port: Int(url.port))
            channel = try await ClientBootstrap(group: loop)
                .channelOption(.tcpOption(.tcp_nodelay), value: 1)
                .connectTimeout(min(limits.connecting, max(deadline - .now(), .milliseconds(1))))
                .channelInitializer { [trust] channel in
                    channel.eventLoop.makeCompletedFuture {
                        let pipeline = channel.pipeline.syncOperations
                        if url.isEncrypted {
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
                        try pipeline.addHandler(AnswerLimit(limit))
                        try pipeline.addHTTPClientHandlers(leftOverBytesStrategy: .dropBytes)
                        try pipeline.addHandler(handler(answer))
                    }
                }
                .connect(to: place).get()
        } catch {
            let failure = error as? OutgoingError ?? .unreachable(OutgoingHTTP.text(of: error))
            answer.fail(failure)
            throw failure
        }
        return try await withTaskCancellationHandler {
            try await answer.futureResult.get()
        } onCancel: {
            answer.fail(OutgoingError.cancelled)
            channel.close(promise: nil)
        }
    }

    // MARK: Streams

    /// Sends a request with streamed contents once. An incomplete answer is an error.
    /// - Throws: ``OutgoingError``, or the error of the body or the sink.
    public func send(_ request: StreamedRequest) async throws -> OutgoingAnswer {
        guard connections.take() else { throw OutgoingError.noRoom }
        defer { connections.giveBack() }
        let (deadline, head) = (request.deadline, head(of: request))
        let addresses = try await addresses(of: request.url, .now() + limits.whole).filter {
            policy.permits($0, isEncrypted: request.url.isEncrypted)
        }
        guard !addresses.isEmpty else { throw OutgoingError.refusedAddress }
        // An answer in chunks also contains the lengths of its chunks.
        let content = Int(request.sink.map { $0.size + $0.size / 8 } ?? 0)
        var failure = OutgoingError.timeout
        for address in addresses.prefix(Self.addressLimit) {
            do {
                return try await exchange(
                    with: request.url,
                    at: address,
                    deadline,
                    limit: limits.answer + request.keeps + content
                ) { answer in
                    StreamedExchange(head, request, answer: answer, deadline: deadline)
                }
            } catch let error as OutgoingError {
                guard case .unreachable = error else { throw error }
                failure = error
            }
        }
        throw failure
    }

    private func head(of request: StreamedRequest) -> HTTPRequestHead {
        var headers = HTTPHeaders([
            ("Host", request.url.authority), ("User-Agent", userAgent), ("Accept", "*/*"), ("Connection", "close"),
        ])
        if let body = request.body { headers.add(name: "Content-Length", value: "\(body.size)") }
        for header in request.headers { headers.add(name: header.name, value: header.value) }
        return HTTPRequestHead(
            version: .http1_1,
            method: HTTPMethod(rawValue: request.method.rawValue),
            uri: request.url.path,
            headers: headers
        )
    }

    private func head(of request: OutgoingRequest) -> HTTPRequestHead {
        var headers = HTTPHeaders([
            ("Host", request.url.authority), ("User-Agent", userAgent), ("Accept", "*/*"), ("Connection", "close"),
        ])
        if let body = request.body { headers.add(name: "Content-Length", value: "\(body.count)") }
        if let credentials = request.url.credentials {
            headers.add(name: "Authorization", value: "Basic \(Base64.encode(credentials))")
        }
        for header in request.headers { headers.add(name: header.name, value: header.value) }
        return HTTPRequestHead(
            version: .http1_1,
            method: request.body == nil ? .GET : .POST,
            uri: request.url.path,
            headers: headers
        )
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
