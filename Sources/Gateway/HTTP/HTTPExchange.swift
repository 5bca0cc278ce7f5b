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

    private enum Wait {
        case none
        /// The body is read while it arrives, and no answer exists yet.
        case uploading(HTTPUpload)
        /// The answer exists before the whole body has arrived.
        case early(HTTPResponse)
        /// The answer is being made, and the connection is not suspended yet.
        case begun
        case suspended
        case ready(HTTPResponse)
    }

    private let server: HTTPServer
    private let connection: OpaquePointer
    private var request: HTTPRequest
    private var phase: Phase
    private let started: Int64
    private var intake: BodyIntake
    private var status = 0
    /// Whether the server counts the request as unanswered.
    private var isComplete = false
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
    private var unsent: (@Sendable () -> Void)?
    /// The number of bytes in the answer's content; nil if it is unknown.
    private var answered: Int?
    /// Limits for reading after the answer, when the body was not read.
    private var lingering: LingeringClose.Bounds?
    private let wait = Mutex(Wait.none)
    /// The body, if it is read while it arrives.
    private var upload: HTTPUpload?
    /// Whether the exchange counts as an upload in the limit. It counts until its answer exists, even if the rest of
    /// the body arrives later.
    private let isUploadCounted = Atomic(false)
    private var uploaded: Int64 = 0
    /// Bytes of the upload since the client's time limit was last renewed.
    private var progress = 0
    /// Whether the library has not read from the client for a while.
    private var isPaused = false

    init(server: HTTPServer, connection: OpaquePointer, request: HTTPRequest) {
        self.server = server
        self.connection = connection
        self.request = request
        self.request.connection = HTTPServer.entry(of: connection)
        self.intake = BodyIntake(patience: 16 * server.configuration.bodyLimit)
        self.isChunked = request.header("transfer-encoding") != nil
        self.started = MonotonicClock.microseconds()
        self.phase = .answering
    }

    /// Handles the complete header of a request.
    /// - Parameter defect: the reason to refuse the request; nil to accept it.
    func begin(_ defect: FramingDefect?) -> MHD_Result {
        HTTPServer.entry(of: connection)?.headerArrived()
        if let defect { return refuseEarly(server.service.malformed(request, defect), .anybody) }
        // A length too large for a number counts as too large.
        let declared = request.header("content-length").map { UInt64($0) ?? .max }
        switch server.service.admit(request) {
        case .refuse(let response):
            if isChunked || declared.map({ $0 > UInt64(server.configuration.bodyLimit) }) == true {
                return refuseEarly(response, .anybody)
            }
            phase = .refused(response)
        case .read(let limit, let follows, let client, let then):
            if let declared, declared > UInt64(limit) {
                return refuseEarly(server.service.bodyTooLarge(request, limit: limit), .admitted)
            }
            guard !server.limits.answers.isFull(client) else {
                phase = .refused(server.service.tooMuchUnread(request))
                return .YES
            }
            self.client = client
            if follows {
                guard server.limits.streams.take() else {
                    phase = .refused(server.service.tooManyStreams(request))
                    return .YES
                }
                streamPlaces = 1
            }
            intake.limit = limit
            phase = .reading(limit: limit, then: then)
        case .stream(let limit, let client, let then):
            if let declared, declared > UInt64(limit) {
                return refuseEarly(server.service.bodyTooLarge(request, limit: Int(limit)), .anybody)
            }
            guard !server.limits.answers.isFull(client) else {
                return refuseEarly(server.service.tooMuchUnread(request), .anybody)
            }
            guard server.limits.uploads.begin(client) else {
                return refuseEarly(server.service.tooManyUploads(request), .anybody)
            }
            guard server.requestBegun() else {
                server.limits.uploads.end(client)
                return .NO
            }
            isComplete = true
            isUploadCounted.store(true, ordering: .relaxed)
            self.client = client
            let upload = HTTPUpload()
            self.upload = upload
            phase = .uploading(upload, limit: limit)
            HTTPServer.entry(of: connection)?.setUploading(true)
            wait.withLock { $0 = .uploading(upload) }
            switch then(request, upload) {
            case .now(let response): resume(with: response)
            case .later(let work): Task { [self] in resume(with: await work()) }
            case .deferred(let register): register(HTTPResponder(exchange: self))
            }
        }
        return .YES
    }

    /// Handles bytes of a body that is read while it arrives.
    private func receive(_ bytes: UnsafeRawBufferPointer, _ upload: HTTPUpload, limit: Int64) -> MHD_Result {
        uploaded += Int64(bytes.count)
        if uploaded > limit {
            upload.fail(.tooLarge)
            phase = .refused(server.service.bodyTooLarge(request, limit: Int(limit)))
            return receive(bytes)
        }
        let isAnswered = wait.withLock { if case .early = $0 { true } else { false } }
        // If the request has its answer already, the rest of the body is dropped.
        if isAnswered { return intake.append(bytes, into: &request.body) ? .YES : .NO }
        progress += bytes.count
        // After this progress, the time limit for the next bytes begins again.
        if isPaused || progress > 64 << 10 {
            HTTPServer.entry(of: connection)?.waiting()
            progress = 0
        }
        isPaused = upload.append(bytes, connection)
        return .YES
    }

    /// Handles bytes of the body.
    func receive(_ bytes: UnsafeRawBufferPointer) -> MHD_Result {
        if case .uploading(let upload, let limit) = phase { return receive(bytes, upload, limit: limit) }
        let mayContinue = intake.append(bytes, into: &request.body)
        if case .reading(let limit, _) = phase {
            if intake.isOver {
                phase = .refused(server.service.bodyTooLarge(request, limit: limit))
            } else if !intake.count(&request.body, of: client, in: server.limits.answers) {
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
            return queue(response)
        case .reading(_, let then):
            phase = .answering
            guard server.requestBegun() else { return .NO }
            isComplete = true
            request.body.join()
            intake.clear()
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
            let early = wait.withLock { wait -> HTTPResponse? in
                if case .early(let response) = wait {
                    wait = .none
                    return response
                }
                wait = .begun
                return nil
            }
            if let early { return queue(early) }
            HTTPServer.entry(of: connection)?.stopTimeLimit()
            return .YES
        case .answering:
            return answerOrWait()
        }
    }

    private func answerOrWait() -> MHD_Result {
        let before = wait.withLock { wait -> Wait in
            let before = wait
            switch wait {
            case .begun: wait = .suspended
            case .ready: wait = .none
            case .none, .suspended, .uploading, .early: break
            }
            // This needs the lock, because a thread that resumes the connection must find it suspended.
            if case .begun = before { MHD_suspend_connection(connection) }
            return before
        }
        switch before {
        case .ready(let response): return queue(response)
        case .begun: return .YES
        case .none, .suspended, .uploading, .early: return .NO
        }
    }

    private func start(_ reply: HTTPReply) -> MHD_Result {
        switch reply {
        case .now(let response):
            return queue(response)
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
        wait.withLock { $0 = .begun }
    }

    func resume(with response: HTTPResponse) {
        let before = wait.withLock { wait -> Wait in
            let before = wait
            switch wait {
            case .begun, .suspended: wait = .ready(response)
            case .uploading: wait = .early(response)
            case .none, .ready, .early: break
            }
            return before
        }
        leavePlace()
        switch before {
        case .uploading(let upload): upload.fail(.answered)
        case .suspended: MHD_resume_connection(connection)
        case .none, .early, .begun, .ready: break
        }
    }

    private func leavePlace() {
        if isUploadCounted.exchange(false, ordering: .relaxed) { server.limits.uploads.end(client) }
    }

    /// Releases all resources of the request.
    /// - Parameter isSent: whether the whole answer was sent.
    func completed(isSent: Bool) {
        answer = nil
        if !isSent {
            // If the connection has ended before the library asked for the answer, the function is still in the answer.
            if case .ready(let response) = wait.withLock({ $0 }) { unsent = response.unsent }
            unsent?()
        }
        if let upload {
            HTTPServer.entry(of: connection)?.setUploading(false)
            upload.fail(.disconnected)
            leavePlace()
        }
        for _ in 0..<streamPlaces { server.limits.streams.giveBack() }
        if isComplete { server.requestEnded() }
        if isSent, let lingering { server.lingering.keepReading(sxgw_connection_socket(connection), lingering) }
        server.service.finished(
            FinishedRequest(
                request: request,
                status: status,
                microseconds: MonotonicClock.microseconds() - started,
                bytes: answered
            )
        )
    }

    /// Answers before the body was read. The library closes the connection afterwards.
    private func refuseEarly(_ response: HTTPResponse, _ bounds: LingeringClose.Bounds) -> MHD_Result {
        phase = .answering
        lingering = bounds
        return queue(response)
    }

    private func queue(_ response: HTTPResponse) -> MHD_Result {
        HTTPServer.entry(of: connection)?.stopTimeLimit()
        var response = response
        server.limits.answers.count(&response, of: client)
        unsent = response.unsent
        guard let prepared = prepare(response) else { return .NO }
        status = prepared.status
        answer = (prepared, response.share)
        return MHD_queue_response(connection, UInt32(prepared.status), prepared.handle)
    }

    private func prepare(_ response: HTTPResponse) -> LibraryResponse? {
        let facts = request.trace.facts
        let own =
            [(name: RequestID.header, value: request.id)] + RequestQuota.headers(facts.quotas)
            + (facts.deprecation?.headers ?? [])
        switch response.content {
        case .prepared(let prepared):
            // A prepared response is only for requests without a body, and a chunked request has one.
            guard !isChunked else { return nil }
            answered = prepared.body.count
            return LibraryResponse(
                status: prepared.status,
                headers: prepared.headers + response.headers + own,
                body: prepared.body
            )
        case .bytes(let bytes):
            answered = bytes.count
            let headers = response.headers + own + (isChunked ? [("Connection", "close")] : [])
            return LibraryResponse(status: response.status, headers: headers, body: SharedBytes(bytes))
        case .stream(let stream):
            stream.attach(connection)
            answered = stream.length.map { Int(clamping: $0) }
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
                return prepare(server.service.tooManyStreams(request))
            }
            entry.addDescriptors(more: more)
            entry.upgraded()
            return server.upgradeResponse(headers: response.headers + own, handover: handover)
        }
    }
}
