/// An answer: status, header fields, and one of the ways to send content.
public struct HTTPResponse: Sendable {
    public var status: Int
    public var headers: [(name: String, value: String)]
    public var content: HTTPContent

    public init(status: Int = 200, headers: [(name: String, value: String)] = [], content: HTTPContent = .bytes([])) {
        self.status = status
        self.headers = headers
        self.content = content
    }

    public init(status: Int = 200, json body: [UInt8]) {
        self.init(status: status, headers: [("Content-Type", "application/json")], content: .bytes(body))
    }

    public init(status: Int = 200, text: String, type: String = "text/plain; charset=utf-8") {
        self.init(status: status, headers: [("Content-Type", type)], content: .bytes(Array(text.utf8)))
    }
}

public enum HTTPContent: Sendable {
    case bytes([UInt8])
    /// A response made once and sent to many connections; its own status and headers are used.
    case prepared(PreparedResponse)
    /// Content of unknown length, written while the connection is open.
    case stream(HTTPStream)
    /// Status 101: the socket is handed over when the header was sent.
    case upgrade(@Sendable (UpgradedSocket) -> Void)
}

/// How a handler answers. Handlers are called on the HTTP library's threads and must not block.
public enum HTTPReply: Sendable {
    /// Ready at once: no thread is changed.
    case now(HTTPResponse)
    /// The connection is suspended while the work runs elsewhere.
    case later(@Sendable () async -> HTTPResponse)
    /// The connection is suspended until the responder is given a response. Costs no task while waiting.
    case deferred(@Sendable (HTTPResponder) -> Void)
}

/// What to do with a request of which only the header was read.
public enum HTTPAdmission: Sendable {
    /// Answered without the body: what there is of it is thrown away.
    case refuse(HTTPResponse)
    /// Read the body up to `limit` bytes (more gives 413), then go on.
    /// - Parameter follows: whether the request stays to wait for something; there are fewer places for those.
    case read(limit: Int, follows: Bool, then: @Sendable (HTTPRequest) -> HTTPReply)
}

/// Answers requests.
public protocol HTTPService: Sendable {
    /// Called with the header of each request; must not block.
    func admit(_ request: HTTPRequest) -> HTTPAdmission
    /// The answer to a body over its limit.
    func bodyTooLarge(_ request: HTTPRequest, limit: Int) -> HTTPResponse
    /// The answer when there is no room for what the request wants to stay for.
    func noRoom(_ request: HTTPRequest) -> HTTPResponse
    /// The answer to a request whose framing others may read otherwise.
    func malformed(_ request: HTTPRequest, _ defect: FramingDefect) -> HTTPResponse
    /// Called when a request has been answered, with its duration in microseconds.
    func finished(method: String, status: Int, microseconds: Int64)
}
