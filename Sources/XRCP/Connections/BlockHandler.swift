import NIOCore
import SimpleXCrypto
import Transport

/// The handler between TLS and HTTP/2. It exchanges the blocks of the hellos, and afterwards passes all bytes to
/// HTTP/2.
///
/// All state belongs to the event loop of the channel.
final class BlockHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let secured: EventLoopPromise<TLSSession>
    private var context: ChannelHandlerContext?
    private var received = ByteBuffer()
    private var waiting: EventLoopPromise<[UInt8]>?
    private var passesOn = false
    private var failure: (any Error)?

    /// Maximum number of received bytes that are kept before ``receive(on:)`` requests them. The peer may begin HTTP/2
    /// immediately, so bytes can arrive early.
    private static let limit = 1 << 20

    init(_ secured: EventLoopPromise<TLSSession>) { self.secured = secured }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        fail(ChannelError.ioOnClosedChannel)
        self.context = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail(ChannelError.ioOnClosedChannel)
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted(let tls) = event as? TLSEvent { secured.succeed(tls) }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail(error)
        if passesOn { context.fireErrorCaught(error) } else { context.close(promise: nil) }
    }

    /// Closes the connection. A caller that waits for a block gets the error.
    func end(_ error: any Error) {
        fail(error)
        context?.close(promise: nil)
    }

    private func fail(_ error: any Error) {
        if failure == nil { failure = error }
        secured.fail(error)
        waiting?.fail(error)
        waiting = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if passesOn { return context.fireChannelRead(data) }
        var bytes = unwrapInboundIn(data)
        received.writeBuffer(&bytes)
        guard received.readableBytes <= Self.limit else { return context.close(promise: nil) }
        returnBlock()
    }

    private func returnBlock() {
        guard let promise = waiting, let block = received.readBytes(length: BlockSize.packet) else { return }
        waiting = nil
        promise.succeed(block)
    }

    /// Returns the next block that the peer sends.
    func receive(on eventLoop: any EventLoop) -> EventLoopFuture<[UInt8]> {
        let promise = eventLoop.makePromise(of: [UInt8].self)
        guard waiting == nil else {
            promise.fail(ChannelError.operationUnsupported)
            return promise.futureResult
        }
        waiting = promise
        returnBlock()
        // A block that has already arrived is returned first. The error is reported only to a reader that waits for
        // another block.
        if let failure, waiting != nil { fail(failure) }
        return promise.futureResult
    }

    func send(_ block: [UInt8], _ promise: EventLoopPromise<Void>) {
        guard let context else { return promise.fail(failure ?? ChannelError.ioOnClosedChannel) }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: block)), promise: promise)
    }

    /// Passes all bytes to the handlers for HTTP/2 from now on, and first the bytes that have already arrived.
    func passOn() {
        passesOn = true
        guard let context, received.readableBytes > 0 else { return }
        let bytes = received
        received = ByteBuffer()
        context.fireChannelRead(wrapInboundOut(bytes))
        context.fireChannelReadComplete()
    }
}
