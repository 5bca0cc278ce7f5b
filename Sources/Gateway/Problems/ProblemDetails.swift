internal import JSON

/// The body of an error answer, by RFC 9457: `application/problem+json`.
package struct ProblemDetails: Error, Sendable {
    package var code: Code
    /// An explanation for people. It contains no secrets.
    package var detail: String
    package var requestId: String?
    /// The core's own error as JSON; nil for a problem without such an error.
    var chatError: JSONValue?
    package var headers: [(name: String, value: String)] = []
    /// The faults of single values of the request, as far as they are known.
    var faults: [Fault] = []
    /// Additional members of the body.
    var extraMembers: [(name: String, value: JSONValue)] = []
    var statusOverride: Int?

    /// The codes by which programs distinguish problems. The names are part of the interface.
    package enum Code: String, Sendable, CaseIterable {
        case malformedRequest, malformedBody, unknownMember, invalidParameter, unknownParameter, invalidCursor,
            unauthorized, forbidden, wrongOrigin, notFound, unknownRoute
        case methodNotAllowed, conflict, requestInProgress, notHandedOut, cursorExpired, preconditionFailed,
            bodyTooLarge, unsupportedMediaType, wrongHost
        case invalidValue, idempotencyKeyReused, tooManyRequests, internalError, operationInterrupted, notImplemented,
            relayUnreachable
        case unavailable, storeLocked, wrongPassphrase, relayTimeout, storageFull, quotaExceeded, chatError,
            pageUnreadable, pageTimeout

        package var status: Int {
            switch self {
            case .malformedRequest, .malformedBody, .unknownMember, .invalidParameter, .unknownParameter,
                .invalidCursor:
                400
            case .unauthorized: 401
            case .forbidden, .wrongOrigin, .wrongPassphrase: 403
            case .notFound, .unknownRoute: 404
            case .methodNotAllowed: 405
            case .conflict, .requestInProgress, .notHandedOut: 409
            case .cursorExpired: 410
            case .preconditionFailed: 412
            case .bodyTooLarge: 413
            case .unsupportedMediaType: 415
            case .wrongHost: 421
            case .invalidValue, .idempotencyKeyReused, .chatError: 422
            case .tooManyRequests: 429
            case .internalError, .operationInterrupted: 500
            case .notImplemented: 501
            case .relayUnreachable, .pageUnreadable: 502
            case .unavailable, .storeLocked: 503
            case .relayTimeout, .pageTimeout: 504
            case .storageFull, .quotaExceeded: 507
            }
        }

        /// Seconds after which a client may try again, if the problem has no own `Retry-After`.
        var defaultRetrySeconds: Int64 {
            switch self {
            // Somebody must unlock the store first, so a client waits longer before its next attempt.
            case .storeLocked: 5
            default: 2
            }
        }

        var title: String {
            switch self {
            case .malformedRequest: "The request is malformed"
            case .malformedBody: "The body is not valid for this route"
            case .unknownMember: "The route does not know a member of the body"
            case .invalidParameter: "A parameter is malformed"
            case .unknownParameter: "The route does not know a parameter"
            case .invalidCursor: "The cursor does not belong to this list"
            case .unauthorized: "A valid key is required"
            case .forbidden: "The key does not allow this"
            case .wrongOrigin: "Requests from this origin are not allowed"
            case .notFound: "Not found"
            case .unknownRoute: "There is no such route"
            case .methodNotAllowed: "The route does not take this method"
            case .conflict: "Not possible in the present state"
            case .requestInProgress: "A request with this idempotency key is in progress"
            case .notHandedOut: "The event is not handed out"
            case .cursorExpired: "Events after this cursor are no longer kept"
            case .preconditionFailed: "The resource has changed"
            case .bodyTooLarge: "The body is too large"
            case .unsupportedMediaType: "The body must be JSON"
            case .wrongHost: "This server does not answer for this host name"
            case .invalidValue: "A value is not acceptable"
            case .idempotencyKeyReused: "The idempotency key was used for another request"
            case .tooManyRequests: "Too many requests"
            case .internalError: "Internal error"
            case .operationInterrupted: "The gateway ended during the operation"
            case .notImplemented: "Not implemented"
            case .relayUnreachable: "A relay or another device cannot be reached"
            case .storageFull: "There is no room on the disk"
            case .quotaExceeded: "The store has reached its limit"
            case .unavailable: "Not available now"
            case .storeLocked: "The store is locked"
            case .wrongPassphrase: "The passphrase is wrong"
            case .relayTimeout: "A relay or another device did not answer in time"
            case .chatError: "The core refused the command"
            case .pageUnreadable: "The page cannot be read"
            case .pageTimeout: "The page did not come in time"
            }
        }
    }

    package init(_ code: Code, _ detail: String = "") {
        self.code = code
        self.detail = detail
    }

    init(_ code: Code, _ detail: String, chatError: JSONValue, status: Int? = nil) {
        self.code = code
        self.detail = detail
        self.chatError = chatError
        self.statusOverride = status
    }

    /// Returns the anchor of a problem code in the page `/docs`: the fragment of the address of the code's entry.
    static func makeAnchor(of code: String) -> String { "problem-\(code)" }

    package var status: Int { statusOverride ?? code.status }

    var json: JSONValue {
        var object = JSONObject()
        object["type"] = .string("/docs#\(Self.makeAnchor(of: code.rawValue))")
        object["title"] = .string(code.title)
        object["status"] = .integer(Int64(status))
        if !detail.isEmpty { object["detail"] = .string(detail) }
        object["code"] = .string(code.rawValue)
        if let requestId { object["requestId"] = .string(requestId) }
        if !faults.isEmpty { object["errors"] = .array(faults.map(\.json)) }
        if let chatError { object["chatError"] = chatError }
        for member in extraMembers { object[member.name] = member.value }
        return .object(object)
    }

    /// Makes the HTTP response with this problem as its body.
    package func response(for request: HTTPRequest) -> HTTPResponse { response(requestId: request.id) }

    func response(requestId: String) -> HTTPResponse {
        var problem = self
        problem.requestId = requestId
        var headers = self.headers
        if [429, 503].contains(status), !headers.contains(where: { $0.name == "Retry-After" }) {
            headers.append(("Retry-After", "\(code.defaultRetrySeconds)"))
        }
        headers.append(("Content-Type", "application/problem+json"))
        headers.append(("Cache-Control", "no-store"))
        return HTTPResponse(status: status, headers: headers, content: .bytes(problem.json.encodeText()))
    }
}

extension ProblemDetails {
    /// Makes the problem for a reached limit of a store.
    /// - Parameter detail: a sentence.
    init(quota resource: String, limit: Int64, _ detail: String, chatError: JSONValue? = nil) {
        self.init(.quotaExceeded, detail)
        self.chatError = chatError
        extraMembers = [("resource", .string(resource)), ("limit", .integer(limit))]
    }

    /// Makes the problem for a file in the object storage that cannot be used now.
    /// - Parameter seconds: the seconds after which the client should try again.
    init(away seconds: Int64, _ detail: String, chatError: JSONValue? = nil) {
        self.init(.unavailable, detail)
        self.chatError = chatError
        headers = [("Retry-After", "\(seconds)")]
    }

    /// The problem for a client with too many unread answers.
    static var tooMuchUnreadProblem: ProblemDetails {
        var problem = ProblemDetails(.tooManyRequests, UnreadAnswers.refusalText)
        problem.headers = [("Retry-After", "1")]
        return problem
    }
}
