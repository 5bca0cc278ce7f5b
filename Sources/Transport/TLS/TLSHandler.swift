package import NIOCore
package import SimpleXCrypto

/// The TLS handler of a channel: network bytes on one side, application data on the other side.
///
/// ``TLSEvent/handshakeCompleted(_:)`` is fired before any data. Writes wait for this event. Every ``TLSError`` is
/// fired as an error and closes the channel. A block of 16384 bytes is sent as one record. The block is encrypted when
/// it is written, not when it is flushed.
package final class TLSHandler: ChannelDuplexHandler {
    package typealias InboundIn = ByteBuffer
    package typealias InboundOut = ByteBuffer
    package typealias OutboundIn = ByteBuffer
    package typealias OutboundOut = ByteBuffer

    private enum State { case idle, handshaking, open, closing, closed }

    /// Maximal number of bytes that wait for a peer that does not read. The number is twice the bytes that all requests
    /// of an HTTP/2 connection can send at a time.
    static let maxUnsentBytes = 128 << 20

    private let connection: TLSConnection
    private let handshakeTimeout: TimeAmount
    private var state = State.idle
    private var handshakeTimer: Scheduled<Void>?
    /// The limit of unsent bytes for this connection. Tests use a lower limit.
    var unsentBytesLimit = TLSHandler.maxUnsentBytes
    private var waitingWrites: [(ByteBuffer, EventLoopPromise<Void>?)] = []
    private var waitingBytes = 0
    private var isFlushWaiting = false
    /// Whether the peer has sent close_notify, so that the received data is complete.
    private var peerHasClosed = false
    /// Whether data was passed to the next handler, so that `channelReadComplete` must follow.
    private var needsReadComplete = false

    private init(_ connection: TLSConnection, handshakeTimeout: TimeAmount) {
        self.connection = connection
        self.handshakeTimeout = handshakeTimeout
    }

    /// Makes the handler for a client of a relay. `expectedFingerprint` is the SHA-256 of the relay's identity
    /// certificate (32 bytes, the key hash in the relay's address).
    ///
    /// - Parameters:
    ///   - protocolName: the protocol for ALPN; nil for none.
    ///   - identity: the certificate to present to a relay that requests one.
    package static func makeClient(
        expectedFingerprint: [UInt8],
        handshakeTimeout: TimeAmount = .seconds(25),
        protocolName: String? = TLSSession.smpProtocol,
        identity: ClientIdentity? = nil
    ) throws(TLSError) -> TLSHandler {
        let context = try TLSContext.makeClientContext(protocolName: protocolName, identity: identity)
        let connection = try TLSConnection(context: context, isServer: false, expectedFingerprint: expectedFingerprint)
        return TLSHandler(connection, handshakeTimeout: handshakeTimeout)
    }

    /// Makes the handler for one connection of a server.
    package static func makeServer(
        _ configuration: TLSServerConfiguration,
        handshakeTimeout: TimeAmount = .seconds(60)
    ) throws(TLSError) -> TLSHandler {
        let connection = try TLSConnection(
            context: configuration.context,
            isServer: true,
            webContext: configuration.webCertificate?.context
        )
        return TLSHandler(connection, handshakeTimeout: handshakeTimeout)
    }

    /// Makes the handler for a host (a phone under remote control) that connects to its controller (a desktop).
    /// `expectedFingerprint` is the SHA-256 of the controller's authority certificate. No application protocol is
    /// agreed on.
    package static func makeHostHandler(
        expectedFingerprint: [UInt8],
        identity: ClientIdentity,
        handshakeTimeout: TimeAmount
    ) throws(TLSError) -> TLSHandler {
        let context = try TLSContext.makeClientContext(protocolName: nil, identity: identity)
        let connection = try TLSConnection(
            context: context,
            isServer: false,
            expectedFingerprint: expectedFingerprint,
            isBetweenDevices: true
        )
        return TLSHandler(connection, handshakeTimeout: handshakeTimeout)
    }

    /// Makes the handler for a controller (a desktop) to which a host (a phone under remote control) connects. If the
    /// host shows no certificates, the session has none.
    /// - Parameter expectedFingerprint: SHA-256 of the host's authority certificate; nil for a host that is not known
    ///   yet.
    package static func makeControllerHandler(
        _ configuration: TLSServerConfiguration,
        expectedFingerprint: [UInt8]?,
        handshakeTimeout: TimeAmount
    ) throws(TLSError) -> TLSHandler {
        let connection = try TLSConnection(
            context: configuration.context,
            isServer: true,
            expectedFingerprint: expectedFingerprint,
            isBetweenDevices: true
        )
        return TLSHandler(connection, handshakeTimeout: handshakeTimeout)
    }

    /// Makes the handler for a client of a web server, whose certificate must be valid for `host`.
    package static func makeWebClient(
        _ trust: WebTrust,
        host: String,
        isAddress: Bool,
        handshakeTimeout: TimeAmount
    ) throws(TLSError) -> TLSHandler {
        let connection = try TLSConnection(context: trust.context, isServer: false)
        try connection.requireWebServer(host: host, isAddress: isAddress)
        return TLSHandler(connection, handshakeTimeout: handshakeTimeout)
    }

    // MARK: Life of the channel

    package func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { startHandshake(context) }
    }

    package func channelActive(context: ChannelHandlerContext) {
        startHandshake(context)
        context.fireChannelActive()
    }

    private func startHandshake(_ context: ChannelHandlerContext) {
        guard state == .idle else { return }
        state = .handshaking
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        handshakeTimer = context.eventLoop.scheduleTask(in: handshakeTimeout) {
            let (handler, context) = bound.value
            if handler.state == .handshaking { handler.closeWithError(.handshakeTimeout, context) }
        }
        continueHandshake(context)
    }

    package func handlerRemoved(context: ChannelHandlerContext) {
        closeAndFailWrites(.alreadyClosed)
    }

    package func channelInactive(context: ChannelHandlerContext) {
        let wasCut = !peerHasClosed && (state == .handshaking || state == .open)
        if state == .handshaking {
            context.fireErrorCaught(TLSError.handshakeFailed("connection closed"))
        } else if wasCut {
            context.fireErrorCaught(TLSError.connectionTruncated)
        }
        closeAndFailWrites(.alreadyClosed)
        // NIO does not complete a read that a close interrupts. Then the HTTP/2 library would keep all streams of this
        // read, so the read is completed here.
        if needsReadComplete { channelReadComplete(context: context) }
        context.fireChannelInactive()
    }

    private func closeAndFailWrites(_ error: TLSError) {
        handshakeTimer?.cancel()
        handshakeTimer = nil
        state = .closed
        for (_, promise) in waitingWrites { promise?.fail(error) }
        waitingWrites.removeAll()
    }

    private func closeWithError(_ error: TLSError, _ context: ChannelHandlerContext) {
        // OpenSSL may have made an alert that is not sent yet, so it is sent before the channel is closed.
        sendOutput(context)
        closeAndFailWrites(error)
        context.fireErrorCaught(error)
        context.close(promise: nil)
    }

    // MARK: Reading

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard state == .handshaking || state == .open else { return }
        var bytes = unwrapInboundIn(data)
        connection.addReceived(&bytes)
        if state == .handshaking { continueHandshake(context) }
        if state == .open { deliverData(context) }
    }

    package func channelReadComplete(context: ChannelHandlerContext) {
        needsReadComplete = false
        context.fireChannelReadComplete()
    }

    private func continueHandshake(_ context: ChannelHandlerContext) {
        do throws(TLSError) {
            let progress = try connection.continueHandshake()
            sendOutput(context)
            guard progress == .handshakeDone else { return }
            let session = connection.session
            handshakeTimer?.cancel()
            handshakeTimer = nil
            state = .open
            context.fireUserInboundEventTriggered(TLSEvent.handshakeCompleted(session))
            sendWaitingWrites(context)
        } catch {
            closeWithError(error, context)
        }
    }

    private func deliverData(_ context: ChannelHandlerContext) {
        do throws(TLSError) {
            while state == .open {
                switch try connection.decryptNextRecord(allocator: context.channel.allocator) {
                case .data(let data):
                    needsReadComplete = true
                    context.fireChannelRead(wrapInboundOut(data))
                case .wantsInput:
                    // A key update of the peer may require a key update of this side, which is sent now.
                    sendOutput(context)
                    return
                case .peerClosed:
                    peerHasClosed = true
                    context.fireUserInboundEventTriggered(TLSEvent.peerClosed)
                    if state == .open { context.close(promise: nil) }
                    return
                }
            }
        } catch {
            closeWithError(error, context)
        }
    }

    // MARK: Writing

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let bytes = unwrapOutboundIn(data)
        switch state {
        case .idle, .handshaking:
            waitingWrites.append((bytes, promise))
            waitingBytes += bytes.readableBytes
            if waitingBytes > unsentBytesLimit { closeWithError(.tooManyUnsentBytes, context) }
        case .open: encryptAndSend(bytes, promise, context)
        case .closing, .closed: promise?.fail(TLSError.alreadyClosed)
        }
    }

    package func flush(context: ChannelHandlerContext) {
        if state == .idle || state == .handshaking { isFlushWaiting = true } else { context.flush() }
    }

    private func sendWaitingWrites(_ context: ChannelHandlerContext) {
        let writes = waitingWrites
        waitingWrites.removeAll()
        for (bytes, promise) in writes { write(context: context, data: wrapOutboundOut(bytes), promise: promise) }
        if isFlushWaiting { context.flush() }
    }

    private func encryptAndSend(
        _ bytes: ByteBuffer,
        _ promise: EventLoopPromise<Void>?,
        _ context: ChannelHandlerContext
    ) {
        do throws(TLSError) {
            try connection.encryptBytes(bytes)
            if let output = connection.takeOutput() {
                context.write(wrapOutboundOut(output), promise: promise)
            } else {
                promise?.succeed()
            }
        } catch {
            promise?.fail(error)
            return closeWithError(error, context)
        }
        if !context.channel.isWritable, countUnsentBytes(context) > unsentBytesLimit {
            closeWithError(.tooManyUnsentBytes, context)
        }
    }

    private func countUnsentBytes(_ context: ChannelHandlerContext) -> Int {
        (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }

    private func sendOutput(_ context: ChannelHandlerContext) {
        if let output = connection.takeOutput() { context.writeAndFlush(wrapOutboundOut(output), promise: nil) }
    }

    package func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode != .input, state == .open else {
            if mode == .all { closeAndFailWrites(.alreadyClosed) }
            return context.close(mode: mode, promise: promise)
        }
        connection.sendCloseNotify()
        sendOutput(context)
        if mode == .all { closeAndFailWrites(.alreadyClosed) }
        context.close(mode: mode, promise: promise)
    }
}

/// The certificate authorities that are trusted for web servers. One value serves any number of connections.
package final class WebTrust: Sendable {
    let context: TLSContext

    /// The system's certificate authorities. All web clients of the process share them, since loading takes 20 ms.
    package static let systemTrust = Result { () throws(TLSError) in try WebTrust() }

    /// Loads the system's certificate authorities.
    /// - Parameters:
    ///   - authorities: a PEM file with additional certificate authorities.
    ///   - protocolName: the protocol for ALPN.
    /// - Throws: ``TLSError/configuration(_:)`` when the file cannot be used.
    package init(authorities: String? = nil, protocolName: String = TLSSession.webProtocol) throws(TLSError) {
        context = try .makeWebClientContext(authorities: authorities, protocolName: protocolName)
    }
}

/// The TLS settings of a server, with its certificates. One value serves any number of connections.
package struct TLSServerConfiguration: Sendable {
    /// The protocols that the server accepts by ALPN.
    package enum Protocols: Sendable {
        /// The server accepts ``TLSSession/smpProtocol``. For clients that offer only other protocols, no protocol is
        /// selected.
        case relay
        /// The server accepts ``TLSSession/fileProtocol``. Clients that offer only other protocols are refused.
        case files
        /// The server accepts ``TLSSession/notificationProtocol``. Clients that offer only other protocols are refused.
        case notifications
        /// The server accepts no application protocol. The protocols that clients offer are ignored.
        case noProtocol
    }

    let context: TLSContext
    let webCertificate: WebCertificate?

    /// Makes the settings from the identity of a server. Throws ``TLSError/configuration(_:)`` when key and
    /// certificates do not belong together.
    /// - Parameter web: the certificate for browsers; nil to use the same certificate for all clients.
    package init(
        _ credentials: ServerCredentials,
        protocols: Protocols = .relay,
        web: WebCertificate? = nil
    ) throws(TLSError) {
        try self.init(
            certificates: credentials.certificates,
            leafKey: credentials.leafKey,
            protocols: protocols,
            web: web
        )
    }

    /// Makes the settings from certificates (DER, leaf first). Only the key of the leaf is checked; the chain is not
    /// verified.
    package init(
        certificates: [[UInt8]],
        leafKey: SignaturePrivateKey,
        protocols: Protocols = .relay,
        web: WebCertificate? = nil
    ) throws(TLSError) {
        context = try TLSContext.makeServerContext(
            certificates,
            leafKey,
            protocols: protocols,
            servesBrowsers: web != nil
        )
        self.webCertificate = web
    }
}
