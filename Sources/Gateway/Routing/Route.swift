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
        /// With a key of the first store that has the scope `stores`, or an administrator's key of the store that the
        /// path names.
        case store
    }

    /// Credentials that a route accepts.
    public enum Entrance: Sendable, Equatable {
        case key
        /// A key or a ticket: browsers open these routes as streams, images or links, and cannot send a key.
        case ticket
        /// A key or a ticket, or no credentials if the terminal client's socket is open to local programs. The terminal
        /// port serves only these routes.
        case terminal
    }

    /// Data that a key bound to a profile can reach.
    public enum ProfileLimit: Sendable, Equatable {
        /// Only the profile that the path names, if it is the key's profile.
        case path
        /// Allowed for every key; the answer is restricted to the key's profile.
        case filtered
    }

    /// The services that the handler uses.
    public enum StoreUse: Sendable, Equatable {
        /// The services of the key's store, which must be unlocked.
        case own
        /// The services of the gateway. So stores can be managed while they are locked.
        case gateway
        /// The services of the first store while it is unlocked, otherwise those of the gateway, because figures of the
        /// process need no store.
        case process
    }

    public let method: HTTPMethod
    /// For example `/v1/users/{userId}/chats`.
    public let template: String
    /// The name of the command, or of an operation of the gateway itself.
    public let operationID: String
    public let category: String
    public let access: Access
    public let entrance: Entrance
    public let profileLimit: ProfileLimit
    public let storeUse: StoreUse
    /// Problems of this route in addition to those that follow from its other properties.
    var problems: Set<ProblemDetails.Code> = []
    /// Whether requests of this route are streams or long polls, which have a separate limit.
    let follows: Bool
    /// `nil` for a known route that is not served yet (501).
    let handler: (@Sendable (RouteContext) throws(ProblemDetails) -> HTTPReply)?
    /// Reads the body while it arrives. It is only for routes whose request bodies are files.
    var upload: (@Sendable (RouteContext, HTTPUpload) throws(ProblemDetails) -> HTTPReply)?
    /// Maximal number of bytes of such a body.
    var uploadLimit: Int64 = ChatFiles.sizeLimit + Files.formLimit

    /// An operation of the gateway itself.
    /// - Parameters:
    ///   - access: by default `read` for GET, and `write` for the rest.
    ///   - handler: must have read all names that the route knows when it returns. A handler with an effect before that
    ///     calls ``RouteContext/refuseUnknown()`` itself.
    init(
        _ method: HTTPMethod, _ template: String, _ operationID: String, category: String, access: Access? = nil, entrance: Entrance = .key,
        follows: Bool = false, profileLimit: ProfileLimit = .path, storeUse: StoreUse = .own, problems: Set<ProblemDetails.Code> = [],
        handler: (@Sendable (RouteContext) throws(ProblemDetails) -> HTTPReply)? = nil
    ) {
        self.method = method
        self.template = template
        self.operationID = operationID
        self.category = category
        self.access = access ?? .key(method == .get ? .read : .write)
        self.entrance = entrance
        self.follows = follows
        self.profileLimit = profileLimit
        self.storeUse = storeUse
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
        _ method: HTTPMethod, _ template: String, _ command: CommandName, category: String, profileLimit: ProfileLimit = .path,
        handler: (@Sendable (RouteContext) throws(ProblemDetails) -> HTTPReply)? = nil
    ) {
        self.method = method
        self.template = template
        operationID = command.rawValue
        self.category = category
        access = .key(Scopes.required(for: command))
        entrance = .key
        follows = false
        self.profileLimit = profileLimit
        storeUse = .own
        self.handler = handler
    }

    /// An operation of the gateway itself whose request bodies are files.
    /// - Parameters:
    ///   - limit: maximal number of bytes of a body; by default that of a form with a file of a message.
    ///   - upload: calls ``RouteContext/refuseUnknown()`` before it has an effect.
    static func upload(
        _ method: HTTPMethod, _ template: String, _ operationID: String, category: String, access: Access? = nil, limit: Int64? = nil,
        _ upload: @escaping @Sendable (RouteContext, HTTPUpload) throws(ProblemDetails) -> HTTPReply
    ) -> Route {
        var route = Route(method, template, operationID, category: category, access: access)
        route.upload = upload
        if let limit { route.uploadLimit = limit }
        return route
    }

    /// Whether a body may also be `text/plain`.
    var takesText = false

    public var isImplemented: Bool { handler != nil || upload != nil }

    /// Whether answers of this route may contain lasting secrets: keys, links of addresses, passwords of relays, codes.
    /// Such answers are not compressed.
    var holdsSecrets: Bool { ["Keys", "Stores", "Servers", "Address", "Security", "Notifications", "Webhooks"].contains(category) }
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
