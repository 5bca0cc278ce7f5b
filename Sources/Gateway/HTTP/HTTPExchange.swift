internal import CMicrohttpd
internal import Synchronization

/// One request in the server: collects the body, suspends the connection, and sends the answer.
///
/// `@unchecked Sendable`: only the library's thread for the connection uses the fields outside of the mutex. Other
/// threads (`resume`) use the mutex, and their pointer belongs to a suspended connection, which the library does not
/// free.
final class HTTPExchange: @unchecked Sendable {
    private enum Phase {
        case reading(limit: Int, then: @Sendable (HTTPRequest) -> HTTPReply)
        case uploading(HTTPUpload, limit: Int64)
        case refused(HTTPResponse)
        case answering
    }

    private enum AnswerState {
        case none
        /// The body is read while it arrives, and no answer exists yet.
        case uploading(HTTPUpload)
        /// The answer exists before the whole body has arrived.
        case earlyAnswer(HTTPResponse)
        /// The answer is being made, and the connection is not suspended yet.
        case awaited
        case suspended
        case answerReady(HTTPResponse)
    }

    private let server: HTTPServer
    private let connection: OpaquePointer
    private var request: HTTPRequest
    private var phase: Phase
    private let startTime: Int64
    private var intake: BodyIntake
    private var status = 0
    /// Whether the server counts the request as unanswered.
    private var isCountedUnanswered = false
    /// Whether the body is chunked. Between chunks, the library accepts line ends that other programs refuse. So it
    /// might find a further request where other programs find none. Therefore nothing is read after such a body.
    private let isChunked: Bool
    /// The number of places for streams that this exchange uses.
    private var streamPlaces = 0
    /// The client that must read the answer: the id of its key; empty without a key.
    private var client = ""
    /// The answer, and its share of the memory limit, until the answer was sent.
    private var answer: (LibraryResponse, UnreadAnswers.Share?)?
    /// Called if the answer cannot be sent.
    private var onUnsent: (@Sendable () -> Void)?
    /// The number of bytes in the answer's content; nil if it is unknown.
    private var answerBytes: Int?
    /// Limits for reading after the answer, when the body was not read.
    private var lingerBounds: LingeringClose.Bounds?
    private let answerState = Mutex(AnswerState.none)
    /// The body, if it is read while it arrives.
    private var upload: HTTPUpload?
    /// Whether the exchange counts as an upload in the limit. It counts until its answer exists, even if the rest of
    /// the body arrives later.
    private let isUploadCounted = Atomic(false)
    private var uploadedBytes: Int64 = 0
    /// Bytes of the upload since the client's time limit was last renewed.
    private var unreportedBytes = 0
    /// Whether the library has not read from the client for a while.
    private var isPaused = false

    init(server: HTTPServer, connection: OpaquePointer, request: HTTPRequest) {
        self.server = server
        self.connection = connection
        self.request = request
        self.request.connection = HTTPServer.entry(of: connection)
        self.intake = BodyIntake(patience: 16 * server.configuration.maxBodyBytes)
        self.isChunked = request.header("transfer-encoding") != nil
        self.startTime = MonotonicClock.microseconds()
        self.phase = .answering
    }

    /// Handles the complete header of a request.
    /// - Parameter defect: the reason to refuse the request; nil to accept it.
    func handleHeader(_ defect: FramingDefect?) -> MHD_Result {
        HTTPServer.entry(of: connection)?.recordHeader()
        if let defect { return refuseEarly(server.service.malformedResponse(request, defect), .unauthenticated) }
        // A length too large for a number counts as too large.
        let declared = request.header("content-length").map { UInt64($0) ?? .max }
        switch server.service.admit(request) {
        case .refuse(let response):
            if isChunked || declared.map({ $0 > UInt64(server.configuration.maxBodyBytes) }) == true {
                return refuseEarly(response, .unauthenticated)
            }
            phase = .refused(response)
        case .read(let limit, let follows, let client, let then):
            if let declared, declared > UInt64(limit) {
                return refuseEarly(server.service.bodyTooLarge(request, limit: limit), .authenticated)
            }
            guard !server.limits.answers.isFull(client) else {
                phase = .refused(server.service.tooMuchUnread(request))
                return .YES
            }
            setClient(client)
            if follows {
                guard server.limits.streams.take() else {
                    phase = .refused(server.service.tooManyStreams(request))
                    return .YES
                }
                streamPlaces = 1
            }
            intake.maxBytes = limit
            phase = .reading(limit: limit, then: then)
        case .stream(let limit, let client, let then):
            if let declared, declared > UInt64(limit) {
                return refuseEarly(server.service.bodyTooLarge(request, limit: Int(limit)), .unauthenticated)
            }
            guard !server.limits.answers.isFull(client) else {
                return refuseEarly(server.service.tooMuchUnread(request), .unauthenticated)
            }
            guard server.limits.uploads.begin(client) else {
                return refuseEarly(server.service.tooManyUploads(request), .unauthenticated)
            }
            guard server.beginRequest() else {
                server.limits.uploads.end(client)
                return .NO
            }
            isCountedUnanswered = true
            isUploadCounted.store(true, ordering: .relaxed)
            setClient(client)
            let upload = HTTPUpload()
            self.upload = upload
            phase = .uploading(upload, limit: limit)
            HTTPServer.entry(of: connection)?.setUploading(true)
            answerState.withLock { $0 = .uploading(upload) }
            switch then(request, upload) {
            case .now(let response): resume(with: response)
            case .later(let work): Task { [self] in resume(with: await work()) }
            case .deferred(let register): register(HTTPResponder(exchange: self))
            }
        }
        return .YES
    }

    /// Records the client of an admitted request. The rest of a refused body of a client with a key is read within the
    /// same limit as after an early answer.
    private func setClient(_ client: String) {
        self.client = client
        guard !client.isEmpty else { return }
        intake.maxDroppedBytes = max(intake.maxDroppedBytes, LingeringClose.Bounds.authenticated.maxBytes)
    }

    /// Handles bytes of a body that is read while it arrives.
    private func receive(_ bytes: UnsafeRawBufferPointer, _ upload: HTTPUpload, limit: Int64) -> MHD_Result {
        uploadedBytes += Int64(bytes.count)
        if uploadedBytes > limit {
            upload.fail(.tooLarge)
            phase = .refused(server.service.bodyTooLarge(request, limit: Int(limit)))
            return receive(bytes)
        }
        let isAnswered = answerState.withLock { if case .earlyAnswer = $0 { true } else { false } }
        // If the request has its answer already, the rest of the body is dropped.
        if isAnswered { return intake.append(bytes, into: &request.body) ? .YES : .NO }
        unreportedBytes += bytes.count
        // After this progress, the time limit for the next bytes begins again.
        if isPaused || unreportedBytes > 64 << 10 {
            HTTPServer.entry(of: connection)?.startTimeLimit()
            unreportedBytes = 0
        }
        isPaused = upload.append(bytes, connection)
        return .YES
    }

    /// Handles bytes of the body.
    func receive(_ bytes: UnsafeRawBufferPointer) -> MHD_Result {
        if case .uploading(let upload, let limit) = phase { return receive(bytes, upload, limit: limit) }
        let mayContinue = intake.append(bytes, into: &request.body)
        if case .reading(let limit, _) = phase {
            if intake.isDropped {
                phase = .refused(server.service.bodyTooLarge(request, limit: limit))
            } else if !intake.countMemory(&request.body, of: client, in: server.limits.answers) {
                phase = .refused(server.service.tooMuchUnread(request))
            }
        }
        return mayContinue ? .YES : .NO
    }

    /// Continues when the request is complete, or its suspension has ended.
    func advance() -> MHD_Result {
        switch phase {
        case .refused(let response):
            phase = .answering
            return queueAnswer(response)
        case .reading(_, let then):
            phase = .answering
            guard server.beginRequest() else { return .NO }
            isCountedUnanswered = true
            request.body.join()
            intake.releaseMemory()
            let complete = request
            request.body = HTTPBody()
            request.headers = []
            request.query = []
            request.connection = nil
            return start(then(complete))
        case .uploading(let upload, _):
            phase = .answering
            HTTPServer.entry(of: connection)?.setUploading(false)
            upload.end()
            let early = answerState.withLock { wait -> HTTPResponse? in
                if case .earlyAnswer(let response) = wait {
                    wait = .none
                    return response
                }
                wait = .awaited
                return nil
            }
            if let early { return queueAnswer(early) }
            HTTPServer.entry(of: connection)?.stopTimeLimit()
            return .YES
        case .answering:
            return answerOrWait()
        }
    }

    private func answerOrWait() -> MHD_Result {
        let before = answerState.withLock { wait -> AnswerState in
            let before = wait
            switch wait {
            case .awaited: wait = .suspended
            case .answerReady: wait = .none
            case .none, .suspended, .uploading, .earlyAnswer: break
            }
            // This needs the lock, because a thread that resumes the connection must find it suspended.
            if case .awaited = before { MHD_suspend_connection(connection) }
            return before
        }
        switch before {
        case .answerReady(let response): return queueAnswer(response)
        case .awaited: return .YES
        case .none, .suspended, .uploading, .earlyAnswer: return .NO
        }
    }

    private func start(_ reply: HTTPReply) -> MHD_Result {
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

    /// Marks the connection for suspension in the library's next call, which follows immediately. In the present call,
    /// the library has not read yet. If the connection were suspended now, the library would read first after the
    /// resumption. A client that waits for its answer may have closed its direction of the socket. The library would
    /// then end the connection.
    private func waitForAnswer() {
        HTTPServer.entry(of: connection)?.stopTimeLimit()
        answerState.withLock { $0 = .awaited }
    }

    func resume(with response: HTTPResponse) {
        let before = answerState.withLock { wait -> AnswerState in
            let before = wait
            switch wait {
            case .awaited, .suspended: wait = .answerReady(response)
            case .uploading: wait = .earlyAnswer(response)
            case .none, .answerReady, .earlyAnswer: break
            }
            return before
        }
        endUploadCount()
        switch before {
        case .uploading(let upload): upload.fail(.alreadyAnswered)
        case .suspended: MHD_resume_connection(connection)
        case .none, .earlyAnswer, .awaited, .answerReady: break
        }
    }

    private func endUploadCount() {
        if isUploadCounted.exchange(false, ordering: .relaxed) { server.limits.uploads.end(client) }
    }

    /// Releases all resources of the request.
    /// - Parameter isSent: whether the whole answer was sent.
    func releaseResources(isSent: Bool) {
        answer = nil
        if !isSent {
            // If the connection has ended before the library asked for the answer, the function is still in the answer.
            if case .answerReady(let response) = answerState.withLock({ $0 }) { onUnsent = response.onUnsent }
            onUnsent?()
        }
        if let upload {
            HTTPServer.entry(of: connection)?.setUploading(false)
            upload.fail(.disconnected)
            endUploadCount()
        }
        for _ in 0..<streamPlaces { server.limits.streams.giveBack() }
        if isCountedUnanswered { server.endRequest() }
        if isSent, let lingerBounds {
            server.lingeringClose.keepReading(sxgw_connection_socket(connection), lingerBounds)
        }
        server.service.didFinish(
            FinishedRequest(
                request: request,
                status: status,
                microseconds: MonotonicClock.microseconds() - startTime,
                contentBytes: answerBytes
            )
        )
    }

    /// Answers before the body was read. The library closes the connection afterwards.
    private func refuseEarly(_ response: HTTPResponse, _ bounds: LingeringClose.Bounds) -> MHD_Result {
        phase = .answering
        lingerBounds = bounds
        return queueAnswer(response)
    }

    private func queueAnswer(_ response: HTTPResponse) -> MHD_Result {
        HTTPServer.entry(of: connection)?.stopTimeLimit()
        var response = response
        server.limits.answers.count(&response, of: client)
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
            // A prepared response is only for requests without a body, and a chunked request has one.
            guard !isChunked else { return nil }
            answerBytes = prepared.body.count
            return LibraryResponse(
                status: prepared.status,
                headers: prepared.headers + response.headers + own,
                body: prepared.body
            )
        case .bytes(let bytes):
            answerBytes = bytes.count
            let headers = response.headers + own + (isChunked ? [("Connection", "close")] : [])
            return LibraryResponse(status: response.status, headers: headers, body: SharedBytes(bytes))
        case .stream(let stream):
            stream.attach(connection)
            answerBytes = stream.length.map { Int(clamping: $0) }
            return LibraryResponse(status: response.status, headers: response.headers + own, stream: stream)
        case .upgrade(let handover):
            // The owner's duplicate of the socket needs one descriptor. Over TLS, the pair of sockets between which the
            // library decrypts needs two more.
            let more = request.isSecure ? 3 : 1
            // An upgraded connection takes as many places for streams as it has descriptors. Otherwise the streams
            // could leave too few descriptors for other requests.
            while streamPlaces <= more, server.limits.streams.take() { streamPlaces += 1 }
            guard let entry = HTTPServer.entry(of: connection), streamPlaces > more,
                server.limits.connections.take(more: more)
            else {
                return makeLibraryResponse(server.service.tooManyStreams(request))
            }
            entry.addDescriptors(more: more)
            entry.recordUpgrade()
            return server.upgradeResponse(headers: response.headers + own, handover: handover)
        }
    }
}
