internal import JSON

/// An answer: status, header fields, and content.
package struct HTTPResponse: Sendable {
    package var status: Int
    package var headers: [(name: String, value: String)]
    package var content: HTTPContent
    /// The share of ``content`` in the memory that ``UnreadAnswers`` counts. It is kept until the content was sent. Nil
    /// if the content is not counted.
    var memoryShare: UnreadAnswers.Share?
    /// Called if the connection ends before the answer was sent. A client that disappears without closing its
    /// connection may lose an answer that counts as sent.
    var onUnsent: (@Sendable () -> Void)?

    package init(status: Int = 200, headers: [(name: String, value: String)] = [], content: HTTPContent = .bytes([])) {
        self.status = status
        self.headers = headers
        self.content = content
    }

    package init(status: Int = 200, json body: [UInt8]) {
        self.init(status: status, headers: [("Content-Type", "application/json")], content: .bytes(body))
    }

    package init(status: Int = 200, text: String, type: String = "text/plain; charset=utf-8") {
        self.init(status: status, headers: [("Content-Type", type)], content: .bytes(Array(text.utf8)))
    }

    /// Adds a member to a body that is a JSON object with at least one member.
    mutating func addMember(_ member: String, _ value: JSONValue) {
        guard case .bytes(var body) = content, body.last == UInt8(ascii: "}") else { return }
        body.removeLast()
        content = .bytes(body + Array(",\"\(member)\":".utf8) + value.encodeText() + [UInt8(ascii: "}")])
    }
}

/// The content after the header of a response.
package enum HTTPContent: Sendable {
    case bytes([UInt8])
    /// A response that is prepared once and sent to many connections. The prepared status replaces the status of the
    /// ``HTTPResponse``, and the prepared headers come before the headers of the ``HTTPResponse``.
    case prepared(PreparedResponse)
    /// Content that is written while the connection stays open.
    case stream(HTTPStream)
    /// The response has status 101. After its header was sent, the socket is passed to the function.
    case upgrade(@Sendable (UpgradedSocket) -> Void)
}

/// The ways in which a handler answers. Handlers are called on the HTTP library's threads and must not block.
package enum HTTPReply: Sendable {
    /// The response is ready, and is sent on the present thread.
    case now(HTTPResponse)
    /// The connection is suspended while the function makes the response.
    case later(@Sendable () async -> HTTPResponse)
    /// The connection is suspended until the responder gets a response. No task waits for the response.
    case deferred(@Sendable (HTTPResponder) -> Void)
}

/// The decision about a request, made when only its header was read.
package enum HTTPAdmission: Sendable {
    /// Sends the answer, and discards the body.
    case refuse(HTTPResponse)
    /// Reads the body up to `limit` bytes, then calls `then`. A larger body is answered with 413.
    /// - Parameters:
    ///   - isStreamOrPoll: whether the request is a stream or long poll, for which a separate limit applies.
    ///   - client: the id of the key of the client that must read the answer; empty without a key.
    case readBody(limit: Int, isStreamOrPoll: Bool, client: String, then: @Sendable (HTTPRequest) -> HTTPReply)
    /// Calls `then` at once, and reads the body up to `limit` bytes while it arrives. The answer is sent when the whole
    /// body has arrived.
    case readWhileArriving(limit: Int64, client: String, then: @Sendable (HTTPRequest, HTTPUpload) -> HTTPReply)
}

/// Decides about the requests of an HTTP server, and makes the answers.
package protocol HTTPService: Sendable {
    /// Decides about a request by its header. This function must not block.
    func decideAdmission(_ request: HTTPRequest) -> HTTPAdmission
    /// Makes the answer to a body above its limit.
    func bodyTooLargeResponse(_ request: HTTPRequest, limit: Int) -> HTTPResponse
    /// Makes the answer when the limit of streams is reached.
    func tooManyStreamsResponse(_ request: HTTPRequest) -> HTTPResponse
    /// Makes the answer when the limit of uploads is reached.
    func tooManyUploadsResponse(_ request: HTTPRequest) -> HTTPResponse
    /// Makes the answer to a client that does not read its answers.
    func tooMuchUnreadResponse(_ request: HTTPRequest) -> HTTPResponse
    /// Makes the answer to a request whose framing other programs may interpret differently.
    func malformedResponse(_ request: HTTPRequest, _ defect: FramingDefect) -> HTTPResponse
    /// Called when a request has ended, with or without an answer.
    func didFinish(_ finished: FinishedRequest)
}
