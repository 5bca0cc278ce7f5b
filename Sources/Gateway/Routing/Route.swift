internal import ChatAPI
public import ChatCore

/// The methods of routes. A HEAD request is answered like GET, without the body.
public enum HTTPMethod: String, Sendable, CaseIterable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
}

/// One operation of the interface: a row of the table that the router and the contract share. It contains everything
/// that decides whether a request is authorized.
public struct Route: Sendable {
    /// Requirements on the caller of a route.
    public enum Access: Sendable, Equatable {
        /// Without a key.
        case open
        case key(Scopes)
        /// With a key of the first store that has these scopes.
        case firstStore(Scopes)
        /// With a key of the first store that has the scope `stores`, or an administrator's key of the store that the
        /// path names.
        case store
    }

    public let method: HTTPMethod
    /// For example `/v1/users/{userId}/chats`.
    public let template: String
    /// The name of the command, or of an operation of the gateway itself.
    public let operationID: String
    /// The command of the core that the route runs; nil for an operation of the gateway itself.
    let command: CommandName?
    /// The section of the contract.
    public let category: String
    public let access: Access
    let policy: RoutePolicy
    /// Problems of this route in addition to those that follow from its other properties.
    let problems: Set<ProblemDetails.Code>
    /// Whether requests of this route are streams or long polls, which have a separate limit.
    let follows: Bool
    /// `nil` for a known route that is not served yet (501).
    let handler: (@Sendable (RouteContext) throws(ProblemDetails) -> HTTPReply)?
    /// Reads the body while it arrives. It is only for routes whose request bodies are files.
    var upload: (@Sendable (RouteContext, HTTPUpload) throws(ProblemDetails) -> HTTPReply)?
    /// Maximal number of bytes of such a body.
    var uploadLimit: Int64 = ChatFiles.sizeLimit + FilesResource.formLimit

    /// An operation of the gateway itself.
    /// - Parameter handler: must have read all names that the route knows when it returns. A handler with an effect
    ///   before that calls ``RouteContext/refuseUnknown()`` itself.
    init(
        _ method: HTTPMethod,
        _ template: String,
        _ operationID: String,
        category: String,
        access: Access,
        policy: RoutePolicy,
        follows: Bool = false,
        problems: Set<ProblemDetails.Code> = [],
        handler: (@Sendable (RouteContext) throws(ProblemDetails) -> HTTPReply)? = nil
    ) {
        self.method = method
        self.template = template
        self.operationID = operationID
        command = nil
        self.category = category
        self.access = access
        self.policy = policy
        self.follows = follows
        self.problems = problems
        if let handler {
            self.handler = { context throws(ProblemDetails) in
                let reply = try handler(context)
                try context.refuseUnknown()
                return reply
            }
        } else {
            self.handler = nil
        }
    }

    /// A route for a command of the core. The command determines the required scopes.
    /// - Parameter handler: calls ``RouteContext/refuseUnknown()`` before it runs the command.
    init(
        _ method: HTTPMethod,
        _ template: String,
        _ command: CommandName,
        category: String,
        policy: RoutePolicy,
        problems: Set<ProblemDetails.Code> = [],
        handler: (@Sendable (RouteContext) throws(ProblemDetails) -> HTTPReply)? = nil
    ) {
        self.method = method
        self.template = template
        operationID = command.rawValue
        self.command = command
        self.category = category
        access = .key(Scopes.required(for: command))
        self.policy = policy
        follows = false
        self.problems = problems
        self.handler = handler
    }

    /// An operation of the gateway itself whose request bodies are files.
    /// - Parameters:
    ///   - limit: maximal number of bytes of a body; by default that of a form with a file of a message.
    ///   - upload: calls ``RouteContext/refuseUnknown()`` before it has an effect.
    static func upload(
        _ method: HTTPMethod,
        _ template: String,
        _ operationID: String,
        category: String,
        access: Access,
        policy: RoutePolicy,
        limit: Int64? = nil,
        _ upload: @escaping @Sendable (RouteContext, HTTPUpload) throws(ProblemDetails) -> HTTPReply
    ) -> Route {
        var route = Route(method, template, operationID, category: category, access: access, policy: policy)
        route.upload = upload
        if let limit { route.uploadLimit = limit }
        return route
    }

    /// Whether a body may also be `text/plain`.
    var takesText = false

    public var isImplemented: Bool { handler != nil || upload != nil }
}

/// The input of a route's handler.
struct RouteContext: Sendable {
    var request: HTTPRequest
    let route: Route
    let parameters: [String: String]
    let principal: Principal?
    let services: GatewayServices
    let asked = AskedNames()
}
