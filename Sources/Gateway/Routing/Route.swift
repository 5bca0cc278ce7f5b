public enum HTTPMethod: String, Sendable, CaseIterable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
}

/// One operation of the interface: a row of the table that the router and the contract share.
public struct Route: Sendable {
    public enum Access: Sendable, Equatable {
        /// Without a key.
        case open
        case key(Scopes)
        /// With a key of the first store that has the scope `stores`, or one of the administrator of the store that the path names.
        case store
    }

    public let method: HTTPMethod
    /// For example `/v1/users/{userId}/chats`.
    public let template: String
    /// The command's name, or that of an operation of the gateway itself.
    public let operationID: String
    public let room: String
    public let access: Access
    /// `nil`: known, but not served yet (501).
    let handler: (@Sendable (RouteContext) throws(ProblemDetails) -> HTTPReply)?

    init(
        _ method: HTTPMethod, _ template: String, _ operationID: String, room: String, access: Access? = nil,
        handler: (@Sendable (RouteContext) throws(ProblemDetails) -> HTTPReply)? = nil
    ) {
        self.method = method
        self.template = template
        self.operationID = operationID
        self.room = room
        self.access = access ?? .key(method == .get ? .read : .write)
        self.handler = handler
    }

    public var isImplemented: Bool { handler != nil }
}

/// What a handler knows of its request.
struct RouteContext: Sendable {
    var request: HTTPRequest
    let route: Route
    let parameters: [String: String]
    let principal: Principal?
    let services: GatewayServices
}
