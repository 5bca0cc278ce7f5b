import Clocks
import NIOCore
import NIOHTTP2
import RelayBase
import SMP
import SimpleXCrypto
import Transport
import XFTP

/// One session of a client of the file relay. It is the handler between TLS and HTTP/2 in the session's channel. Each
/// HTTP/2 stream has one request, and passes it to this handler when its first block is complete.
///
/// All state belongs to the event loop of the channel. simplexmq `protocol/xftp.md`.
final class FileClientSession: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Phase {
        case tlsHandshake
        /// The client has sent nothing yet.
        case awaitingHello(TLSSession)
        case helloSent(RelayHandshake)
        /// The session is open. A browser's session keeps its ``RelayHandshake``, since further pages of the browser
        /// repeat the handshake.
        case open(XFTPSessionParameters, Authorizer, RelayHandshake?)
        case closed
    }

    /// A command that the client is authorized to send.
    struct Request {
        let command: XFTPCommand
        let entityID: [UInt8]
        let corrID: [UInt8]
        /// The file of the command; nil for commands without a file.
        let commandFile: FileStore.CommandFile?
    }

    /// The result of the first block of a request: an answer, or a command to execute.
    enum BlockResult {
        /// The body of the answer, which may be empty.
        case answer([UInt8])
        case command(Request)
    }

    let relay: FileRelayContext
    let loop: LoopSessions
    private var phase = Phase.tlsHandshake
    private var context: ChannelHandlerContext?
    private var handshakeDeadline: Scheduled<Void>?
    private var openRequestCount = 0
    private(set) var isBrowserSession = false
    private var webHelloCount = 0
    private var unsentAnswerCount = 0
    /// The time of the last activity, in seconds since 1970.
    private var lastActivitySeconds = WallClock.seconds()

    init(relay: FileRelayContext, loop: LoopSessions) {
        self.relay = relay
        self.loop = loop
    }

    // MARK: Start and end of the channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        loop.addSession(self)
    }

    func handlerRemoved(context: ChannelHandlerContext) { endSession() }

    func channelInactive(context: ChannelHandlerContext) {
        endSession()
        context.fireChannelInactive()
    }

    private func endSession() {
        switch phase {
        case .closed: return
        case .open: break
        case .tlsHandshake, .awaitingHello, .helloSent: relay.counters.handshakesFailed.increment()
        }
        phase = .closed
        handshakeDeadline?.cancel()
        handshakeDeadline = nil
        loop.removeSession(self)
        context = nil
    }

    func closeChannel() { context?.close(promise: nil) }

    func closeIfIdle(since limit: Int64) {
        if openRequestCount == 0, lastActivitySeconds < limit { closeChannel() }
    }

    func didOpenRequest() {
        openRequestCount += 1
        relay.counters.openRequestCount.increment()
        lastActivitySeconds = WallClock.seconds()
    }

    func didCloseRequest() {
        openRequestCount -= 1
        relay.counters.openRequestCount.increment(-1)
        lastActivitySeconds = WallClock.seconds()
    }

    /// Counts an answer without a body until it is sent, because the flow control of HTTP/2 does not limit these
    /// answers. Too many waiting answers mean that the client reads nothing. Then this function closes the session and
    /// returns false.
    func beginAnswerWithoutBody() -> Bool {
        guard unsentAnswerCount < Self.maxUnsentAnswers else {
            closeChannel()
            return false
        }
        unsentAnswerCount += 1
        return true
    }

    func didAnswerWithoutBody() { unsentAnswerCount -= 1 }

    private static let maxUnsentAnswers = 1000

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Errors of peers are logged at debug level only.
        relay.logger.debug("A session ended.", metadata: ["error": "\(error)"])
        context.close(promise: nil)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted(let tls) = event as? TLSEvent { startHandshake(tls, context) }
        context.fireUserInboundEventTriggered(event)
    }

    /// Waits for a hello if the client is a browser or has agreed on the protocol in TLS. Any other client is old: its
    /// session opens immediately with the first protocol version.
    private func startHandshake(_ tls: TLSSession, _ context: ChannelHandlerContext) {
        isBrowserSession = tls.isBrowserSession
        guard tls.applicationProtocol == nil, !isBrowserSession else {
            phase = .awaitingHello(tls)
            let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
            handshakeDeadline = context.eventLoop.scheduleTask(
                in: .seconds(relay.configuration.handshakeTimeoutSeconds)
            ) {
                bound.value.closeChannel()
            }
            return
        }
        guard let key = try? X25519.PrivateKey() else { return context.close(promise: nil) }
        openSession(XFTPSessionParameters(version: .initial, sessionID: tls.channelBinding), key)
    }

    private func openSession(
        _ parameters: XFTPSessionParameters,
        _ key: X25519.PrivateKey,
        _ handshake: RelayHandshake? = nil
    ) {
        if case .open(_, let authorizer, _) = phase {
            // The session was already open, so another page of the browser has completed its handshake. The parameters
            // of this handshake replace the parameters of the previous page.
            phase = .open(parameters, authorizer, handshake)
            return
        }
        phase = .open(parameters, Authorizer(sessionKey: key), handshake)
        handshakeDeadline?.cancel()
        handshakeDeadline = nil
        relay.counters.sessionsCompleted.increment()
        if isBrowserSession { relay.counters.browserSessionsCompleted.increment() }
    }

    // MARK: Requests

    /// Processes the first block of a request, or the whole request if it is shorter than a block.
    /// - Parameter kind: the kind of a browser's request; `commandOrAnswer` for apps.
    func processBlock(_ body: [UInt8], _ kind: BrowserRequest) -> BlockResult {
        switch (phase, kind) {
        case (.tlsHandshake, _), (.closed, _): .answer([])
        case (.awaitingHello(let tls), .pageHello): .answer(answerWebHello(body, try? RelayHandshake(tls, relay)))
        case (.awaitingHello(let tls), _):
            .answer(tls.isBrowserSession ? Self.makeHandshakeError(.session) : answerAppHello(tls, body))
        case (.helloSent(let handshake), .pageHello), (.open(_, _, let handshake?), .pageHello):
            .answer(answerWebHello(body, handshake))
        case (.helloSent(let handshake), _), (.open(_, _, let handshake?), .pageHandshake):
            .answer(acceptHello(body, handshake))
        case (.open(let parameters, let authorizer, let handshake), _):
            // The request may end a handshake: pages older than the header `xftp-handshake` do not state the kind of a
            // request. The relay can tell the end of a handshake and a command apart, because they begin differently.
            if let handshake, handshake.isAnswerAwaited, acceptHello(body, handshake).isEmpty {
                .answer([])
            } else {
                processCommand(body, parameters, authorizer)
            }
        }
    }

    private func answerAppHello(_ tls: TLSSession, _ body: [UInt8]) -> [UInt8] {
        guard body.isEmpty else { return Self.makeHandshakeError(.handshake) }
        return answerHello(try? RelayHandshake(tls, relay)) { handshake in try handshake.makeHello() }
    }

    /// Answers the hello of a web page. One connection may have many pages, and each answer costs a signature. So the
    /// number of answers is limited.
    private func answerWebHello(_ body: [UInt8], _ handshake: RelayHandshake?) -> [UInt8] {
        webHelloCount += 1
        guard webHelloCount <= relay.configuration.maxWebHellos else {
            closeChannel()
            return []
        }
        do throws(XFTPServerError) {
            let hello = try XFTPWebHello(body: body)
            return answerHello(handshake) { handshake in try handshake.makeHello(hello) }
        } catch {
            return Self.makeHandshakeError(error)
        }
    }

    private func answerHello(_ handshake: RelayHandshake?, _ hello: (inout RelayHandshake) throws -> [UInt8]) -> [UInt8]
    {
        guard var handshake, let answer = try? hello(&handshake) else {
            relay.logger.error("A session key could not be made or signed.")
            return Self.makeHandshakeError(.internal)
        }
        // An open session stays open, so that commands of other pages of the browser continue.
        if case .open(let parameters, let authorizer, _) = phase {
            phase = .open(parameters, authorizer, handshake)
        } else {
            phase = .helloSent(handshake)
        }
        return answer
    }

    private func acceptHello(_ body: [UInt8], _ handshake: RelayHandshake) -> [UInt8] {
        var handshake = handshake
        do throws(XFTPServerError) {
            let parameters = try handshake.acceptHello(body)
            openSession(parameters, handshake.sessionKey, isBrowserSession ? handshake : nil)
            return []
        } catch {
            return Self.makeHandshakeError(error)
        }
    }

    /// Returns the answer to a refused hello: a block with only the text of the error.
    private static func makeHandshakeError(_ error: XFTPServerError) -> [UInt8] {
        (try? XFTPBlock.pad(Array(error.text.utf8))) ?? []
    }

    private func processCommand(
        _ body: [UInt8],
        _ parameters: XFTPSessionParameters,
        _ authorizer: Authorizer
    ) -> BlockResult {
        let received: ReceivedTransmission
        do throws(XFTPSessionParameters.Fault) { received = try parameters.parseTransmission(in: body) } catch {
            return .answer(encodeBlock(.err(error.error), entityID: [], corrID: error.corrID))
        }
        do throws(XFTPServerError) {
            let command = try received.parseFileCommand()
            let found = try authorize(received, command, authorizer)
            return .command(
                Request(command: command, entityID: received.entityID, corrID: received.corrID, commandFile: found)
            )
        } catch {
            return .answer(encodeBlock(.err(error), entityID: received.entityID, corrID: received.corrID))
        }
    }

    /// Encodes an answer as a block; empty when the session has ended.
    func encodeBlock(_ response: FileResponse, entityID: [UInt8], corrID: [UInt8]) -> [UInt8] {
        guard case .open(let parameters, _, _) = phase else { return [] }
        if case .err(.auth) = response { relay.counters.commandsRefusedAuth.increment() }
        return (try? parameters.encodeBlock(response, entityID: entityID, corrID: corrID)) ?? []
    }

    /// Returns the file of a command if the client is authorized. The check takes the same time for an unknown id and
    /// for the id of another client's file.
    private func authorize(
        _ received: ReceivedTransmission,
        _ command: XFTPCommand,
        _ authorizer: Authorizer
    ) throws(XFTPServerError) -> FileStore.CommandFile? {
        switch command {
        case .ping: return nil
        case .fnew(let file, _, _):
            guard authorizer.verifyAuthorization(received, key: file.senderKey) else { throw .auth }
            return nil
        case .fadd, .fput, .fdel, .fget, .fack:
            let isRecipient = command.isRecipientCommand
            let found = relay.store.findFile(received.entityID, isRecipient: isRecipient)
            guard authorizer.verifyAuthorization(received, key: found?.key), let found else { throw .auth }
            if let blocking = found.file.blocking { throw .blocked(blocking) }
            return found
        }
    }
}

extension XFTPCommand {
    fileprivate var isRecipientCommand: Bool {
        switch self {
        case .fget, .fack: true
        default: false
        }
    }
}

/// The last handler of a session's channel. It ignores HTTP/2 frames that belong to no stream. It closes the connection
/// at the first error that concerns more than one stream.
final class LastSessionHandler: ChannelInboundHandler {
    typealias InboundIn = Never

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {}

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if error is NIOHTTP2Errors.StreamError { return }
        context.close(promise: nil)
    }
}
