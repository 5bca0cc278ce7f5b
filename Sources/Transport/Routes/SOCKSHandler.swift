import NIOCore

/// The client's side of a SOCKS5 negotiation. This handler is the first handler of a channel to a proxy. When the proxy
/// has connected, the other handlers see the channel become active, and this handler removes itself.
///
/// RFC 1928, and RFC 1929 for user name and password.
final class SOCKSHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum State { case greeting, authenticating, connecting, done }
    private enum Method { static let none: UInt8 = 0, password: UInt8 = 2 }

    private let host: TransportHost
    private let port: UInt16
    private let credentials: SOCKSProxy.Credentials?
    private var state = State.greeting
    private var receivedBytes = ByteBuffer()

    init(host: TransportHost, port: UInt16, credentials: SOCKSProxy.Credentials?) {
        self.host = host
        self.port = port
        self.credentials = credentials
    }

    func channelActive(context: ChannelHandlerContext) {
        // Only one method is offered. If the proxy had a choice, it could ignore the credentials, which isolate clients
        // from each other.
        sendBytes([5, 1, credentials == nil ? Method.none : Method.password], context)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        receivedBytes.writeBuffer(&bytes)
        do throws(SOCKSError) {
            while try processNextMessage(context) {}
        } catch {
            state = .done
            context.fireErrorCaught(error)
            context.close(promise: nil)
        }
    }

    /// Processes the next message of the proxy.
    /// - Returns: whether the received bytes may contain another message.
    private func processNextMessage(_ context: ChannelHandlerContext) throws(SOCKSError) -> Bool {
        switch state {
        case .greeting:
            guard let reply = readBytes(2) else { return false }
            guard reply[0] == 5 else { throw .malformedReply }
            switch (reply[1], credentials) {
            case (Method.none, nil): try sendConnect(context)
            case (Method.password, let credentials?):
                let (name, password) = (Array(credentials.username.utf8), Array(credentials.password.utf8))
                guard (1...255).contains(name.count), password.count <= 255 else { throw .invalidRequest }
                state = .authenticating
                sendBytes([1, UInt8(name.count)] + name + [UInt8(password.count)] + password, context)
            default: throw .authenticationFailed
            }
            return true
        case .authenticating:
            guard let reply = readBytes(2) else { return false }
            guard reply[0] == 1, reply[1] == 0 else { throw .authenticationFailed }
            try sendConnect(context)
            return true
        case .connecting:
            guard let length = try findReplyLength(), let reply = readBytes(length) else { return false }
            guard reply[1] == 0 else { throw .connectRefused(code: reply[1]) }
            state = .done
            context.fireChannelActive()
            if receivedBytes.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(receivedBytes)) }
            context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
            return false
        case .done: return false
        }
    }

    private func sendConnect(_ context: ChannelHandlerContext) throws(SOCKSError) {
        let address: [UInt8]
        switch host {
        case .ipv4(let bytes): address = [1] + bytes
        case .ipv6(let bytes): address = [4] + bytes
        case .onion(let name), .domain(let name):
            let name = Array(name.utf8)
            guard (1...255).contains(name.count) else { throw .invalidRequest }
            address = [3, UInt8(name.count)] + name
        }
        state = .connecting
        sendBytes([5, 1, 0] + address + [UInt8(port >> 8), UInt8(port & 255)], context)
    }

    /// Returns the length of the reply to CONNECT; nil until it is known.
    private func findReplyLength() throws(SOCKSError) -> Int? {
        guard let head = receivedBytes.getBytes(at: receivedBytes.readerIndex, length: 5) else { return nil }
        guard head[0] == 5 else { throw .malformedReply }
        switch head[3] {
        case 1: return 10
        case 3: return 7 + Int(head[4])
        case 4: return 22
        default: throw .malformedReply
        }
    }

    private func readBytes(_ count: Int) -> [UInt8]? { receivedBytes.readBytes(length: count) }

    private func sendBytes(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
    }
}
