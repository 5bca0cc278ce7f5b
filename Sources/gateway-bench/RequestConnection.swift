import ComparedProtocols
import NIOCore
import NIOPosix

/// A connection to another server that is compared with the gateway, with one request at a time. It sends and waits
/// like ``HTTPConnection``, so that the client costs the same for the gateway and for the other server.
final class RequestConnection: Sendable {
    enum Failure: Error, CustomStringConvertible {
        case closed, noAnswer

        var description: String {
            switch self {
            case .closed: "the server has closed the connection"
            case .noAnswer: "the server has not answered for \(RequestConnection.secondsToAnswer) seconds"
            }
        }
    }

    /// Number of seconds after which an unanswered request fails.
    fileprivate static let secondsToAnswer: Int64 = 30

    private let channel: any Channel
    private let requestProtocol: any RequestProtocol

    private init(_ channel: any Channel, _ requestProtocol: any RequestProtocol) {
        (self.channel, self.requestProtocol) = (channel, requestProtocol)
    }

    /// Connects to the server, and sends the requests with which a connection of this protocol begins.
    static func openConnection(
        to address: SocketAddress,
        _ requestProtocol: any RequestProtocol,
        group: any EventLoopGroup
    ) async throws -> RequestConnection {
        let channel = try await ClientBootstrap(group: group)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers([
                        IdleStateHandler(readTimeout: .seconds(secondsToAnswer)), RequestHandler(requestProtocol),
                    ])
                    // The option TCP_NODELAY does not exist for a Unix socket.
                    if case .unixDomainSocket = address { return }
                    try channel.syncOptions?.setOption(.tcpOption(.tcp_nodelay), value: 1)
                }
            }
            .connect(to: address).get()
        let connection = RequestConnection(channel, requestProtocol)
        do {
            for request in requestProtocol.openingRequests { try await connection.sendRequest(request) }
        } catch {
            await connection.close()
            throw error
        }
        return connection
    }

    /// Stores `payload` on the server repeatedly until `deadline`.
    /// - Returns: the number of acknowledged requests.
    func repeatWrite(_ payload: [UInt8], until deadline: NIODeadline) async throws -> Int {
        let request = requestProtocol.makeWriteRequest(payload)
        var count = 0
        while NIODeadline.now() < deadline {
            try await sendRequest(request)
            count += 1
        }
        return count
    }

    func close() async { try? await channel.close() }

    private func sendRequest(_ bytes: [UInt8]) async throws {
        let promise = channel.eventLoop.makePromise(of: Void.self)
        let request = WaitingRequest(bytes: ByteBuffer(bytes: bytes), answered: promise)
        channel.writeAndFlush(request).cascadeFailure(to: promise)
        try await promise.futureResult.get()
    }
}

private struct WaitingRequest: Sendable {
    var bytes: ByteBuffer
    var answered: EventLoopPromise<Void>
}

/// A handler that reads the answers of a connection, and completes the promise of the request that waits.
private final class RequestHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = WaitingRequest
    typealias OutboundOut = ByteBuffer

    private let requestProtocol: any RequestProtocol
    private var pendingAnswer: EventLoopPromise<Void>?
    private var receivedBytes: [UInt8] = []

    init(_ requestProtocol: any RequestProtocol) { self.requestProtocol = requestProtocol }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let request = unwrapOutboundIn(data)
        pendingAnswer = request.answered
        context.write(wrapOutboundOut(request.bytes), promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        receivedBytes.append(contentsOf: unwrapInboundIn(data).readableBytesView)
        do {
            guard try requestProtocol.removeAnswer(from: &receivedBytes) else { return }
            pendingAnswer?.succeed()
            pendingAnswer = nil
        } catch {
            fail(error, context)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // A connection on which no request waits is idle while another server is measured. Then the timeout is no
        // error.
        guard event is IdleStateHandler.IdleStateEvent, pendingAnswer != nil else { return }
        fail(RequestConnection.Failure.noAnswer, context)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { fail(error, context) }

    func channelInactive(context: ChannelHandlerContext) {
        pendingAnswer?.fail(RequestConnection.Failure.closed)
        pendingAnswer = nil
        context.fireChannelInactive()
    }

    private func fail(_ error: any Error, _ context: ChannelHandlerContext) {
        pendingAnswer?.fail(error)
        pendingAnswer = nil
        context.close(promise: nil)
    }
}
