internal import Concurrency
internal import JSON

/// Routes for long operations.
enum LongOperationsResource {
    private static let itemPath = LongOperations.path + "/{operationId}"

    static let routes: [Route] = [
        makeRoute(.get, LongOperations.path, "listOperations", listOperations),
        makeRoute(.get, itemPath, "getOperation", getOperation),
        makeRoute(.post, itemPath + "/cancel", "cancelOperation", cancelOperation),
    ]

    /// Makes a route that needs no scope. It refuses keys that are limited to some chats or to a phone, and unclaimed
    /// keys. The handler shows and cancels only operations that the key has begun or may begin.
    private static func makeRoute(
        _ method: HTTPMethod,
        _ template: String,
        _ id: String,
        _ handler: @escaping @Sendable (RouteContext) throws(ProblemDetails) -> HTTPReply
    ) -> Route {
        Route(
            method,
            template,
            id,
            category: "LongOperations",
            access: .key([]),
            policy: .keys,
            handler: handler
        )
    }

    private static func listOperations(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let page = try context.parsePage()
        return context.replyLater { () async throws(ProblemDetails) in
            let seen = await context.services.operations.listOperations().filter { context.maySee($0.operation) }
            // The negative time puts the operation that was begun last at the top of the list.
            let (shown, ends) = page.selectPage(of: seen) {
                ListPlace(number: -$0.operation.startedAtSeconds, text: $0.operation.id)
            }
            return HTTPResponse(
                "operations",
                shown.map { .object($0.operation.describe($0.progress)) },
                ends,
                context
            )
        }
    }

    private static func getOperation(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        context.replyLater { () async throws(ProblemDetails) in
            let (operation, progress) = try await context.requireOperation()
            var body = operation.describe(progress)
            if operation.state == .done, let answer = try await context.openAnswer(of: operation) {
                if let location = answer.headers.first(where: { $0.name == "Location" })?.value {
                    body["location"] = .string(location)
                }
                if case .bytes(let bytes) = answer.content, let result = try? JSONValue(parsing: bytes) {
                    body["result"] = result
                }
            }
            return makeResponse(body)
        }
    }

    private static func cancelOperation(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        try context.runOnce(.memory) { _ async throws(ProblemDetails) in
            let (operation, progress) = try await context.requireOperation()
            guard let progress else { throw ProblemDetails(.conflict, "The operation has ended.") }
            guard progress.requestCancellation() else {
                throw ProblemDetails(
                    .conflict,
                    "The operation cannot be cancelled, or no longer: it would leave a half-done effect."
                )
            }
            return makeResponse(operation.describe(progress), status: 202)
        }
    }

    private static func makeResponse(_ body: JSONObject, status: Int = 200) -> HTTPResponse {
        var response = HTTPResponse(status: status, json: JSONValue.object(body).encodeText())
        response.headers.append(("Cache-Control", "no-store"))
        return response
    }
}

extension RouteContext {
    /// Whether the key of the request has begun the operation, or has the rights to begin it.
    fileprivate func maySee(_ operation: LongOperation) -> Bool {
        guard let principal, principal.storeID == operation.storeID else { return false }
        if operation.isOwnedBy(principal) { return true }
        guard let route = RouteTable.findRoute(operation.route) else { return false }
        do throws(ProblemDetails) {
            try GatewayService.checkPermission(principal, route, operation.parameters, nil)
        } catch {
            return false
        }
        return true
    }

    /// Returns the operation in the path. An operation that the key may not see is answered like an unknown operation.
    fileprivate func requireOperation() async throws(ProblemDetails) -> LongOperations.TrackedOperation {
        guard let found = await services.operations.findOperation(parameters["operationId"] ?? ""),
            maySee(found.operation)
        else {
            throw ProblemDetails(.notFound, "There is no such operation, or it is no longer kept.")
        }
        return found
    }

    /// Returns the answer of an operation; nil if it was not kept, or the request has another secret than the request
    /// that began the operation.
    fileprivate func openAnswer(of operation: LongOperation) async throws(ProblemDetails) -> HTTPResponse? {
        let box: [UInt8]?
        do { box = try await services.operations.readAnswerBox(of: operation.id) } catch {
            throw ProblemDetails(.unavailable, "The result cannot be read.")
        }
        guard let box, let sealed = makeAnswerSeal(operation.id) else { return nil }
        do throws(ProblemDetails) { return try sealed.openAnswer(in: box) } catch { return nil }
    }
}
