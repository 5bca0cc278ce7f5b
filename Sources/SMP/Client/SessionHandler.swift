package import NIOCore
package import Transport

/// The last handler in the channel of a client's session, confined to the event loop of the channel.
package protocol SessionHandler: ChannelInboundHandler {
    var context: ChannelHandlerContext? { get set }
    /// The first reason for the end of the session.
    var closeReason: SMPClientError? { get set }
    /// Begins the handshake of the protocol after the handshake of TLS.
    func beginHandshake(_ tls: TLSSession)
    /// Fails all waiting commands. Later calls do nothing.
    func failWaitingCommands(_ reason: SMPClientError)
}

extension SessionHandler {
    package func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    package func channelInactive(context: ChannelHandlerContext) {
        failWaitingCommands(closeReason ?? .network(.failed))
        context.fireChannelInactive()
    }

    package func handlerRemoved(context: ChannelHandlerContext) {
        failWaitingCommands(closeReason ?? .network(.failed))
        self.context = nil
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        close(SMPClientError(transportFailure: error))
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted(let tls) = event as? TLSEvent { beginHandshake(tls) }
        context.fireUserInboundEventTriggered(event)
    }

    package func close(_ reason: SMPClientError) {
        if closeReason == nil { closeReason = reason }
        guard let context else { return }
        failWaitingCommands(reason)
        context.close(promise: nil)
    }
}
