import NIOCore
import NIOHPACK
import NIOHTTP2
import RelayBase
import SMP
import SimpleXCrypto
import XFTP

/// One HTTP/2 stream, with a client's request and its answer. An upload is written as it arrives, and no faster than
/// the disk accepts it. A download is read as fast as the client accepts it.
final class RequestStream: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    enum State {
        /// The first block of the request is arriving.
        case receivingHead
        case upload(IncomingChunk)
        /// The client repeats the upload of a file that the relay already has. `count` bytes were received.
        case repeatedUpload(FileClientSession.Request, count: Int)
        /// A command is being executed. Further data from the client are ignored.
        case executing
        /// The answer was sent.
        case answered
        case closed
    }

    let session: FileClientSession
    var relay: FileRelayContext { session.relay }
    private(set) var context: ChannelHandlerContext?
    var state = State.receivingHead
    private var receivedBytes = ByteBuffer()
    /// Whether the whole request has arrived.
    private var hasReceivedRequest = false
    private var ignoredBytes = 0
    private var requestKind = BrowserRequest.commandOrAnswer
    private var timeoutTimer: Scheduled<Void>?

    /// Maximal number of ignored bytes that are read before the stream is closed. This limit is larger than the largest
    /// upload, since the relay may refuse a client in the middle of an upload.
    private static let maxIgnoredBytes = 8 << 20

    init(_ session: FileClientSession) { self.session = session }

    // MARK: Start and end of the stream

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        session.didOpenRequest()
        setTimeLimit(within: relay.configuration.requestTimeoutSeconds)
    }

    func channelInactive(context: ChannelHandlerContext) {
        endStream()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { endStream() }

    private func endStream() {
        guard context != nil else { return }
        context = nil
        timeoutTimer?.cancel()
        timeoutTimer = nil
        let last = state
        state = .closed
        if case .upload(let chunk) = last { chunk.abandonUpload() }
        session.didCloseRequest()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func closeStream() { context?.close(promise: nil) }

    /// Replaces the time limit of the request by `seconds` from now.
    func setTimeLimit(within seconds: Int64) {
        timeoutTimer?.cancel()
        guard let context else { return }
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        timeoutTimer = context.eventLoop.scheduleTask(in: .seconds(seconds)) { bound.value.didTimeOut() }
    }

    private func didTimeOut() {
        if case .upload(let chunk) = state { return chunk.failUpload(.timeout) }
        closeStream()
    }

    // MARK: Reading

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .headers(let frame):
            // Headers without a method are trailers, which can also end a request.
            if let method = frame.headers.first(name: ":method") {
                if session.isBrowserSession { requestKind = BrowserRequest(frame.headers) }
                if method != "POST" { return answerMethodOtherThanPost(method) }
            }
            if frame.endStream { didEndRequest() }
        case .data(let frame):
            if case .byteBuffer(let bytes) = frame.data { receiveBytes(bytes) }
            if frame.endStream { didEndRequest() }
        default: return
        }
    }

    /// Answers a request whose method is not POST. A browser's OPTIONS is answered as a preflight request, any other
    /// method with 405.
    private func answerMethodOtherThanPost(_ method: String) {
        state = .answered
        let isPreflight = session.isBrowserSession && method == "OPTIONS"
        answerWithoutBody(isPreflight ? BrowserRequest.preflightHeaders : makeHeaders(status: "405"))
    }

    private func receiveBytes(_ bytes: ByteBuffer) {
        var bytes = bytes
        switch state {
        case .receivingHead:
            receivedBytes.writeBuffer(&bytes)
            guard let block = receivedBytes.readBytes(length: XFTPBlock.size) else { return }
            let rest = receivedBytes
            receivedBytes = ByteBuffer()
            processBlock(block)
            if rest.readableBytes > 0 { receiveBytes(rest) }
        case .upload(let chunk): chunk.receiveBytes(bytes)
        case .repeatedUpload(let request, let count):
            state = .repeatedUpload(request, count: count + bytes.readableBytes)
        case .executing, .answered:
            ignoredBytes += bytes.readableBytes
            if ignoredBytes > Self.maxIgnoredBytes { closeStream() }
        case .closed: return
        }
    }

    private func didEndRequest() {
        guard !hasReceivedRequest else { return }
        hasReceivedRequest = true
        switch state {
        case .receivingHead: processBlock(Array(receivedBytes.readableBytesView))
        case .upload(let chunk): chunk.didReceiveAllBytes()
        case .repeatedUpload(let request, let count):
            let size = request.commandFile.map { Int($0.file.byteCount) }
            // The record of the first upload may not be on the disk yet. So the answer waits for the last record for
            // which an answer may wait.
            answerAfterCommit(
                count == size ? .ok : .err(.size),
                to: request,
                after: relay.store.log.lastAwaitedRecordNumber
            )
        case .executing, .answered, .closed: return
        }
    }

    private func processBlock(_ block: [UInt8]) {
        state = .executing
        switch session.processBlock(block, requestKind) {
        case .answer(let body): sendAnswer(body)
        case .command(let request): executeCommand(request)
        }
    }

    // MARK: Commands

    private func executeCommand(_ request: FileClientSession.Request) {
        do throws(XFTPServerError) {
            switch (request.command, request.commandFile) {
            case (.ping, _): answerAfterCommit(.pong, to: request)
            case (.fnew(let file, let recipients, let password), _):
                guard relay.password.permitsCreation(password) else { throw .auth }
                let made = try relay.store.createFile(file, recipients: recipients)
                relay.counters.filesCreated.increment()
                relay.counters.recipientsAdded.increment(recipients.count)
                answerAfterCommit(
                    .sids(senderID: made.senderID.bytes, recipientIDs: made.recipientIDs.map(\.bytes)),
                    to: request,
                    after: made.number
                )
            case (.fadd(let recipients), let found?):
                let made = try relay.store.addRecipients(recipients, to: found.id)
                relay.counters.recipientsAdded.increment(recipients.count)
                answerAfterCommit(.rids(recipientIDs: made.recipientIDs.map(\.bytes)), to: request, after: made.number)
            case (.fput, let found?): try beginUpload(found, request)
            case (.fdel, let found?):
                let number = try relay.store.deleteFile(found.id)
                relay.counters.filesDeleted.increment()
                relay.removeContents([found.id], after: number)
                answerAfterCommit(.ok, to: request, after: number)
            case (.fget(let key), let found?): try beginDownload(found, to: key, request)
            case (.fack, _):
                let number = try relay.store.acknowledgeFile(request.entityID)
                relay.counters.downloadsAcknowledged.increment()
                answerAfterCommit(.ok, to: request, after: number)
            default: throw .internal
            }
        } catch {
            answerAfterCommit(.err(error), to: request)
        }
    }

    private func beginUpload(
        _ found: FileStore.CommandFile,
        _ request: FileClientSession.Request
    ) throws(XFTPServerError) {
        // The answer to a complete upload may have been lost, and the client then repeats the upload. The relay reads
        // the repeated upload to its end and answers it. After a refusal, clients would repeat the upload forever.
        guard !found.file.isUploaded else {
            setTimeLimit(within: relay.configuration.uploadTimeoutSeconds)
            state = .repeatedUpload(request, count: 0)
            return
        }
        guard !hasReceivedRequest else { throw .size }
        do throws(XFTPServerError) { try relay.store.reserveSpace(found.file.byteCount) } catch {
            relay.counters.uploadsRefusedQuota.increment()
            throw error
        }
        setTimeLimit(within: relay.configuration.uploadTimeoutSeconds)
        let chunk = IncomingChunk(self, found, request)
        state = .upload(chunk)
        chunk.requestSlot()
    }

    private func beginDownload(
        _ found: FileStore.CommandFile,
        to key: X25519.PublicKey,
        _ request: FileClientSession.Request
    ) throws(XFTPServerError) {
        guard found.file.isUploaded else { throw .noFile }
        let nonce = BoxNonce.random()
        guard let ownKey = try? X25519.PrivateKey(), let secret = try? ownKey.sharedSecret(with: key) else {
            throw .internal
        }
        let download = ChunkDownload(
            relay.chunkFolder.filePath(found.id),
            size: found.file.byteCount,
            secret: secret,
            nonce: nonce
        )
        OutgoingChunk(
            self,
            download,
            size: found.file.byteCount,
            request,
            answer: .file(ownKey.publicKey, nonce: nonce)
        )
        .startReading()
    }

    // MARK: Answering

    /// Sends an answer when the log record with this number is on the disk.
    func answerAfterCommit(_ response: FileResponse, to request: FileClientSession.Request, after number: UInt64 = 0) {
        if case .closed = state { return }
        state = .executing
        session.loop.runAfterCommit(of: number, in: relay.store.log) {
            self.sendAnswer(self.session.encodeBlock(response, entityID: request.entityID, corrID: request.corrID))
        }
    }

    /// Sends a whole answer and flushes it.
    private func sendAnswer(_ body: [UInt8]) {
        guard let context else { return }
        state = .answered
        // The client may continue to send data, which is ignored until the time limit.
        setTimeLimit(within: relay.configuration.requestTimeoutSeconds)
        guard !body.isEmpty else { return answerWithoutBody(makeHeaders(status: "200")) }
        context.write(
            wrapOutboundOut(.headers(.init(headers: makeHeaders(status: "200"), endStream: false))),
            promise: nil
        )
        writeAnswerBytes(ByteBuffer(bytes: body), isLast: true)
        context.flush()
    }

    private func makeHeaders(status: String) -> HPACKHeaders {
        var headers: HPACKHeaders = [":status": status]
        if session.isBrowserSession { headers.add(contentsOf: BrowserRequest.answerHeaders) }
        return headers
    }

    private func answerWithoutBody(_ headers: HPACKHeaders) {
        guard let context, session.beginAnswerWithoutBody() else { return }
        let promise = context.eventLoop.makePromise(of: Void.self)
        let session = session
        promise.futureResult.assumeIsolated().whenComplete { _ in session.didAnswerWithoutBody() }
        context.writeAndFlush(wrapOutboundOut(.headers(.init(headers: headers, endStream: true))), promise: promise)
    }

    /// Sends the headers and the first block of an answer that is longer than a block.
    func beginAnswer(_ response: FileResponse, to request: FileClientSession.Request) {
        guard let context else { return }
        context.write(
            wrapOutboundOut(.headers(.init(headers: makeHeaders(status: "200"), endStream: false))),
            promise: nil
        )
        writeAnswerBytes(
            ByteBuffer(bytes: session.encodeBlock(response, entityID: request.entityID, corrID: request.corrID)),
            isLast: false
        )
    }

    /// Writes bytes of an answer.
    /// - Parameter sent: a function that is called on this event loop when the bytes are sent. It is not called if the
    ///   client has disconnected.
    func writeAnswerBytes(_ bytes: ByteBuffer, isLast: Bool, sent: (() -> Void)? = nil) {
        guard let context else { return }
        if isLast { state = .answered }
        let promise = sent.map { sent in
            let promise = context.eventLoop.makePromise(of: Void.self)
            promise.futureResult.assumeIsolated().whenSuccess(sent)
            return promise
        }
        context.write(wrapOutboundOut(.data(.init(data: .byteBuffer(bytes), endStream: isLast))), promise: promise)
    }

    func flush() { context?.flush() }

    /// Stops or resumes reading from the client.
    func setReading(_ isReading: Bool) {
        guard let context else { return }
        _ = context.channel.setOption(ChannelOptions.autoRead, value: isReading)
        if isReading { context.read() }
    }

    /// Runs `body` on a thread that may wait for the disk, and then passes its result to `then` on the event loop.
    func runOnDiskThread<T: Sendable>(
        _ body: @escaping @Sendable () throws(XFTPServerError) -> T,
        then: @escaping (Result<T, XFTPServerError>) -> Void
    ) {
        let eventLoop = session.loop.eventLoop
        let bound = NIOLoopBound(then, eventLoop: eventLoop)
        relay.diskThreads.submit { state in
            let result: Result<T, XFTPServerError>
            // A relay that is stopping cancels the tasks that have not begun. A cancelled task fails.
            if case .cancelled = state {
                result = .failure(.internal)
            } else {
                result = Result { () throws(XFTPServerError) in try body() }
            }
            eventLoop.execute { bound.value(result) }
        }
    }
}
