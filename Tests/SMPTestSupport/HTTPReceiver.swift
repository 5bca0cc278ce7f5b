import NIOCore
import NIOPosix
import Synchronization
package import Transport

/// An HTTP/1.1 server over TCP or TLS that answers each request as the test decides. A connection can have several
/// requests, one after the other.
package final class HTTPReceiver: Sendable {
    package struct Request: Sendable {
        package let method: String
        package let target: String
        package let headers: [(name: String, value: String)]
        package let body: [UInt8]

        package func header(_ name: String) -> String? { headers.first { $0.name == name.lowercased() }?.value }
        package var text: String { String(decoding: body, as: UTF8.self) }
    }

    package enum Reply: Sendable {
        /// Sends an answer without content and keeps the connection open.
        case status(Int, [(String, String)] = [])
        /// Sends the bytes and keeps the connection open.
        case bytes([UInt8])
        /// Sends the bytes and closes the connection.
        case last([UInt8])
        /// Sends the first bytes, then the second ones again and again.
        case endless([UInt8], [UInt8])
        case silence
    }

    package typealias Answering = @Sendable (Request) async -> Reply

    fileprivate struct State {
        var requests: [Request] = []
        var taken = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
        var accepted = 0
        var open: [ObjectIdentifier: any Channel] = [:]
    }

    package let port: Int
    private let channel: any Channel
    private let state: Shared

    fileprivate final class Shared: Sendable {
        let requests = Mutex(State())
        let answering: Answering
        let isHasty: Bool
        init(_ answering: @escaping Answering, isHasty: Bool) { (self.answering, self.isHasty) = (answering, isHasty) }

        func add(_ request: Request) {
            let waiting = requests.withLock { state in
                state.requests.append(request)
                defer { state.waiting = [] }
                return state.waiting
            }
            for continuation in waiting { continuation.resume() }
        }

        func opened(_ channel: any Channel) {
            requests.withLock { state in
                state.accepted += 1
                state.open[ObjectIdentifier(channel)] = channel
            }
            channel.closeFuture.whenComplete { [weak self] _ in
                self?.requests.withLock { _ = $0.open.removeValue(forKey: ObjectIdentifier(channel)) }
            }
        }
    }

    /// Starts a server.
    /// - Parameters:
    ///   - port: 0 for a free port.
    ///   - isHasty: whether the server answers after the header, without reading the body.
    package static func start(
        port: Int = 0,
        tls: TLSServerConfiguration? = nil,
        isHasty: Bool = false,
        _ answering: @escaping Answering
    ) async throws -> HTTPReceiver {
        let shared = Shared(answering, isHasty: isHasty)
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                shared.opened(channel)
                return channel.eventLoop.makeCompletedFuture {
                    if let tls { try channel.pipeline.syncOperations.addHandler(TLSHandler.server(tls)) }
                    try channel.pipeline.syncOperations.addHandler(Handler(shared))
                }
            }
            .bind(host: "127.0.0.1", port: port).get()
        return HTTPReceiver(channel, shared)
    }

    private init(_ channel: any Channel, _ state: Shared) {
        self.channel = channel
        self.state = state
        port = channel.localAddress?.port ?? 0
    }

    deinit { channel.close(promise: nil) }

    /// Closes the port and all connections.
    package func stop() async {
        try? await channel.close().get()
        for connection in state.requests.withLock({ Array($0.open.values) }) { try? await connection.close().get() }
    }

    /// Number of all accepted connections.
    package var connections: Int { state.requests.withLock { $0.accepted } }

    /// Number of connections that are open now.
    package var openConnections: Int { state.requests.withLock { $0.open.count } }

    /// All requests so far.
    package var requests: [Request] { state.requests.withLock { $0.requests } }

    /// Waits for the next request and returns it.
    package func next() async -> Request {
        while true {
            let next = state.requests.withLock { state -> Request? in
                guard state.taken < state.requests.count else { return nil }
                defer { state.taken += 1 }
                return state.requests[state.taken]
            }
            if let next { return next }
            await withCheckedContinuation { continuation in
                let isThere = state.requests.withLock { state in
                    if state.taken < state.requests.count { return true }
                    state.waiting.append(continuation)
                    return false
                }
                if isThere { continuation.resume() }
            }
        }
    }

    package func next(_ count: Int) async -> [Request] {
        var found: [Request] = []
        for _ in 0..<count { found.append(await next()) }
        return found
    }

    /// Sends a reply.
    /// - Returns: whether a next request can follow on the connection.
    private static func send(_ reply: Reply, _ channel: any Channel) async -> Bool {
        func send(_ bytes: [UInt8]) async throws { try await channel.writeAndFlush(ByteBuffer(bytes: bytes)).get() }
        do {
            switch reply {
            case .status(let status, let headers):
                let fields = headers.map { "\($0.0): \($0.1)\r\n" }.joined()
                try await send(Array("HTTP/1.1 \(status) X\r\nContent-Length: 0\r\n\(fields)\r\n".utf8))
                return true
            case .bytes(let bytes):
                try await send(bytes)
                return true
            case .last(let bytes):
                if !bytes.isEmpty { try await send(bytes) }
                try await channel.close().get()
            case .endless(let first, let piece):
                try await send(first)
                while true { try await send(piece) }
            case .silence: break
            }
        } catch {
            // The client has closed the connection.
        }
        return false
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer
        private let shared: Shared
        private var received: [UInt8] = []
        private var isAnswering = false

        init(_ shared: Shared) { self.shared = shared }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            received += Array(unwrapInboundIn(data).readableBytesView)
            answer(context.channel)
            // A hasty server never reads the body, so it answers before the client has sent a large one.
            if shared.isHasty, !received.isEmpty {
                try? context.channel.syncOptions?.setOption(.autoRead, value: false)
            }
        }

        /// Answers the next request, if it is complete and no other request of the connection is being answered.
        private func answer(_ channel: any Channel) {
            guard !isAnswering, let request = take() else { return }
            isAnswering = true
            shared.add(request)
            let (answering, loop) = (shared.answering, channel.eventLoop)
            let bound = NIOLoopBound(self, eventLoop: loop)
            Task.detached {
                guard await HTTPReceiver.send(answering(request), channel) else { return }
                loop.execute {
                    bound.value.isAnswering = false
                    bound.value.answer(channel)
                }
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

        private func take() -> Request? {
            guard let end = received.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
            let lines = String(decoding: received[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
            let headers = lines.dropFirst().compactMap { line -> (name: String, value: String)? in
                guard let colon = line.firstIndex(of: ":") else { return nil }
                return (line[..<colon].lowercased(), String(line[line.index(after: colon)...].drop { $0 == " " }))
            }
            let length =
                shared.isHasty ? 0 : headers.first { $0.name == "content-length" }.flatMap { Int($0.value) } ?? 0
            guard received.count >= end.upperBound + length else { return nil }
            let words = lines.first?.split(separator: " ") ?? []
            defer { received.removeFirst(end.upperBound + length) }
            return Request(
                method: words.first.map(String.init) ?? "",
                target: words.dropFirst().first.map(String.init) ?? "",
                headers: headers,
                body: Array(received[end.upperBound..<end.upperBound + length])
            )
        }
    }
}
