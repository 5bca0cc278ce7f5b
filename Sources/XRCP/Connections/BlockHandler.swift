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

    private let securedPromise: EventLoopPromise<TLSSession>
    private var context: ChannelHandlerContext?
    private var receivedBytes = ByteBuffer()
    private var blockPromise: EventLoopPromise<[UInt8]>?
    private var passesToHTTP2 = false
    private var failure: (any Error)?

    /// Maximum number of received bytes that are kept before ``receiveBlock(on:)`` requests them. The peer may begin
    /// HTTP/2 immediately, so bytes can arrive early.
    private static let maxReceivedBytes = 1 << 20

    init(_ secured: EventLoopPromise<TLSSession>) { self.securedPromise = secured }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        failWaiting(ChannelError.ioOnClosedChannel)
        self.context = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        failWaiting(ChannelError.ioOnClosedChannel)
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted(let tls) = event as? TLSEvent { securedPromise.succeed(tls) }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        failWaiting(error)
        if passesToHTTP2 { context.fireErrorCaught(error) } else { context.close(promise: nil) }
    }

    /// Closes the connection. A caller that waits for a block gets the error.
    func closeWithError(_ error: any Error) {
        failWaiting(error)
        context?.close(promise: nil)
    }

    private func failWaiting(_ error: any Error) {
        if failure == nil { failure = error }
        securedPromise.fail(error)
        blockPromise?.fail(error)
        blockPromise = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if passesToHTTP2 { return context.fireChannelRead(data) }
        var bytes = unwrapInboundIn(data)
        receivedBytes.writeBuffer(&bytes)
        guard receivedBytes.readableBytes <= Self.maxReceivedBytes else { return context.close(promise: nil) }
        returnWaitingBlock()
    }

    private func returnWaitingBlock() {
        guard let promise = blockPromise, let block = receivedBytes.readBytes(length: BlockSize.helloBlock) else {
            return
        }
        blockPromise = nil
        promise.succeed(block)
    }

    /// Returns the next block that the peer sends.
    func receiveBlock(on eventLoop: any EventLoop) -> EventLoopFuture<[UInt8]> {
        let promise = eventLoop.makePromise(of: [UInt8].self)
        guard blockPromise == nil else {
            promise.fail(ChannelError.operationUnsupported)
            return promise.futureResult
        }
        blockPromise = promise
        returnWaitingBlock()
        // A block that has already arrived is returned first. So the error is reported only to a reader that waits for
        // another block.
        if let failure, blockPromise != nil { failWaiting(failure) }
        return promise.futureResult
    }

    func sendBlock(_ block: [UInt8], _ promise: EventLoopPromise<Void>) {
        guard let context else { return promise.fail(failure ?? ChannelError.ioOnClosedChannel) }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: block)), promise: promise)
    }

    /// Makes the handler pass all bytes to HTTP/2 from now on, beginning with the bytes that have already arrived.
    func passToHTTP2() {
        passesToHTTP2 = true
        guard let context, receivedBytes.readableBytes > 0 else { return }
        let bytes = receivedBytes
        receivedBytes = ByteBuffer()
        context.fireChannelRead(wrapInboundOut(bytes))
        context.fireChannelReadComplete()
    }
}
