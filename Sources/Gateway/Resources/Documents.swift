/// Routes for following several documents on one stream. A browser has few connections to a server, so a page needs one
/// stream for all its documents.
enum DocumentsResource {
    private static let path = "/v1/changes"
    /// The rights are checked for each document. Keys of phones follow the documents of their phone.
    private static let policy = RoutePolicy.view.with(\.profiles, .filtered).with(\.phones, .keys)

    static let routes: [Route] = [
        Route(
            .get,
            path,
            "followDocuments",
            category: "Model",
            access: .key(.events),
            policy: policy,
            follows: true,
            handler: changes
        ),
        Route(
            .get,
            path + "/ws",
            "openDocumentSocket",
            category: "Model",
            access: .key(.events),
            policy: policy,
            follows: true,
            handler: changesSocket
        ),
    ]

    /// The routes of the changes of single documents.
    fileprivate static let single = Router((ModelResource.routes + SessionsResource.routes).filter(\.follows))

    /// Sends the changes as Server-Sent Events, or as lines of JSON.
    private static func changes(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let isLines = context.request.accepts("application/x-ndjson") && !context.request.accepts("text/event-stream")
        let form: HTTPEventSink.Form = isLines ? .lines : .serverSent
        let resumed = form == .serverSent ? context.request.header("last-event-id") : nil
        let documents = try context.documents(resumed: resumed)
        guard !documents.isEmpty else { throw ProblemDetails(parameter: "documents", "must be given.", .missing) }
        let stream = HTTPStream(capacity: DocumentStream.outputBound)
        let sink = HTTPEventSink(stream: stream, form: form, epoch: context.services.events.epoch)
        let line = DocumentStream(context, .http(sink))
        stream.handlers(drain: { line.drained() }, close: { line.close() })
        // Some content must be sent, so that the library sends the header immediately.
        sink.heartbeat(passed: nil)
        guard line.start(with: documents) else {
            line.close()
            throw ProblemDetails(.unavailable, "The server is stopping.")
        }
        return .now(HTTPResponse(headers: HTTPEventSink.headers(form), content: .stream(stream)))
    }

    /// Sends the changes as text frames of a WebSocket.
    private static func changesSocket(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let documents = try context.documents(resumed: nil)
        let socket = DocumentSocket(context)
        return .now(try context.answer(over: socket) { socket.start($0, with: documents) })
    }
}

extension RouteContext {
    /// Reads the documents of the query, with the cursor of each document. Refuses unknown names.
    /// - Parameter resumed: the cursors with which a browser connects again.
    fileprivate func documents(resumed: String?) throws(ProblemDetails) -> [FollowedDocument] {
        let (names, given) = (parameter("documents"), parameter("cursor"))
        try refuseUnknown()
        let (paths, cursors) = ((names ?? "").listed, (resumed ?? given ?? "").listed)
        let limit = services.configuration.documentLimit
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

    /// Returns the followers of a document, after the check that the key may follow it.
    /// - Parameter name: the path of the document.
    func hub(ofDocument name: String) async throws(ProblemDetails) -> EventHub {
        let phone = RemoteHostsResource.split(name)
        guard let principal,
            case .found(let route, let parameters) = DocumentsResource.single.match(
                method: "GET",
                path: (phone?.path ?? name) + "/changes"
            )
        else { throw ProblemDetails(.notFound, "There is no such document.") }
        try GatewayService.permit(principal, route, parameters, phone?.id)
        var own = services
        if let phone { own = try GatewayService.services(of: phone.id, services, principal) }
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
    fileprivate var listed: [String] {
        isEmpty ? [] : split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
}
