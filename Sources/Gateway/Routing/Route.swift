internal import ChatAPI
package import ChatCore

/// One operation of the interface, from which the router and the contract are made. It contains all facts that decide
/// whether a request is authorized.
package struct Route: Sendable {
    /// The keys that may call a route.
    package enum Access: Sendable, Equatable {
        /// No key is needed.
        case noKey
        case key(Scopes)
        /// The route needs a key of the first store with these scopes.
        case firstStore(Scopes)
        /// The route needs a key of the first store with the scope `stores`, or an administrator's key of the store in
        /// the path.
        case storeInPath
    }

    package let method: HTTPMethod
    /// The path with the names of its parameters, for example `/v1/users/{userId}/chats`.
    package let template: String
    /// The name of the operation in the contract: a verb and a noun, such as `sendMessages`.
    package let operationID: String
    /// The command of the core that the route runs; nil for an operation of the gateway itself.
    let command: CommandName?
    /// The commands that the route can run besides `command`: the commands of a merge patch, or commands that replace
    /// `command` for some chats and need the same rights.
    var additionalCommands: [CommandName]
    /// The section of the contract to which the operation belongs.
    package let category: String
    package let access: Access
    let policy: RoutePolicy
    /// Problems that this operation can report, besides the problems that follow from its other properties.
    let problems: Set<ProblemDetails.Code>
    /// Whether requests of this route are streams or long polls, which have a separate limit.
    let isStreamOrPoll: Bool
    let work: Work

    typealias Handler = @Sendable (RouteContext) throws(ProblemDetails) -> HTTPReply
    typealias UploadHandler = @Sendable (RouteContext, HTTPUpload) throws(ProblemDetails) -> HTTPReply

    /// The part of a route that answers requests.
    enum Work: Sendable {
        /// Answers a request after its body has been read.
        case handler(Handler)
        /// Answers a request whose body is a file, and is read while it arrives. `limit` is the maximal number of bytes
        /// in the body.
        case upload(UploadHandler, limit: Int64)
    }

    /// Makes a route for an operation of the gateway itself.
    /// - Parameter handler: before it returns, the handler must read all names that the route knows. If it has an
    ///   effect before it returns, it must call ``RouteContext/refuseUnknownNames()`` before this effect.
    init(
        _ method: HTTPMethod,
        _ template: String,
        _ operationID: String,
        category: String,
        access: Access,
        policy: RoutePolicy,
        follows: Bool = false,
        problems: Set<ProblemDetails.Code> = [],
        handler: @escaping Handler
    ) {
        self.init(
            method,
            template,
            operationID,
            category: category,
            access: access,
            policy: policy,
            follows: follows,
            problems: problems,
            work: .handler { context throws(ProblemDetails) in
                let reply = try handler(context)
                try context.refuseUnknownNames()
                return reply
            }
        )
    }

    /// Makes a route for a command of the core. The command determines the required scopes.
    /// - Parameter handler: must call ``RouteContext/refuseUnknownNames()`` before it runs the command.
    init(
        _ method: HTTPMethod,
        _ template: String,
        _ operationID: String,
        _ command: CommandName,
        alsoRuns: [CommandName] = [],
        category: String,
        policy: RoutePolicy,
        problems: Set<ProblemDetails.Code> = [],
        handler: @escaping Handler
    ) {
        self.init(
            method,
            template,
            operationID,
            command,
            alsoRuns: alsoRuns,
            category: category,
            access: .key(Scopes.requiredScopes(for: command)),
            policy: policy,
            problems: problems,
            work: .handler(handler)
        )
    }

    private init(
        _ method: HTTPMethod,
        _ template: String,
        _ operationID: String,
        _ command: CommandName? = nil,
        alsoRuns: [CommandName] = [],
        category: String,
        access: Access,
        policy: RoutePolicy,
        follows: Bool = false,
        problems: Set<ProblemDetails.Code>,
        work: Work
    ) {
        self.method = method
        self.template = template
        self.operationID = operationID
        self.command = command
        self.additionalCommands = alsoRuns
        self.category = category
        self.access = access
        self.policy = policy
        self.isStreamOrPoll = follows
        self.problems = problems
        self.work = work
    }

    /// Maximal number of bytes in a form besides its file.
    static let maxFormBytes: Int64 = 64 << 10

    /// Makes a route for an operation of the gateway itself whose request bodies are files.
    /// - Parameters:
    ///   - limit: maximal number of bytes in a body. By default, a form with a file for a message fits.
    ///   - upload: must call ``RouteContext/refuseUnknownNames()`` before it has an effect.
    static func makeUploadRoute(
        _ method: HTTPMethod,
        _ template: String,
        _ operationID: String,
        category: String,
        access: Access,
        policy: RoutePolicy,
        problems: Set<ProblemDetails.Code> = [],
        limit: Int64 = ChatFiles.sizeLimit + Route.maxFormBytes,
        _ upload: @escaping UploadHandler
    ) -> Route {
        Route(
            method,
            template,
            operationID,
            category: category,
            access: access,
            policy: policy,
            problems: problems,
            work: .upload(upload, limit: limit)
        )
    }

    /// Whether a body may also be `text/plain`.
    var acceptsPlainText = false
    /// Whether a `POST` stores nothing, because it only reads, tests or loads something. An idempotency key is
    /// accepted, and has no effect.
    var isEffectFree = false

    /// The long work of the route; nil for a route whose requests are answered soon.
    var longWork: LongWork?

    /// Returns a copy of the route whose work may take minutes.
    func withLongWork(_ work: LongWork) -> Route {
        var route = self
        route.longWork = work
        return route
    }

    /// The announced end of the route; nil for a route without an announced end.
    var deprecation: Deprecation?

    /// Returns a copy of the route with an announced end.
    func withDeprecation(_ deprecation: Deprecation) -> Route {
        var route = self
        route.deprecation = deprecation
        return route
    }

    /// Returns a copy of the route that is marked as storing nothing.
    func markedEffectFree() -> Route {
        var route = self
        route.isEffectFree = true
        return route
    }

    /// The commands of the core that the route runs.
    var coreCommands: [CommandName] { (command.map { [$0] } ?? []) + additionalCommands }
}

/// The input of a route's handler.
struct RouteContext: Sendable {
    var request: HTTPRequest
    let route: Route
    let parameters: [String: String]
    let principal: Principal?
    let services: GatewayServices
    let knownNames = KnownNames()

    /// Returns the controller of the store.
    /// - Throws: `chatStoreChanged` while the databases do not accept commands.
    func requireController() throws(ProblemDetails) -> ChatController {
        guard let controller = services.core.controller else {
            throw ProblemDetails(.error(errorType: .chatStoreChanged))
        }
        return controller
    }
}
