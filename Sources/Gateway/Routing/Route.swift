internal import ChatAPI
public import ChatCore

/// The methods of routes. HEAD is answered as GET, without the body.
public enum HTTPMethod: String, Sendable, CaseIterable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
}

/// One operation of the interface: a row of the table that the router and the contract share. All that a request needs to be let in is here.
public struct Route: Sendable {
    /// Who may call the route.
    public enum Access: Sendable, Equatable {
        /// Without a key.
        case open
        case key(Scopes)
        /// With a key of the first store that has the scope `stores`, or one of the administrator of the store that the path names.
        case store
    }

    /// What lets a request in besides a key in its header.
    public enum Entrance: Sendable, Equatable {
        case key
        /// Also a ticket: browsers open these as streams, images or links, and cannot send a key.
        case ticket
        /// Also a ticket, and no credentials if the terminal client's socket is open to local programs. The terminal port serves only these
        /// routes.
        case terminal
    }

    /// What a key bound to a profile can reach.
    public enum ProfileLimit: Sendable, Equatable {
        /// Only the profile that the path names, when it is its own.
        case path
        /// Allowed for every key; the answer is restricted to the key's profile.
        case filtered
    }

    /// Whose services the handler works with.
    public enum StoreUse: Sendable, Equatable {
        /// The services of the key's store, which must be unlocked.
        case own
        /// The gateway's: stores are managed also while they are locked.
        case gateway
        /// The services of the first store while it is unlocked, otherwise those of the gateway: figures of the process need no store.
        case process
    }

    public let method: HTTPMethod
    /// For example `/v1/users/{userId}/chats`.
    public let template: String
    /// The command's name, or that of an operation of the gateway itself.
    public let operationID: String
    public let room: String
    public let access: Access
    public let entrance: Entrance
    public let profileLimit: ProfileLimit
    public let storeUse: StoreUse
    /// Problems of its own, besides those that follow from its other properties.
    var problems: Set<ProblemDetails.Code> = []
    /// Whether its requests are streams or long polls, which have a limit of their own.
    let follows: Bool
    /// `nil`: known, but not served yet (501).
    let handler: (@Sendable (RouteContext) throws(ProblemDetails) -> HTTPReply)?
    /// Reads the body while it comes; only for a route whose request bodies are files.
    var upload: (@Sendable (RouteContext, HTTPUpload) throws(ProblemDetails) -> HTTPReply)?
    /// Bytes that such a body may have.
    var uploadLimit: Int64 = ChatFiles.sizeLimit + Files.formLimit

    /// An operation of the gateway itself.
    /// - Parameters:
    ///   - access: by default `read` for GET, and `write` for the rest.
    ///   - handler: has read all that the route knows of the request when it returns. What has an effect before that calls
    ///     ``RouteContext/refuseUnknown()`` itself.
    init(
        _ method: HTTPMethod, _ template: String, _ operationID: String, room: String, access: Access? = nil, entrance: Entrance = .key,
        follows: Bool = false, profileLimit: ProfileLimit = .path, storeUse: StoreUse = .own, problems: Set<ProblemDetails.Code> = [],
        handler: (@Sendable (RouteContext) throws(ProblemDetails) -> HTTPReply)? = nil
    ) {
        self.method = method
        self.template = template
        self.operationID = operationID
        self.room = room
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

    /// A command of the core, which also says what it needs.
    /// - Parameter handler: refuses what else was sent before it runs the command.
    init(
        _ method: HTTPMethod, _ template: String, _ command: CommandName, room: String, profileLimit: ProfileLimit = .path,
        handler: (@Sendable (RouteContext) throws(ProblemDetails) -> HTTPReply)? = nil
    ) {
        self.method = method
        self.template = template
        operationID = command.rawValue
        self.room = room
        access = .key(Scopes.required(for: command))
        entrance = .key
        follows = false
        self.profileLimit = profileLimit
        storeUse = .own
        self.handler = handler
    }

    /// An operation of the gateway itself whose request bodies are files.
    /// - Parameters:
    ///   - limit: bytes that a body may have; by default a file of a message, in a form.
    ///   - upload: calls ``RouteContext/refuseUnknown()`` itself, before it has an effect.
    static func upload(
        _ method: HTTPMethod, _ template: String, _ operationID: String, room: String, access: Access? = nil, limit: Int64? = nil,
        _ upload: @escaping @Sendable (RouteContext, HTTPUpload) throws(ProblemDetails) -> HTTPReply
    ) -> Route {
        var route = Route(method, template, operationID, room: room, access: access)
        route.upload = upload
        if let limit { route.uploadLimit = limit }
        return route
    }

    /// Whether a body may also be `text/plain`.
    var takesText = false

    public var isImplemented: Bool { handler != nil || upload != nil }

    /// Whether its answers have secrets that last: keys, links of addresses, passwords of relays, codes. They are not compressed.
    var holdsSecrets: Bool { ["Keys", "Stores", "Servers", "Address", "Security", "Notifications", "Webhooks"].contains(room) }
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
