import Clocks
import NIOCore
import RelayBase
import SMP
import SimpleXCrypto
import Transport

/// One SMP session. It is the last handler of its channel, after the handlers for TLS and blocks.
///
/// All state belongs to the event loop of the channel. simplexmq `protocol/simplex-messaging.md`.
final class ClientConnection: ChannelInboundHandler {
    typealias InboundIn = [UInt8]
    typealias OutboundOut = [UInt8]

    enum Phase {
        case tlsHandshake
        case helloExchange(ServerHandshake, peerCertificates: [[UInt8]])
        case open(Session)
        case closed
    }

    /// The values on which the client and this relay have agreed in the handshake.
    struct Session {
        let parameters: SessionParameters
        let authorizer: Authorizer
        let sessionKey: X25519.PrivateKey
        /// The Diffie-Hellman secret of the session keys of this relay and the client. A proxy encrypts forwarded
        /// commands with it.
        let sessionSecret: X25519.SharedSecret?
        /// The certificate and the id of the client, if the client is a service.
        let service: (peer: PeerService, id: ServiceID)?
    }

    let relay: RelayContext
    let loop: LoopConnections
    private(set) var phase = Phase.tlsHandshake
    private(set) var context: ChannelHandlerContext?
    private(set) var handle: ConnectionHandle?
    var blockCipher = BlockCipher()

    /// Queues whose messages are delivered to this session as they arrive.
    var subscriptions: Set<QueueID> = []
    /// Notifiers (ids of queues for a notification server) whose notifications this session gets.
    var notifierSubscriptions: Set<NotifierID> = []
    /// Queues on which the client has used GET. The value is the id of the message that GET returned; nil if GET has
    /// returned no message yet, or the message was acknowledged.
    var polledQueues: [QueueID: MessageID?] = [:]

    var outbox = CircularBuffer<OutboxEntry>(initialCapacity: 0)
    /// Output that is sent only when ``outbox``, the queue of answers and events, is empty.
    var lowPriorityOutbox = CircularBuffer<OutboxEntry>(initialCapacity: 0)
    var isWaitingForCommit = false
    var isReadingPaused = false
    /// Number of commands that another relay has not answered yet.
    var pendingForwardingCount = 0
    /// Number of names that the operator's resolver has not answered yet.
    var pendingNameRequestCount = 0
    private var handshakeDeadline: Scheduled<Void>?
    /// Time of the last activity, in seconds since 1970.
    private var lastActivitySeconds = WallClock.seconds()

    init(relay: RelayContext, loop: LoopConnections) {
        self.relay = relay
        self.loop = loop
    }

    // MARK: Life of the channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        handle = ConnectionHandle(self, eventLoop: context.eventLoop)
        loop.addConnection(self)
    }

    func handlerRemoved(context: ChannelHandlerContext) { endSession() }

    func channelInactive(context: ChannelHandlerContext) {
        endSession()
        context.fireChannelInactive()
    }

    private func endSession() {
        if case .closed = phase { return }
        let service: ServiceID? = if case .open(let session) = phase { session.service?.id } else { nil }
        phase = .closed
        handshakeDeadline?.cancel()
        handshakeDeadline = nil
        if let handle {
            relay.store.unsubscribeFromQueues(subscriptions, handle)
            relay.notifications.unsubscribeFromNotifiers(notifierSubscriptions, handle)
            if let service { relay.store.unsubscribeService(service, handle) }
            handle.detach()
        }
        subscriptions.removeAll()
        notifierSubscriptions.removeAll()
        polledQueues.removeAll()
        outbox.removeAll()
        lowPriorityOutbox.removeAll()
        loop.removeConnection(self)
        context = nil
        handle = nil
    }

    func closeChannel() { context?.close(promise: nil) }

    func closeIfIdle(since limit: Int64) {
        if subscriptions.isEmpty, notifierSubscriptions.isEmpty, lastActivitySeconds < limit { closeChannel() }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Errors of peers are logged at debug level only.
        relay.logger.debug("A session ended.", metadata: ["error": "\(error)"])
        context.close(promise: nil)
    }

    // MARK: Handshake

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case TLSEvent.handshakeCompleted(let tls) = event else {
            return context.fireUserInboundEventTriggered(event)
        }
        guard let handshake = try? makeHandshake(tls), let hello = try? handshake.hello.smpEncoded(),
            let block = try? blockCipher.seal(hello)
        else { return closeChannel() }
        phase = .helloExchange(handshake, peerCertificates: tls.peerCertificates)
        context.writeAndFlush(wrapOutboundOut(block), promise: nil)
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        handshakeDeadline = context.eventLoop.scheduleTask(in: .seconds(relay.configuration.handshakeTimeoutSeconds)) {
            if case .helloExchange = bound.value.phase { bound.value.closeChannel() }
        }
    }

    private func makeHandshake(_ tls: TLSSession) throws -> ServerHandshake {
        let key = try X25519.PrivateKey()
        let signed = try SignedSessionKey(key.publicKey, signedWith: relay.credentials.leafKey)
        return ServerHandshake(
            sessionID: tls.channelBinding,
            keyHash: relay.credentials.fingerprint,
            // Clients that offer no protocol in TLS (ALPN) do not know session keys, so they get only the version
            // without session keys.
            versions: tls.applicationProtocol != nil ? relay.configuration.versions : SupportedVersions.legacy,
            certificateKey: CertificateChainKey(certificates: relay.credentials.certificates, signedKey: signed),
            key: key
        )
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let block = unwrapInboundIn(data)
        lastActivitySeconds = WallClock.seconds()
        switch phase {
        case .tlsHandshake, .closed: break
        case .helloExchange(let handshake, let certificates): acceptHello(block, handshake, certificates)
        case .open(let session): executeBlock(block, session)
        }
    }

    private func acceptHello(_ block: [UInt8], _ handshake: ServerHandshake, _ certificates: [[UInt8]]) {
        var isService = false
        do throws(SMPTransportError) {
            let content = try blockCipher.open(block)
            var reader = ByteReader(content)
            isService = (try? ClientHello(from: &reader))?.service != nil
            let agreed = try handshake.acceptClientHello(clientHello: content, peerCertificates: certificates)
            var service: (PeerService, ServiceID)?
            if let peer = agreed.peerService {
                guard let id = try? relay.store.findOrAssignServiceID(peer).id else { throw .handshake(.badService) }
                service = (peer, id)
                answerService(.accepted(serviceID: id.bytes))
            }
            blockCipher = agreed.blockCipher
            phase = .open(
                Session(
                    parameters: agreed.session,
                    authorizer: Authorizer(sessionKey: handshake.key),
                    sessionKey: handshake.key,
                    sessionSecret: agreed.sessionSecret,
                    service: service
                )
            )
            handshakeDeadline?.cancel()
            handshakeDeadline = nil
            relay.counters.sessionsCompleted.increment()
        } catch {
            relay.counters.handshakesFailed.increment()
            relay.logger.debug("A handshake failed.", metadata: ["error": "\(error)"])
            if isService { answerService(.refused(error)) }
            closeChannel()
        }
    }

    /// Sends the last message of the handshake, which only services (clients with a certificate) get.
    private func answerService(_ response: ServiceHandshakeResponse) {
        guard let context, let content = try? response.smpEncoded(), let block = try? blockCipher.seal(content) else {
            return closeChannel()
        }
        context.writeAndFlush(wrapOutboundOut(block), promise: nil)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        sendCommitted()
        context.fireChannelReadComplete()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { sendCommitted() }
        context.fireChannelWritabilityChanged()
    }
}
