import NIOCore
import SMP
import SimpleXCrypto
import Transport

/// Performs the handshake, writes queued commands, and passes answers to the waiting callers.
final class NTFSessionHandler: SessionHandler {
    /// The handler before this one delivers complete blocks.
    typealias InboundIn = [UInt8]
    typealias OutboundOut = [UInt8]
    typealias Answer = Result<NTFResponse, SMPClientError>

    struct Request: Sendable {
        let corrID: [UInt8]
        let entityID: [UInt8]
        let transmission: [UInt8]
    }

    private struct Waiting {
        let entityID: [UInt8]
        let continuation: CheckedContinuation<Answer, Never>
        let timeout: Scheduled<Void>

        func resolve(_ answer: Answer) {
            timeout.cancel()
            continuation.resume(returning: answer)
        }
    }

    private enum State {
        case connecting
        case handshaking(NTFClientHandshake)
        case ready(SessionParameters)
        case closed
    }

    private let server: ProtocolServer
    private let idleTime: TimeAmount
    private var ready: EventLoopPromise<SessionParameters>?
    private var state = State.connecting
    private var waiting: [[UInt8]: Waiting] = [:]
    private var queued: [Request] = []
    private var isFlushScheduled = false
    private var idle: Scheduled<Void>?
    var closeReason: SMPClientError?
    var context: ChannelHandlerContext?

    init(server: ProtocolServer, idleTime: TimeAmount, ready: EventLoopPromise<SessionParameters>) {
        self.server = server
        self.idleTime = idleTime
        self.ready = ready
    }

    // MARK: Channel

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        do throws(SMPTransportError) { try receive(unwrapInboundIn(data)) } catch { close(.transport(error)) }
    }

    func secured(_ tls: TLSSession) {
        guard case .connecting = state else { return }
        state = .handshaking(
            NTFClientHandshake(
                sessionID: tls.channelBinding,
                keyHash: server.keyHash,
                leafCertificate: tls.peerCertificates.first
            )
        )
    }

    // MARK: Receiving

    private func receive(_ block: [UInt8]) throws(SMPTransportError) {
        if case .closed = state { return }
        guard let content = try? Padding.unpad(block) else { throw .badBlock }
        switch state {
        case .closed: return
        case .connecting: throw .handshake(.parse)
        case .handshaking(let handshake):
            let hello = try handshake.answer(serverHello: content)
            guard let bytes = try? hello.smpEncoded() else { throw .handshake(.parse) }
            try write(bytes)
            context?.flush()
            let session = SessionParameters(notificationSession: handshake.sessionID)
            state = .ready(session)
            ready?.succeed(session)
            ready = nil
            startIdleTimer()
        case .ready(let session):
            for part in try TransmissionBatch.parse(content) {
                guard let transmission = try? ReceivedTransmission(parsing: part, session: session) else {
                    throw .badBlock
                }
                // The answer is dropped if it comes too late, or belongs to no command.
                guard let waiting = waiting.removeValue(forKey: transmission.corrID) else { continue }
                waiting.resolve(answer(transmission, entityID: waiting.entityID))
            }
            startIdleTimer()
        }
    }

    private func answer(_ transmission: ReceivedTransmission, entityID: [UInt8]) -> Answer {
        guard let response = try? NTFResponse(smpEncoded: Array(transmission.command)) else {
            return .failure(.response("unparsable answer"))
        }
        if case .err(let error) = response { return .failure(.smp(error)) }
        guard transmission.entityID == entityID else { return .failure(.unexpected(response.tag)) }
        return .success(response)
    }

    // MARK: Sending

    func send(_ request: Request, timeout: TimeAmount, _ continuation: CheckedContinuation<Answer, Never>) {
        guard case .ready = state, let context else {
            return continuation.resume(returning: .failure(closeReason ?? .network(.failed)))
        }
        idle?.cancel()
        queued.append(request)
        let expiry = context.eventLoop.assumeIsolated().scheduleTask(in: timeout) {
            self.waiting.removeValue(forKey: request.corrID)?.resolve(.failure(.timeout))
            // A server that has not answered in time counts as lost.
            self.close(.timeout)
        }
        waiting[request.corrID] = Waiting(entityID: request.entityID, continuation: continuation, timeout: expiry)
        guard !isFlushScheduled else { return }
        // Flushes at the end of this turn of the event loop, so that commands of the same turn share a block.
        isFlushScheduled = true
        context.eventLoop.assumeIsolated().execute { self.flush() }
    }

    private func flush() {
        isFlushScheduled = false
        guard case .ready = state else { return }
        let requests = queued
        queued.removeAll(keepingCapacity: true)
        for part in TransmissionBatch.split(
            requests.map(\.transmission),
            room: TransmissionBatch.room(blockSize: NTFVersion.blockSize)
        ) {
            switch part {
            case .block(let content, _):
                do throws(SMPTransportError) { try write(content) } catch { return close(.transport(error)) }
            case .tooLarge(let index):
                waiting.removeValue(forKey: requests[index].corrID)?.resolve(.failure(.transport(.largeMsg)))
            }
        }
        context?.flush()
    }

    private func write(_ content: [UInt8]) throws(SMPTransportError) {
        guard let block = try? Padding.pad(content, to: NTFVersion.blockSize) else { throw .largeMsg }
        context?.write(wrapOutboundOut(block), promise: nil)
    }

    // MARK: The end

    /// Starts the timer that closes the session after `idleTime` without commands.
    private func startIdleTimer() {
        guard waiting.isEmpty, let context else { return }
        idle?.cancel()
        idle = context.eventLoop.assumeIsolated().scheduleTask(in: idleTime) { self.close(.closed) }
    }

    func finish(_ reason: SMPClientError) {
        if case .closed = state { return }
        state = .closed
        idle?.cancel()
        ready?.fail(reason)
        ready = nil
        queued.removeAll()
        let waiting = waiting.values
        self.waiting = [:]
        for one in waiting { one.resolve(.failure(reason)) }
    }
}
