import NIOCore
import SimpleXCrypto
import Transport

/// Performs the handshake, writes queued commands, and passes answers to the waiting callers.
final class SMPSessionHandler: SessionHandler {
    /// A received block, the unit of transfer of SMP.
    typealias InboundIn = [UInt8]
    typealias OutboundOut = [UInt8]
    typealias Answer = PendingRequests.Answer

    private enum State {
        case connecting
        case handshaking(ClientHandshake)
        /// The relay has not yet answered whether it accepts the client as a service.
        case awaitingService(HandshakeResult, ServiceSession)
        case ready(SessionParameters)
        case closed
    }

    private let server: ProtocolServer
    private let configuration: SMPClientConfiguration
    private let onEvent: @Sendable (SMPSessionEvent) -> Void
    typealias AgreedSession = (result: HandshakeResult, service: ServiceSession?)
    private var readyPromise: EventLoopPromise<AgreedSession>?
    private var state = State.connecting
    private var blockCipher = BlockCipher()
    private var pendingRequests = PendingRequests()
    private var queuedRequests: [PreparedRequest] = []
    private var isFlushScheduled = false
    private var hasReceivedBytes = false
    private var silentTimeoutCount = 0
    private var pingTask: Scheduled<Void>?
    /// The correlation id of the last PING.
    private var pingID: [UInt8] = []
    var closeReason: SMPClientError?
    var context: ChannelHandlerContext?

    init(
        server: ProtocolServer,
        configuration: SMPClientConfiguration,
        ready: EventLoopPromise<AgreedSession>,
        onEvent: @escaping @Sendable (SMPSessionEvent) -> Void
    ) {
        self.server = server
        self.configuration = configuration
        self.readyPromise = ready
        self.onEvent = onEvent
    }

    // MARK: Channel events

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        hasReceivedBytes = true
        silentTimeoutCount = 0
        do throws(SMPTransportError) {
            try receiveBlock(unwrapInboundIn(data))
        } catch {
            close(.transport(error))
        }
    }

    // MARK: Handshake

    func beginHandshake(_ tls: TLSSession) {
        guard case .connecting = state else { return }
        do {
            var handshake = ClientHandshake(
                sessionID: tls.channelBinding,
                keyHash: server.keyHash,
                leafCertificate: tls.peerCertificates.first,
                versions: configuration.versions,
                key: try X25519.PrivateKey()
            )
            handshake.isProxy = configuration.isProxy
            handshake.serviceIdentity = try configuration.serviceCredentials.map { ($0, try Ed25519.PrivateKey()) }
            state = .handshaking(handshake)
        } catch {
            close(.smp(.crypto))
        }
    }

    private func receiveBlock(_ block: [UInt8]) throws(SMPTransportError) {
        switch state {
        case .closed: return
        case .connecting: throw .handshake(.parse)
        case .handshaking(let handshake):
            let (hello, result) = try handshake.makeClientHello(serverHello: try blockCipher.open(block))
            guard let content = try? hello.smpEncoded() else { throw .handshake(.parse) }
            writeBlock(try blockCipher.seal(content))
            context?.flush()
            if hello.service != nil, let service = handshake.serviceIdentity {
                let (credentials, key) = service
                let session = ServiceSession(
                    id: [],
                    role: credentials.role,
                    certificateHash: credentials.certificateHash,
                    key: key
                )
                state = .awaitingService(result, session)
            } else {
                becomeReady((result, nil))
            }
        case .awaitingService(let result, var service):
            guard let response = try? ServiceHandshakeResponse(smpEncoded: try blockCipher.open(block)) else {
                throw .handshake(.parse)
            }
            switch response {
            case .refused(let error): throw error
            case .accepted(let id):
                service.id = id
                becomeReady((result, service))
            }
        case .ready(let session):
            for part in try TransmissionBatch.parseTransmissions(try blockCipher.open(block)) {
                try receiveTransmission(part, session)
            }
        }
    }

    private func becomeReady(_ agreed: AgreedSession) {
        blockCipher = agreed.result.blockCipher
        state = .ready(agreed.result.session)
        schedulePing()
        readyPromise?.succeed(agreed)
        readyPromise = nil
    }

    // MARK: Answers and events

    private func receiveTransmission(_ bytes: ArraySlice<UInt8>, _ session: SessionParameters) throws(SMPTransportError)
    {
        guard let transmission = try? ReceivedTransmission(parsing: bytes, session: session) else { throw .badBlock }
        let message = try? transmission.parseBrokerMessage()
        guard !transmission.corrID.isEmpty, let waiting = pendingRequests.removeRequest(transmission.corrID) else {
            // No command waits for this answer any more. The answer is useful only if it contains a message.
            guard let message else { return }
            if transmission.corrID.isEmpty || message.isMessageDelivery {
                onEvent(.received(entityID: transmission.entityID, message))
            }
            return
        }
        let answer = waiting.makeAnswer(transmission.entityID, message)
        if waiting.deliversMessages, case .success(let message) = answer, message.isMessageDelivery {
            onEvent(.received(entityID: transmission.entityID, message))
        }
        waiting.passAnswer(answer)
    }

    // MARK: Sending

    func enqueueRequests(
        _ requests: [PreparedRequest],
        timeout: TimeAmount? = nil,
        _ continuation: CheckedContinuation<[Answer], Never>?
    ) {
        guard case .ready = state, let context else {
            continuation?.resume(returning: requests.map { _ in .failure(closeReason ?? .network(.failed)) })
            return
        }
        let group = pendingRequests.addRequests(requests, continuation)
        queuedRequests += requests
        let ids = requests.map(\.corrID)
        group.timeout = context.eventLoop.assumeIsolated().scheduleTask(
            in: timeout ?? configuration.transport.responseTimeout
        ) {
            self.expireRequests(ids)
        }
        guard !isFlushScheduled else { return }
        // Flushes at the end of this turn of the event loop, so that commands of the same turn share a block.
        isFlushScheduled = true
        context.eventLoop.assumeIsolated().execute { self.writeQueuedRequests() }
    }

    private func writeQueuedRequests() {
        isFlushScheduled = false
        guard case .ready = state else { return }
        let requests = queuedRequests
        queuedRequests.removeAll(keepingCapacity: true)
        for part in TransmissionBatch.splitIntoBlocks(requests.map(\.transmission)) {
            switch part {
            case .block(let content, _):
                do throws(SMPTransportError) {
                    writeBlock(try blockCipher.seal(content))
                } catch {
                    return close(.transport(error))
                }
            case .tooLarge(let index):
                pendingRequests.removeRequest(requests[index].corrID)?.passAnswer(.failure(.transport(.largeMsg)))
            }
        }
        context?.flush()
    }

    private func writeBlock(_ block: [UInt8]) {
        guard let context else { return }
        context.write(wrapOutboundOut(block), promise: nil)
    }

    private func expireRequests(_ ids: [[UInt8]]) {
        let expired = ids.compactMap { pendingRequests.removeRequest($0) }
        guard !expired.isEmpty else { return }
        for waiting in expired { waiting.passAnswer(.failure(.timeout)) }
        // The session counts as lost after several timeouts during which not a single byte has arrived.
        silentTimeoutCount += 1
        if configuration.maxSilentTimeouts > 0, silentTimeoutCount >= configuration.maxSilentTimeouts {
            close(.timeout)
        }
    }

    // MARK: PING

    private func schedulePing() {
        guard let context, configuration.pingInterval > .zero else { return }
        pingTask = context.eventLoop.assumeIsolated().scheduleTask(in: configuration.pingInterval) {
            self.pingIfSilent()
        }
    }

    private func pingIfSilent() {
        guard case .ready(let session) = state, let context else { return }
        schedulePing()
        let isSilent = !hasReceivedBytes
        hasReceivedBytes = false
        // Any received bytes show that the connection works. So a PING is sent only to a silent peer, and only if no
        // earlier PING waits for its answer.
        guard isSilent, !pendingRequests.containsRequest(pingID), context.channel.isWritable,
            let request = try? PreparedRequest(SMPRequest(.ping), session: session, serverKey: nil)
        else { return }
        pingID = request.corrID
        enqueueRequests([request], nil)
    }

    // MARK: Closing

    func failWaitingCommands(_ reason: SMPClientError) {
        if case .closed = state { return }
        let wasReady = if case .ready = state { true } else { false }
        state = .closed
        pingTask?.cancel()
        readyPromise?.fail(reason)
        readyPromise = nil
        let waiting = pendingRequests.takeAllRequests()
        queuedRequests.removeAll()
        // The session is removed before waiting callers get the failure, because they may repeat their commands
        // immediately.
        if wasReady { onEvent(.closed(reason)) }
        for waiting in waiting { waiting.passAnswer(.failure(reason)) }
    }
}
