internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// A SOCKS5 proxy on a port of this machine that connects for its clients and records their requests.
package final class SOCKSServer: Sendable {
    package struct Request: Hashable, Sendable {
        package var username: String?
        package var password: String?
        /// The requested host: an IP address as text, or a name as received.
        package var host: String
        package var port: Int
    }

    package enum Behaviour: Sendable {
        /// Connects to the requested address, or to this machine for any name.
        case connects
        /// Accepts only this user name.
        case acceptsUser(String)
        /// Answers CONNECT with this code.
        case refuses(UInt8)
        /// Sends these bytes as soon as a client connects, and answers no request.
        case sendsBytes([UInt8])
    }

    private let channel: any Channel
    private let seenRequests: SeenRequests
    package var port: Int { channel.localAddress?.port ?? 0 }
    package var requests: [Request] { seenRequests.requests.withLock { $0 } }

    package static func start(_ behaviour: Behaviour = .connects) async throws -> SOCKSServer {
        let seen = SeenRequests()
        let channel = try await ServerBootstrap(group: WaywardRelay.group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(SOCKSServerHandler(behaviour, seen))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return SOCKSServer(channel, seen)
    }

    private init(_ channel: any Channel, _ seen: SeenRequests) {
        self.channel = channel
        self.seenRequests = seen
    }

    package func stop() async { try? await channel.close() }

    fileprivate final class SeenRequests: Sendable {
        let requests = Mutex<[Request]>([])
    }
}

private final class SOCKSServerHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer
    private enum State { case greeting, password, request, connecting, forwarding(any Channel) }

    private let behaviour: SOCKSServer.Behaviour
    private let seenRequests: SOCKSServer.SeenRequests
    private var state = State.greeting
    private var receivedBytes = ByteBuffer()
    private var credentials: (String, String)?

    init(_ behaviour: SOCKSServer.Behaviour, _ seen: SOCKSServer.SeenRequests) {
        self.behaviour = behaviour
        self.seenRequests = seen
    }

    func channelActive(context: ChannelHandlerContext) {
        if case .sendsBytes(let bytes) = behaviour { send(bytes, context) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        if case .forwarding(let target) = state { return target.writeAndFlush(bytes, promise: nil) }
        receivedBytes.writeBuffer(&bytes)
        if case .sendsBytes = behaviour { return }
        processBytes(context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        if case .forwarding(let target) = state { target.close(promise: nil) }
    }

    private func processBytes(_ context: ChannelHandlerContext) {
        let waiting = Array(receivedBytes.readableBytesView)
        switch state {
        case .greeting:
            guard waiting.count >= 2, waiting.count >= 2 + Int(waiting[1]) else { return }
            let methods = waiting[2..<2 + Int(waiting[1])]
            receivedBytes.moveReaderIndex(forwardBy: 2 + methods.count)
            let method: UInt8 = methods.contains(2) ? 2 : 0
            state = method == 2 ? .password : .request
            send([5, method], context)
        case .password:
            guard waiting.count >= 2, waiting.count >= 3 + Int(waiting[1]) else { return }
            let name = waiting[2..<2 + Int(waiting[1])]
            let length = Int(waiting[2 + name.count])
            guard waiting.count >= 3 + name.count + length else { return }
            let password = waiting[(3 + name.count)..<(3 + name.count + length)]
            receivedBytes.moveReaderIndex(forwardBy: 3 + name.count + length)
            let username = String(decoding: name, as: UTF8.self)
            credentials = (username, String(decoding: password, as: UTF8.self))
            if case .acceptsUser(let known) = behaviour, known != username { return send([1, 1], context) }
            state = .request
            send([1, 0], context)
        case .request:
            guard waiting.count >= 5 else { return }
            let length = waiting[3] == 1 ? 10 : waiting[3] == 4 ? 22 : 7 + Int(waiting[4])
            guard waiting.count >= length else { return }
            let host =
                switch waiting[3] {
                case 1: waiting[4..<8].map { String($0) }.joined(separator: ".")
                case 4: "::1"
                default: String(decoding: waiting[5..<(length - 2)], as: UTF8.self)
                }
            let port = Int(waiting[length - 2]) << 8 | Int(waiting[length - 1])
            receivedBytes.clear()
            seenRequests.requests.withLock {
                $0.append(
                    SOCKSServer.Request(username: credentials?.0, password: credentials?.1, host: host, port: port)
                )
            }
            if case .refuses(let code) = behaviour { return send([5, code, 0, 1, 0, 0, 0, 0, 0, 0], context) }
            state = .connecting
            connect(to: waiting[3] == 3 ? "127.0.0.1" : host, port, context)
        case .connecting, .forwarding: return
        }
    }

    private func connect(to host: String, _ port: Int, _ context: ChannelHandlerContext) {
        let client = context.channel
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        ClientBootstrap(group: context.eventLoop)
            .channelInitializer { target in
                target.eventLoop.makeCompletedFuture {
                    try target.pipeline.syncOperations.addHandler(ReturningHandler(client))
                }
            }
            .connect(host: host, port: port)
            .whenComplete { result in
                let (handler, context) = bound.value
                switch result {
                case .success(let target):
                    handler.state = .forwarding(target)
                    handler.send([5, 0, 0, 1, 127, 0, 0, 1, 0, 0], context)
                case .failure: handler.send([5, 5, 0, 1, 0, 0, 0, 0, 0, 0], context)
                }
            }
    }

    private func send(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
    }
}

/// Passes bytes of the target back to the client.
private final class ReturningHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let client: any Channel

    init(_ client: any Channel) { self.client = client }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        client.writeAndFlush(unwrapInboundIn(data), promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) { client.close(promise: nil) }
}
