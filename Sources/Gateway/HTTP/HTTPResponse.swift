internal import JSON

/// An answer: status, header fields, and one of the ways to send content.
public struct HTTPResponse: Sendable {
    public var status: Int
    public var headers: [(name: String, value: String)]
    public var content: HTTPContent
    /// The share of the content among unread answers, until it was sent.
    var share: UnreadAnswers.Share?

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

    /// Adds a member to a body that is a JSON object with members.
    mutating func add(_ member: String, _ value: JSONValue) {
        guard case .bytes(var body) = content, body.last == UInt8(ascii: "}") else { return }
        body.removeLast()
        content = .bytes(body + Array(",\"\(member)\":".utf8) + value.encoded() + [UInt8(ascii: "}")])
    }

    /// Adds the target of a list's next part, as the member `next` and in the field `Link`.
    mutating func goOn(at target: String) {
        add("next", .string(target))
        headers.append(("Link", "<\(target)>; rel=\"next\""))
    }
}

/// The content after the header of a response.
public enum HTTPContent: Sendable {
    case bytes([UInt8])
    /// A response that is made once and sent to many connections. Its status replaces the status of the response, and
    /// its headers come before those of the response.
    case prepared(PreparedResponse)
    /// Content that is written while the connection is open.
    case stream(HTTPStream)
    /// Status 101: the socket is handed over after the header was sent.
    case upgrade(@Sendable (UpgradedSocket) -> Void)
}

/// The way in which a handler answers. Handlers are called on the HTTP library's threads and must not block.
public enum HTTPReply: Sendable {
    /// The response is ready, and is sent on the present thread.
    case now(HTTPResponse)
    /// The connection is suspended while the work runs elsewhere.
    case later(@Sendable () async -> HTTPResponse)
    /// The connection is suspended until the responder gets a response. A waiting request costs no task.
    case deferred(@Sendable (HTTPResponder) -> Void)
}

/// The decision about a request of which only the header was read.
public enum HTTPAdmission: Sendable {
    /// Answer without the body; the body is discarded.
    case refuse(HTTPResponse)
    /// Read the body up to `limit` bytes (a larger one gives 413), then continue.
    /// - Parameters:
    ///   - follows: whether the request is a stream or long poll. These have a separate limit.
    ///   - client: the client that must read the answer: the id of its key, empty without a key.
    case read(limit: Int, follows: Bool, client: String, then: @Sendable (HTTPRequest) -> HTTPReply)
    /// Begin at once, and read the body up to `limit` bytes while it arrives. The answer is sent when all of it has
    /// arrived.
    case stream(limit: Int64, client: String, then: @Sendable (HTTPRequest, HTTPUpload) -> HTTPReply)
}

/// Answers requests.
public protocol HTTPService: Sendable {
    /// Called with the header of each request; must not block.
    func admit(_ request: HTTPRequest) -> HTTPAdmission
    /// The answer to a body over its limit.
    func bodyTooLarge(_ request: HTTPRequest, limit: Int) -> HTTPResponse
    /// The answer when there is no room for another stream.
    func noRoom(_ request: HTTPRequest) -> HTTPResponse
    /// The answer when there is no room for another upload.
    func noRoomForUpload(_ request: HTTPRequest) -> HTTPResponse
    /// The answer to a request of a client that does not read its answers.
    func tooMuchUnread(_ request: HTTPRequest) -> HTTPResponse
    /// The answer to a request whose framing other programs may interpret differently.
    func malformed(_ request: HTTPRequest, _ defect: FramingDefect) -> HTTPResponse
    /// Called when a request has been answered.
    func finished(_ finished: FinishedRequest)
}
