internal import CMicrohttpd
internal import Synchronization

/// One request on its way through the server: body collection, suspension, answer.
///
/// `@unchecked Sendable`: the fields outside of the mutex are touched only by the library's thread that owns the connection;
/// what other threads do (`resume`) goes through the mutex, and the pointer they use is that of a suspended connection,
/// which the library does not free.
final class HTTPExchange: @unchecked Sendable {
    private enum Phase {
        case reading(limit: Int, then: @Sendable (HTTPRequest) -> HTTPReply)
        case refused(HTTPResponse)
        case answering
    }

    private enum Wait {
        case none
        case suspended
        case ready(HTTPResponse)
    }

    private let server: HTTPServer
    private let connection: OpaquePointer
    private var request: HTTPRequest
    private var phase: Phase
    private let method: String
    private let started: Int64
    private var intake: BodyIntake
    private var status = 0
    private var isComplete = false
    private let wait = Mutex(Wait.none)

    init(server: HTTPServer, connection: OpaquePointer, request: HTTPRequest) {
        self.server = server
        self.connection = connection
        self.request = request
        self.method = request.method
        self.intake = BodyIntake(patience: 16 * server.configuration.bodyLimit)
        self.started = MonotonicClock.microseconds()
        self.phase = .answering
    }

    /// The header is complete.
    func begin() -> MHD_Result {
        let declared = request.header("content-length").flatMap { UInt64($0) }
        if request.header("content-length") != nil, request.header("transfer-encoding") != nil {
            var problem = ProblemDetails(.malformedRequest, "A body has a length or comes in chunks, not both.")
            problem.headers = [("Connection", "close")]
            return refuseEarly(problem.response(for: request))
        }
        switch server.service.admit(request) {
        case .refuse(let response):
            if let declared, declared > UInt64(server.configuration.bodyLimit) { return refuseEarly(response) }
            phase = .refused(response)
        case .read(let limit, let then):
            if let declared, declared > UInt64(limit) {
                return refuseEarly(server.service.bodyTooLarge(request, limit: limit))
            }
            intake.limit = limit
            phase = .reading(limit: limit, then: then)
        }
        return .YES
    }

    /// Some of the body.
    func receive(_ bytes: UnsafeRawBufferPointer) -> MHD_Result {
        let goesOn = intake.take(bytes, into: &request.body)
        if case .reading(let limit, _) = phase, intake.isOver { phase = .refused(server.service.bodyTooLarge(request, limit: limit)) }
        return goesOn ? .YES : .NO
    }

    /// The request is complete, or its suspension has ended.
    func advance() -> MHD_Result {
        switch phase {
        case .refused(let response):
            phase = .answering
            return queue(response)
        case .reading(_, let then):
            phase = .answering
            isComplete = true
            server.unansweredRequests(1)
            let complete = request
            request.body = HTTPBody()
            request.headers = []
            request.query = []
            return start(then(complete))
        case .answering:
            let response = wait.withLock { wait -> HTTPResponse? in
                guard case .ready(let response) = wait else { return nil }
                wait = .none
                return response
            }
            guard let response else { return .NO }
            return queue(response)
        }
    }

    private func start(_ reply: HTTPReply) -> MHD_Result {
        switch reply {
        case .now(let response):
            return queue(response)
        case .later(let work):
            suspend()
            Task { [self] in resume(with: await work()) }
        case .deferred(let register):
            suspend()
            register(HTTPResponder(exchange: self))
        }
        return .YES
    }

    private func suspend() {
        HTTPServer.entry(of: connection)?.answering()
        wait.withLock { $0 = .suspended }
        server.suspended(1)
        MHD_suspend_connection(connection)
    }

    func resume(with response: HTTPResponse) {
        let first = wait.withLock { wait -> Bool in
            guard case .suspended = wait else { return false }
            wait = .ready(response)
            return true
        }
        guard first else { return }
        MHD_resume_connection(connection)
        server.suspended(-1)
    }

    func completed() {
        if isComplete { server.unansweredRequests(-1) }
        server.service.finished(
            method: method, status: status, microseconds: MonotonicClock.microseconds() - started)
    }

    /// Answers before the body was read; the library closes the connection after that.
    private func refuseEarly(_ response: HTTPResponse) -> MHD_Result {
        phase = .answering
        server.lingering.keepReading(sxgw_connection_socket(connection), isTLS: request.isSecure)
        return queue(response)
    }

    private func queue(_ response: HTTPResponse) -> MHD_Result {
        HTTPServer.entry(of: connection)?.answering()
        guard let prepared = prepare(response) else { return .NO }
        status = prepared.status
        return MHD_queue_response(connection, UInt32(prepared.status), prepared.handle)
    }

    private func prepare(_ response: HTTPResponse) -> PreparedResponse? {
        switch response.content {
        case .prepared(let prepared):
            return prepared
        case .bytes(let bytes):
            return PreparedResponse(status: response.status, headers: response.headers, body: bytes)
        case .stream(let stream):
            stream.attach(connection)
            return PreparedResponse(status: response.status, headers: response.headers, stream: stream)
        case .upgrade(let handover):
            HTTPServer.entry(of: connection)?.upgraded()
            return server.upgradeResponse(headers: response.headers, handover: handover)
        }
    }
}
