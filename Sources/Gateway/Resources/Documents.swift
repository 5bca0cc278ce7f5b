/// Routes for following several documents on one stream. A browser has few connections to a server, so a page needs one
/// stream for all its documents.
enum DocumentsResource {
    private static let path = "/v1/changes"
    /// The policy of the routes for several documents. The rights are checked for each document. Keys that can access
    /// only a phone follow the documents of that phone.
    private static let policy = RoutePolicy.browserView.replacing(\.profileKeys, .answerFiltered).replacing(
        \.phones,
        .keys
    )

    static let routes: [Route] = [
        Route(
            .get,
            path,
            "followDocuments",
            category: "Model",
            access: .key(.events),
            policy: policy,
            follows: true,
            handler: followChanges
        ),
        Route(
            .get,
            path + "/ws",
            "openDocumentSocket",
            category: "Model",
            access: .key(.events),
            policy: policy,
            follows: true,
            handler: openChangesSocket
        ),
    ]

    /// Finds the route that sends the changes of a single document.
    fileprivate static let singleDocumentRouter = Router(
        (ModelResource.routes + SessionsResource.routes).filter(\.isStreamOrPoll)
    )

    /// Sends the changes of the documents as Server-Sent Events, or as lines of JSON.
    private static func followChanges(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let isLines = context.request.accepts("application/x-ndjson") && !context.request.accepts("text/event-stream")
        let form: HTTPEventSink.Form = isLines ? .lines : .serverSent
        let resumed = form == .serverSent ? context.request.header("last-event-id") : nil
        let documents = try context.parseDocuments(resumed: resumed)
        guard !documents.isEmpty else { throw ProblemDetails(parameter: "documents", "must be given.", .missing) }
        let stream = HTTPStream(capacity: DocumentStream.maxWaitingBytes)
        let sink = HTTPEventSink(stream: stream, outputForm: form, epoch: context.services.eventHub.epoch)
        let line = DocumentStream(context, .http(sink))
        stream.setHandlers(drain: { line.resumeSending() }, close: { line.close() })
        // Some content must be sent, so that the HTTP library sends the header immediately.
        sink.sendHeartbeat(passed: nil)
        guard line.start(with: documents) else {
            line.close()
            throw ProblemDetails(.unavailable, "The server is stopping.")
        }
        return .now(HTTPResponse(headers: HTTPEventSink.makeHeaders(form), content: .stream(stream)))
    }

    /// Sends the changes of the documents as text frames of a WebSocket.
    private static func openChangesSocket(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let documents = try context.parseDocuments(resumed: nil)
        let socket = DocumentSocket(context)
        return .now(try context.makeSocketAnswer(over: socket) { socket.start($0, with: documents) })
    }
}

extension RouteContext {
    /// Reads the documents of the query, with the cursor of each document. Refuses unknown parameters.
    /// - Parameter resumed: the cursors that a browser sends when it connects again; otherwise nil.
    fileprivate func parseDocuments(resumed: String?) throws(ProblemDetails) -> [FollowedDocument] {
        let (names, given) = (readParameter("documents"), readParameter("cursor"))
        try refuseUnknownNames()
        let (paths, cursors) = ((names ?? "").commaSeparated, (resumed ?? given ?? "").commaSeparated)
        let limit = services.configuration.maxDocumentsPerStream
        guard paths.count <= limit else {
            throw ProblemDetails(parameter: "documents", "can have at most \(limit) documents.")
        }
        guard Set(paths).count == paths.count else {
            throw ProblemDetails(parameter: "documents", "must name each document once.")
        }
        guard paths.count == cursors.count else {
            throw ProblemDetails(parameter: "cursor", "must have the `id` of each document, with commas between them.")
        }
        var documents: [FollowedDocument] = []
        for (path, cursor) in zip(paths, cursors) {
            guard let document = FollowedDocument(name: path, cursor: cursor) else {
                throw ProblemDetails(
                    parameter: "documents",
                    "must be paths of documents, and `cursor` their `id`, with commas between them."
                )
            }
            documents.append(document)
        }
        return documents
    }

    /// Returns the hub of the followers of a document. Throws a problem if the key may not follow the document.
    /// - Parameter name: the path of the document.
    func findHub(ofDocument name: String) async throws(ProblemDetails) -> EventHub {
        let phone = PhonePath.split(name)
        guard let principal,
            case .found(let route, let parameters) = DocumentsResource.singleDocumentRouter.matchRoute(
                method: "GET",
                path: (phone?.path ?? name) + "/changes"
            )
        else { throw ProblemDetails(.notFound, "There is no such document.") }
        try GatewayService.checkPermission(principal, route, parameters, phone?.id)
        var own = services
        if let phone { own = try GatewayService.findPhoneServices(of: phone.id, services, principal) }
        return try await RouteContext(
            request: request,
            route: route,
            parameters: parameters,
            principal: principal,
            services: own
        ).documentHub
    }
}

extension String {
    /// The values of a list with commas between them.
    fileprivate var commaSeparated: [String] {
        isEmpty ? [] : split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
}
