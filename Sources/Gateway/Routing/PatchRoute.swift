internal import ChatAPI
internal import ChatCore
internal import JSON

/// A resource that clients change by a merge patch, or replace by a `PUT`.
struct PatchedResource: Sendable {
    /// The name of the lock that is held during a change. Resources with common parts use one lock name. If the name is
    /// nil, the path of the resource names the lock.
    var lockName: String?
    /// Makes the command that reads the resource.
    let readCommand: @Sendable (RouteContext) throws(ProblemDetails) -> ChatCommand
    /// Returns the values that clients can change, by the names of the members in a patch.
    let changeableValues: @Sendable (ChatResponse) -> [(String, (any Encodable)?)]

    /// Whether the answer to a request that reads the resource shows the stored values.
    var showsStoredValues: @Sendable (RouteContext) -> Bool = { _ in true }

    /// Returns the stored values that are not nil, by the names of the members in a patch.
    fileprivate func storedValues(_ response: ChatResponse) -> JSONObject {
        JSONObject(
            changeableValues(response).compactMap { name, value in
                value.flatMap { try? JSONEncoder().encodeValue($0) }.map { (name, $0) }
            }
        )
    }

    func makeTag(_ response: ChatResponse) -> EntityTag { EntityTag(storedValues(response)) }
}

extension PatchedResource {
    /// Returns all members of a value. Clients may change each of them.
    static func collectMembers(of value: some Encodable) -> [(String, (any Encodable)?)] {
        (try? JSONEncoder().encodeValue(value))?.objectValue?.map { ($0.0, $0.1) } ?? []
    }
}

extension EntityTag {
    fileprivate init(_ values: JSONObject) { self.init([JSONValue.object(values).text]) }
}

extension Route {
    /// Makes a route that changes a resource by a merge patch, and answers with the changed resource.
    ///
    /// A patch needs the scope `read` too, since it reads the resource.
    /// - Parameters:
    ///   - commands: the commands that a patch can run.
    ///   - scopes: the scopes that each patch needs. The core checks the scopes of each command.
    ///   - forUser: whether the commands run as the user in the path.
    ///   - answer: makes the answer; nil for the response itself.
    ///   - build: reads the members of the patch.
    static func makePatchRoute(
        _ template: String,
        _ operationID: String,
        _ commands: [CommandName],
        category: String,
        scopes: Scopes,
        policy: RoutePolicy,
        forUser: Bool = true,
        of resource: PatchedResource,
        answer: (@Sendable (ChatResponse, RouteContext) async throws(ProblemDetails) -> HTTPResponse)? = nil,
        _ build: @escaping @Sendable (RouteContext, inout MergePatch) throws(ProblemDetails) -> Void
    ) -> Route {
        var route = Route(
            .patch,
            template,
            operationID,
            category: category,
            access: .key(scopes),
            policy: policy,
            problems: [.preconditionFailed]
        ) { context throws(ProblemDetails) in
            guard let principal = context.principal else { throw ProblemDetails(.unauthorized) }
            let body = try context.parseBody()
            let reading = try resource.readCommand(context)
            let user = forUser ? try context.parseID("userId") : nil
            var names = MergePatch(body, over: [:], context.knownNames, limit: context.maxPatchBytes)
            try build(context, &names)
            try context.refuseUnknownNames()
            // Unknown members are refused at once. Other faults depend on the stored values, which are not read yet.
            if let fault = names.fault, fault.code == .unknownMember { throw fault }
            return .later {
                do throws(ProblemDetails) {
                    if context.services.unreadAnswers.isFull(principal.keyID) { throw .tooMuchUnreadProblem }
                    let changed = try await context.services.patchLocks.runPatch(context.request.path) {
                        () async throws(ProblemDetails) in
                        try await context.applyPatch(resource, reading, body, as: user, with: principal, build)
                    }
                    // The change may have moved the resource to another user. Then the resource has another path, and
                    // does not exist at the path of this request.
                    let isThere = !changed.reportsMoveToOtherUser
                    var response: HTTPResponse
                    if isThere, let answer {
                        response = try await answer(changed, context)
                    } else {
                        response = try context.makeAnswer(changed, .ok)
                    }
                    context.services.unreadAnswers.countContent(&response, of: principal.keyID)
                    return isThere ? response.addingTag(resource.makeTag(changed)) : response
                } catch {
                    return error.response(for: context.request)
                }
            }
        }
        route.additionalCommands = commands
        return route
    }
}

extension RouteContext {
    /// Maximal number of attempts to change a resource that the core or another route changes at the same time.
    static let maxPatchAttempts = 10

    fileprivate var maxPatchBytes: Int { services.configuration.http.maxBodyBytes }

    /// Merges a patch with the stored resource. If the resource changes before the merged values are stored, the merge
    /// starts again with the new values.
    fileprivate func applyPatch(
        _ resource: PatchedResource,
        _ reading: ChatCommand,
        _ body: RequestBody,
        as user: Int64?,
        with principal: Principal,
        _ build: (RouteContext, inout MergePatch) throws(ProblemDetails) -> Void
    ) async throws(ProblemDetails) -> ChatResponse {
        for _ in 0..<Self.maxPatchAttempts {
            let stored: JSONObject
            switch await services.core.readResource(reading, as: user, with: principal.commandRights) {
            case .error(let error): throw ProblemDetails(error)
            case .result(let response): stored = resource.storedValues(response)
            }
            let tag = EntityTag(stored)
            try request.checkMatch(tag)
            var patch = MergePatch(body, over: stored, knownNames, limit: maxPatchBytes)
            try build(self, &patch)
            if let fault = patch.fault { throw fault }
            if patch.changes.count > 1, let alone = patch.changes.first(where: { !$0.command.canJoinTransaction }) {
                throw ProblemDetails(
                    .invalidValue,
                    "\(alone.member) cannot be changed together with other members: send it in a request of its own."
                )
            }
            let changed = await services.core.changeResource(
                patch.changes.map(\.command),
                of: reading,
                if: { resource.makeTag($0) == tag },
                as: user,
                with: principal.commandRights
            )
            switch changed {
            case .error(let error): throw ProblemDetails(error)
            case .result(let response?): return response
            case .result(nil): continue
            }
        }
        throw .concurrentChangeProblem
    }
}

extension ProblemDetails {
    /// The problem when other clients have changed a resource during each of several attempts to change it.
    static let concurrentChangeProblem = ProblemDetails(
        .conflict,
        "Other clients change this at the same time. Send the request again."
    )
}
