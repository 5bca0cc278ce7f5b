internal import Clocks
internal import CMicrohttpd
internal import Synchronization

/// One request in the server: collects the body, suspends the connection, and sends the answer.
///
/// `@unchecked Sendable`: only the library's thread for the connection uses the fields outside of the mutexes. Other
/// threads use only the values in the mutexes, and resume only a suspended connection. The library does not free a
/// suspended connection.
final class HTTPExchange: @unchecked Sendable {
    private enum Phase {
        case reading(limit: Int, then: @Sendable (HTTPRequest) -> HTTPReply)
        case uploading(HTTPUpload, limit: Int64)
        case sendingRefusal(HTTPResponse)
        case answering
    }

    private enum AnswerState {
        case none
        /// The body is read while it arrives, and no answer exists yet.
        case uploading(HTTPUpload)
        /// The answer exists before the whole body has arrived.
        case earlyAnswer(HTTPResponse)
        /// The answer is being made, and the connection is not suspended yet.
        case awaitingAnswer
        case suspended
        case answerReady(HTTPResponse)
    }

    private let server: HTTPServer
    private let connection: OpaquePointer
    private var request: HTTPRequest
    private var phase: Phase
    private let startMicroseconds: Int64
    private var intake: BodyIntake
    private var status = 0
    /// Whether the server counts the request as unanswered.
    private var isCountedUnanswered = false
    /// Whether the body is chunked. Between chunks, the library accepts line ends that other programs refuse. So the
    /// library might find a further request where other programs find none. Therefore nothing is read after such a
    /// body.
    private let isBodyChunked: Bool
    /// The number of places in the limit of streams that this exchange uses.
    private var streamPlaceCount = 0
    /// The id of the key of the client that must read the answer; empty without a key.
    private var clientID = ""
    /// The answer, and its share of the memory limit, until the answer was sent.
    private var answer: (LibraryResponse, UnreadAnswers.Share?)?
    /// Called if the answer cannot be sent.
    private var onUnsent: (@Sendable () -> Void)?
    /// The number of bytes in the answer's content; nil if it is unknown.
    private var answerBytes: Int?
    /// Limits for reading the rest of the body, if the answer was sent before the whole body had arrived; nil for any
    /// other answer.
    private var lingerBounds: LingeringClose.Bounds?
    private let answerState = Mutex(AnswerState.none)
    /// The body, if it is read while it arrives; otherwise nil.
    private var upload: HTTPUpload?
    /// The client for which this exchange counts in the limit of uploads; nil if the exchange does not count. The
    /// exchange counts until its answer exists, even if the rest of the body arrives later.
    private let uploadClient = Mutex<String?>(nil)
    private var uploadedBytes: Int64 = 0
    /// Bytes of the upload since the client's time limit was last renewed.
    private var bytesSinceTimeLimitStart = 0
    /// Whether the connection was suspended when the last bytes of the upload arrived, because too many bytes wait for
    /// the reader.
    private var isUploadPaused = false

    init(server: HTTPServer, connection: OpaquePointer, request: HTTPRequest) {
        self.server = server
        self.connection = connection
        self.request = request
        self.request.connection = HTTPServer.findWatchEntry(of: connection)
        self.intake = BodyIntake(patience: 16 * server.configuration.maxBodyBytes)
        self.isBodyChunked = request.header("transfer-encoding") != nil
        self.startMicroseconds = MonotonicClock.microseconds()
        self.phase = .answering
    }

    /// Decides about a request after its header has arrived: refuses the request, or prepares the reading of the body.
    /// The work of an upload begins at once.
    /// - Parameter defect: the reason to refuse the request; nil to accept it.
    func handleHeader(_ defect: FramingDefect?) -> MHD_Result {
        HTTPServer.findWatchEntry(of: connection)?.recordRequestHeader()
        if let defect { return answerBeforeBody(server.service.malformedResponse(request, defect), .unauthenticated) }
        // A `Content-Length` that does not fit into `UInt64` counts as too large.
        let declared = request.header("content-length").map { UInt64($0) ?? .max }
        switch server.service.decideAdmission(request) {
        case .refuse(let response):
            if isBodyChunked || declared.map({ $0 > UInt64(server.configuration.maxBodyBytes) }) == true {
                return answerBeforeBody(response, .unauthenticated)
            }
            phase = .sendingRefusal(response)
        case .readBody(let limit, let follows, let client, let then):
            if let declared, declared > UInt64(limit) {
                return answerBeforeBody(server.service.bodyTooLargeResponse(request, limit: limit), .forClient(client))
            }
            guard !server.limits.answers.isFull(client) else {
                phase = .sendingRefusal(server.service.tooMuchUnreadResponse(request))
                return .YES
            }
            setClient(client)
            if follows {
                guard server.limits.streams.takeUnit() else {
                    phase = .sendingRefusal(server.service.tooManyStreamsResponse(request))
                    return .YES
                }
                streamPlaceCount = 1
            }
            intake.maxBytes = limit
            phase = .reading(limit: limit, then: then)
        case .readWhileArriving(let limit, let client, let then):
            let bounds = LingeringClose.Bounds.forClient(client)
            if let declared, declared > UInt64(limit) {
                return answerBeforeBody(server.service.bodyTooLargeResponse(request, limit: Int(limit)), bounds)
            }
            guard !server.limits.answers.isFull(client) else {
                return answerBeforeBody(server.service.tooMuchUnreadResponse(request), bounds)
            }
            guard server.limits.uploads.beginUpload(client) else {
                return answerBeforeBody(server.service.tooManyUploadsResponse(request), bounds)
            }
            guard server.beginRequest() else {
                server.limits.uploads.endUpload(client)
                return .NO
            }
            isCountedUnanswered = true
            uploadClient.withLock { $0 = client }
            setClient(client)
            let upload = HTTPUpload { [weak self] client in self?.moveUploadCount(to: client) ?? true }
            self.upload = upload
            phase = .uploading(upload, limit: limit)
            HTTPServer.findWatchEntry(of: connection)?.setUploading(true)
            answerState.withLock { $0 = .uploading(upload) }
            switch then(request, upload) {
            case .now(let response): resume(with: response)
            case .later(let work): Task { [self] in resume(with: await work()) }
            case .deferred(let register): register(HTTPResponder(exchange: self))
            }
        }
        return .YES
    }

    /// Records the client of an admitted request. If the body of a client with a key is refused later, up to
    /// ``LingeringClose/Bounds/authenticated`` bytes of the body are still read.
    private func setClient(_ client: String) {
        self.clientID = client
        guard !client.isEmpty else { return }
        intake.maxDroppedBytes = max(intake.maxDroppedBytes, LingeringClose.Bounds.authenticated.maxBytes)
    }

    /// Passes bytes of the body to the upload, or drops the bytes if the request already has its answer. If the body
    /// exceeds `limit`, ends the upload and prepares the refusal.
    private func handleBodyBytes(_ bytes: UnsafeRawBufferPointer, _ upload: HTTPUpload, limit: Int64) -> MHD_Result {
        uploadedBytes += Int64(bytes.count)
        if uploadedBytes > limit {
            upload.endWithFailure(.tooLarge)
            phase = .sendingRefusal(server.service.bodyTooLargeResponse(request, limit: Int(limit)))
            return handleBodyBytes(bytes)
        }
        let isAnswered = answerState.withLock { if case .earlyAnswer = $0 { true } else { false } }
        // If the request has its answer already, the rest of the body is dropped.
        if isAnswered { return intake.appendBytes(bytes, into: &request.body) ? .YES : .NO }
        bytesSinceTimeLimitStart += bytes.count
        // If the client has sent enough bytes, the time limit for the next bytes begins again.
        if isUploadPaused || bytesSinceTimeLimitStart > 64 << 10 {
            HTTPServer.findWatchEntry(of: connection)?.startTimeLimit()
            bytesSinceTimeLimitStart = 0
        }
        isUploadPaused = upload.appendBytes(bytes, connection)
        return .YES
    }

    /// Collects bytes of the body, or passes them to the upload. If the body exceeds a limit, prepares the refusal.
    /// - Returns: `.NO` to end the connection.
    func handleBodyBytes(_ bytes: UnsafeRawBufferPointer) -> MHD_Result {
        if case .uploading(let upload, let limit) = phase { return handleBodyBytes(bytes, upload, limit: limit) }
        let mayContinue = intake.appendBytes(bytes, into: &request.body)
        if case .reading(let limit, _) = phase {
            if intake.isDropped {
                phase = .sendingRefusal(server.service.bodyTooLargeResponse(request, limit: limit))
            } else if !intake.countMemory(&request.body, of: clientID, in: server.limits.answers) {
                phase = .sendingRefusal(server.service.tooMuchUnreadResponse(request))
            }
        }
        return mayContinue ? .YES : .NO
    }

    /// Continues the exchange after the whole request has arrived, or after the suspension of the connection has ended.
    func advancePhase() -> MHD_Result {
        switch phase {
        case .sendingRefusal(let response):
            phase = .answering
            return queueAnswer(response)
        case .reading(_, let then):
            phase = .answering
            guard server.beginRequest() else { return .NO }
            isCountedUnanswered = true
            request.body.joinBlocks()
            intake.releaseMemory()
            let complete = request
            request.body = HTTPBody()
            request.headers = []
            request.query = []
            request.connection = nil
            return startReply(then(complete))
        case .uploading(let upload, _):
            phase = .answering
            HTTPServer.findWatchEntry(of: connection)?.setUploading(false)
            upload.endBody()
            let early = answerState.withLock { wait -> HTTPResponse? in
                if case .earlyAnswer(let response) = wait {
                    wait = .none
                    return response
                }
                wait = .awaitingAnswer
                return nil
            }
            if let early { return queueAnswer(early) }
            HTTPServer.findWatchEntry(of: connection)?.stopTimeLimit()
            return .YES
        case .answering:
            return answerOrWait()
        }
    }

    private func answerOrWait() -> MHD_Result {
        let before = answerState.withLock { wait -> AnswerState in
            let before = wait
            switch wait {
            case .awaitingAnswer: wait = .suspended
            case .answerReady: wait = .none
            case .none, .suspended, .uploading, .earlyAnswer: break
            }
            // The connection is suspended under the lock. Otherwise another thread could resume the connection before
            // it is suspended.
            if case .awaitingAnswer = before { MHD_suspend_connection(connection) }
            return before
        }
        switch before {
        case .answerReady(let response): return queueAnswer(response)
        case .awaitingAnswer: return .YES
        case .none, .suspended, .uploading, .earlyAnswer: return .NO
        }
    }

    private func startReply(_ reply: HTTPReply) -> MHD_Result {
        switch reply {
        case .now(let response):
            return queueAnswer(response)
        case .later(let work):
            waitForAnswer()
            Task { [self] in resume(with: await work()) }
        case .deferred(let register):
            waitForAnswer()
            register(HTTPResponder(exchange: self))
        }
        return .YES
    }

    /// Marks the connection for suspension in the next callback of the library, which follows immediately. A suspension
    /// in the present callback would be too early: after the resumption, the library would first read from the client.
    /// A client that waits for its answer may have closed its direction of the socket. The library would then end the
    /// connection without an answer.
    private func waitForAnswer() {
        HTTPServer.findWatchEntry(of: connection)?.stopTimeLimit()
        answerState.withLock { $0 = .awaitingAnswer }
    }

    func resume(with response: HTTPResponse) {
        let before = answerState.withLock { wait -> AnswerState in
            let before = wait
            switch wait {
            case .awaitingAnswer, .suspended: wait = .answerReady(response)
            case .uploading: wait = .earlyAnswer(response)
            case .none, .answerReady, .earlyAnswer: break
            }
            return before
        }
        stopCountingUpload()
        switch before {
        case .uploading(let upload): upload.endWithFailure(.alreadyAnswered)
        case .suspended: MHD_resume_connection(connection)
        case .none, .earlyAnswer, .awaitingAnswer, .answerReady: break
        }
    }

    /// Counts the upload of this exchange for the given client, and no longer for the previous client.
    /// - Returns: false when the limit is reached for the client.
    private func moveUploadCount(to client: String) -> Bool {
        uploadClient.withLock { counted in
            guard let before = counted, before != client else { return true }
            guard server.limits.uploads.moveUpload(from: before, to: client) else { return false }
            counted = client
            return true
        }
    }

    private func stopCountingUpload() {
        uploadClient.withLock { client in
            if let client { server.limits.uploads.endUpload(client) }
            client = nil
        }
    }

    /// Ends the exchange: releases its resources, and reports the finished request to the service.
    /// - Parameter isSent: whether the whole answer was sent.
    func endExchange(isSent: Bool) {
        answer = nil
        if !isSent {
            // If the connection has ended before the library asked for the answer, `onUnsent` is still in the answer.
            if case .answerReady(let response) = answerState.withLock({ $0 }) { onUnsent = response.onUnsent }
            onUnsent?()
        }
        if let upload {
            HTTPServer.findWatchEntry(of: connection)?.setUploading(false)
            upload.endWithFailure(.disconnected)
            stopCountingUpload()
        }
        for _ in 0..<streamPlaceCount { server.limits.streams.returnUnit() }
        if isCountedUnanswered { server.endRequest() }
        if isSent, let lingerBounds {
            server.lingeringClose.drainDuplicate(of: sxgw_connection_socket(connection), lingerBounds)
        }
        server.service.didFinish(
            FinishedRequest(
                request: request,
                status: status,
                durationMicroseconds: MonotonicClock.microseconds() - startMicroseconds,
                contentBytes: answerBytes
            )
        )
    }

    /// Sends the answer before the body was read. The library closes the connection afterwards.
    private func answerBeforeBody(_ response: HTTPResponse, _ bounds: LingeringClose.Bounds) -> MHD_Result {
        phase = .answering
        lingerBounds = bounds
        return queueAnswer(response)
    }

    private func queueAnswer(_ response: HTTPResponse) -> MHD_Result {
        HTTPServer.findWatchEntry(of: connection)?.stopTimeLimit()
        var response = response
        server.limits.answers.countContent(&response, of: clientID)
        onUnsent = response.onUnsent
        guard let prepared = makeLibraryResponse(response) else { return .NO }
        status = prepared.status
        answer = (prepared, response.memoryShare)
        return MHD_queue_response(connection, UInt32(prepared.status), prepared.handle)
    }

    private func makeLibraryResponse(_ response: HTTPResponse) -> LibraryResponse? {
        let facts = request.trace.facts
        let own =
            [(name: RequestID.headerName, value: request.id)] + RequestQuota.headers(facts.quotas)
            + (facts.deprecation?.headers ?? [])
        switch response.content {
        case .prepared(let prepared):
            // A prepared response is only for requests without a body, and a chunked request has a body.
            guard !isBodyChunked else { return nil }
            answerBytes = prepared.body.count
            return LibraryResponse(
                status: prepared.status,
                headers: prepared.headers + response.headers + own,
                body: prepared.body
            )
        case .bytes(let bytes):
            answerBytes = bytes.count
            let headers = response.headers + own + (isBodyChunked ? [("Connection", "close")] : [])
            return LibraryResponse(status: response.status, headers: headers, body: SharedBytes(bytes))
        case .stream(let stream):
            stream.attach(connection)
            answerBytes = stream.contentLength.map { Int(clamping: $0) }
            return LibraryResponse(status: response.status, headers: response.headers + own, stream: stream)
        case .upgrade(let handover):
            // The new owner of the socket gets a duplicate, which needs one descriptor. Over TLS, the library decrypts
            // through a pair of sockets, which needs two more.
            let more = request.isSecure ? 3 : 1
            // An upgraded connection takes as many places for streams as it has descriptors. Otherwise the streams
            // could leave too few descriptors for other requests.
            while streamPlaceCount <= more, server.limits.streams.takeUnit() { streamPlaceCount += 1 }
            guard let entry = HTTPServer.findWatchEntry(of: connection), streamPlaceCount > more,
                server.limits.connections.takeDescriptors(more: more)
            else {
                return makeLibraryResponse(server.service.tooManyStreamsResponse(request))
            }
            entry.addDescriptors(more: more)
            entry.recordUpgrade()
            return server.makeUpgradeResponse(headers: response.headers + own, handover: handover)
        }
    }
}
