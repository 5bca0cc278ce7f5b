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
        case lastBytes([UInt8])
        /// Sends the first bytes, and then the second bytes repeatedly without an end.
        case endless([UInt8], [UInt8])
        case silence
    }

    package typealias AnswerFunction = @Sendable (Request) async -> Reply

    fileprivate struct State {
        var requests: [Request] = []
        var takenCount = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
        var acceptedCount = 0
        var openChannels: [ObjectIdentifier: any Channel] = [:]
    }

    package let port: Int
    private let channel: any Channel
    private let shared: Shared

    fileprivate final class Shared: Sendable {
        let state = Mutex(State())
        let makeReply: AnswerFunction
        let answersBeforeBody: Bool
        init(_ answering: @escaping AnswerFunction, isHasty: Bool) {
            (self.makeReply, self.answersBeforeBody) = (answering, isHasty)
        }

        func addRequest(_ request: Request) {
            let waiting = state.withLock { state in
                state.requests.append(request)
                defer { state.waiters = [] }
                return state.waiters
            }
            for continuation in waiting { continuation.resume() }
        }

        func recordOpen(_ channel: any Channel) {
            state.withLock { state in
                state.acceptedCount += 1
                state.openChannels[ObjectIdentifier(channel)] = channel
            }
            channel.closeFuture.whenComplete { [weak self] _ in
                self?.state.withLock { _ = $0.openChannels.removeValue(forKey: ObjectIdentifier(channel)) }
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
        _ answering: @escaping AnswerFunction
    ) async throws -> HTTPReceiver {
        let shared = Shared(answering, isHasty: isHasty)
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                shared.recordOpen(channel)
                return channel.eventLoop.makeCompletedFuture {
                    if let tls { try channel.pipeline.syncOperations.addHandler(TLSHandler.makeServer(tls)) }
                    try channel.pipeline.syncOperations.addHandler(Handler(shared))
                }
            }
            .bind(host: "127.0.0.1", port: port).get()
        return HTTPReceiver(channel, shared)
    }

    private init(_ channel: any Channel, _ state: Shared) {
        self.channel = channel
        self.shared = state
        port = channel.localAddress?.port ?? 0
    }

    deinit { channel.close(promise: nil) }

    /// Closes the port and all connections.
    package func stop() async {
        try? await channel.close().get()
        for connection in shared.state.withLock({ Array($0.openChannels.values) }) {
            try? await connection.close().get()
        }
    }

    /// Number of all accepted connections.
    package var connectionCount: Int { shared.state.withLock { $0.acceptedCount } }

    /// Number of connections that are open now.
    package var openConnectionCount: Int { shared.state.withLock { $0.openChannels.count } }

    /// All requests so far.
    package var requests: [Request] { shared.state.withLock { $0.requests } }

    /// Waits for the next request and returns it.
    package func nextRequest() async -> Request {
        while true {
            let next = shared.state.withLock { state -> Request? in
                guard state.takenCount < state.requests.count else { return nil }
                defer { state.takenCount += 1 }
                return state.requests[state.takenCount]
            }
            if let next { return next }
            await withCheckedContinuation { continuation in
                let isThere = shared.state.withLock { state in
                    if state.takenCount < state.requests.count { return true }
                    state.waiters.append(continuation)
                    return false
                }
                if isThere { continuation.resume() }
            }
        }
    }

    package func nextRequests(_ count: Int) async -> [Request] {
        var found: [Request] = []
        for _ in 0..<count { found.append(await nextRequest()) }
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
            case .lastBytes(let bytes):
                if !bytes.isEmpty { try await send(bytes) }
                try await channel.close().get()
            case .endless(let first, let piece):
                try await send(first)
                while true { try await send(piece) }
            case .silence: break
            }
        } catch {
            // The client has closed the connection, so no other request can follow.
        }
        return false
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer
        private let shared: Shared
        private var receivedBytes: [UInt8] = []
        private var isAnswering = false

        init(_ shared: Shared) { self.shared = shared }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            receivedBytes += Array(unwrapInboundIn(data).readableBytesView)
            answer(context.channel)
            // A hasty server never reads the body: it answers while the client still sends a large body.
            if shared.answersBeforeBody, !receivedBytes.isEmpty {
                try? context.channel.syncOptions?.setOption(.autoRead, value: false)
            }
        }

        /// Answers the next request, if it is complete and no other request of the connection is being answered.
        private func answer(_ channel: any Channel) {
            guard !isAnswering, let request = takeRequest() else { return }
            isAnswering = true
            shared.addRequest(request)
            let (answering, loop) = (shared.makeReply, channel.eventLoop)
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

        private func takeRequest() -> Request? {
            guard let end = receivedBytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
            let lines = String(decoding: receivedBytes[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
            let headers = lines.dropFirst().compactMap { line -> (name: String, value: String)? in
                guard let colon = line.firstIndex(of: ":") else { return nil }
                return (line[..<colon].lowercased(), String(line[line.index(after: colon)...].drop { $0 == " " }))
            }
            let length =
                shared.answersBeforeBody
                ? 0 : headers.first { $0.name == "content-length" }.flatMap { Int($0.value) } ?? 0
            guard receivedBytes.count >= end.upperBound + length else { return nil }
            let words = lines.first?.split(separator: " ") ?? []
            defer { receivedBytes.removeFirst(end.upperBound + length) }
            return Request(
                method: words.first.map(String.init) ?? "",
                target: words.dropFirst().first.map(String.init) ?? "",
                headers: headers,
                body: Array(receivedBytes[end.upperBound..<end.upperBound + length])
            )
        }
    }
}
