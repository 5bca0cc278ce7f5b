import NIOCore
import SMP
import SimpleXCrypto
import Transport

/// Performs the handshake, writes queued commands, and passes answers to the waiting callers.
final class NTFSessionHandler: SessionHandler {
    /// A complete block, which the previous handler delivers.
    typealias InboundIn = [UInt8]
    typealias OutboundOut = [UInt8]
    typealias Answer = Result<NTFResponse, SMPClientError>

    struct Request: Sendable {
        let corrID: [UInt8]
        let entityID: [UInt8]
        let transmission: [UInt8]
    }

    private struct WaitingRequest {
        let entityID: [UInt8]
        let continuation: CheckedContinuation<Answer, Never>
        let timeoutTimer: Scheduled<Void>

        func resumeWith(_ answer: Answer) {
            timeoutTimer.cancel()
            continuation.resume(returning: answer)
        }
    }

    private enum State {
        case tlsHandshake
        case handshaking(NTFClientHandshake)
        case ready(SessionParameters)
        case closed
    }

    private let server: ProtocolServer
    private let idleTime: TimeAmount
    private var readyPromise: EventLoopPromise<SessionParameters>?
    private var state = State.tlsHandshake
    private var waitingRequests: [[UInt8]: WaitingRequest] = [:]
    private var queuedRequests: [Request] = []
    private var isFlushScheduled = false
    private var idleTimer: Scheduled<Void>?
    var closeReason: SMPClientError?
    var context: ChannelHandlerContext?

    init(server: ProtocolServer, idleTime: TimeAmount, ready: EventLoopPromise<SessionParameters>) {
        self.server = server
        self.idleTime = idleTime
        self.readyPromise = ready
    }

    // MARK: Channel

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        do throws(SMPTransportError) { try receiveBlock(unwrapInboundIn(data)) } catch { close(.transport(error)) }
    }

    func beginHandshake(_ tls: TLSSession) {
        guard case .tlsHandshake = state else { return }
        state = .handshaking(
            NTFClientHandshake(
                sessionID: tls.channelBinding,
                keyHash: server.keyHash,
                leafCertificate: tls.peerCertificates.first
            )
        )
    }

    // MARK: Receiving

    private func receiveBlock(_ block: [UInt8]) throws(SMPTransportError) {
        if case .closed = state { return }
        guard let content = try? Padding.unpadMessage(block) else { throw .badBlock }
        switch state {
        case .closed: return
        case .tlsHandshake: throw .handshake(.parse)
        case .handshaking(let handshake):
            let hello = try handshake.makeClientHello(serverHello: content)
            guard let bytes = try? hello.smpEncoded() else { throw .handshake(.parse) }
            try writeBlock(bytes)
            context?.flush()
            let session = SessionParameters(notificationSession: handshake.sessionID)
            state = .ready(session)
            readyPromise?.succeed(session)
            readyPromise = nil
            startIdleTimer()
        case .ready(let session):
            for part in try TransmissionBatch.parseTransmissions(content) {
                guard let transmission = try? ReceivedTransmission(parsing: part, session: session) else {
                    throw .badBlock
                }
                // The answer is dropped if it comes too late, or belongs to no command.
                guard let waiting = waitingRequests.removeValue(forKey: transmission.corrID) else { continue }
                waiting.resumeWith(makeAnswer(transmission, entityID: waiting.entityID))
            }
            startIdleTimer()
        }
    }

    private func makeAnswer(_ transmission: ReceivedTransmission, entityID: [UInt8]) -> Answer {
        guard let response = try? NTFResponse(smpEncoded: Array(transmission.command)) else {
            return .failure(.response("unparsable answer"))
        }
        if case .err(let error) = response { return .failure(.smp(error)) }
        guard transmission.entityID == entityID else { return .failure(.unexpected(response.tag)) }
        return .success(response)
    }

    // MARK: Sending

    func queueRequest(_ request: Request, timeout: TimeAmount, _ continuation: CheckedContinuation<Answer, Never>) {
        guard case .ready = state, let context else {
            return continuation.resume(returning: .failure(closeReason ?? .network(.failed)))
        }
        idleTimer?.cancel()
        queuedRequests.append(request)
        let expiry = context.eventLoop.assumeIsolated().scheduleTask(in: timeout) {
            self.waitingRequests.removeValue(forKey: request.corrID)?.resumeWith(.failure(.timeout))
            // A server that has not answered in time counts as lost.
            self.close(.timeout)
        }
        waitingRequests[request.corrID] = WaitingRequest(
            entityID: request.entityID,
            continuation: continuation,
            timeoutTimer: expiry
        )
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
        for part in TransmissionBatch.splitIntoBlocks(
            requests.map(\.transmission),
            capacity: TransmissionBatch.capacity(blockSize: NTFVersion.blockSize)
        ) {
            switch part {
            case .block(let content, _):
                do throws(SMPTransportError) { try writeBlock(content) } catch { return close(.transport(error)) }
            case .tooLarge(let index):
                waitingRequests.removeValue(forKey: requests[index].corrID)?.resumeWith(.failure(.transport(.largeMsg)))
            }
        }
        context?.flush()
    }

    private func writeBlock(_ content: [UInt8]) throws(SMPTransportError) {
        guard let block = try? Padding.padMessage(content, to: NTFVersion.blockSize) else { throw .largeMsg }
        context?.write(wrapOutboundOut(block), promise: nil)
    }

    // MARK: The end

    /// Starts the timer that closes the session after `idleTime` without commands.
    private func startIdleTimer() {
        guard waitingRequests.isEmpty, let context else { return }
        idleTimer?.cancel()
        idleTimer = context.eventLoop.assumeIsolated().scheduleTask(in: idleTime) { self.close(.closed) }
    }

    func failWaitingCommands(_ reason: SMPClientError) {
        if case .closed = state { return }
        state = .closed
        idleTimer?.cancel()
        readyPromise?.fail(reason)
        readyPromise = nil
        queuedRequests.removeAll()
        let waiting = waitingRequests.values
        self.waitingRequests = [:]
        for one in waiting { one.resumeWith(.failure(reason)) }
    }
}
