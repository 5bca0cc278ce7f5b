internal import ChatAPI
internal import ChatCore
internal import JSON
internal import SimpleXCrypto

/// How the success of a command is told.
enum CommandSuccess: Sendable {
    case ok
    /// Begun; the outcome is told by an event.
    case accepted
    /// Something was made; the closure names its place, when it has one.
    case created(@Sendable (ChatResponse, RouteContext) -> String?)
}

extension Route {
    /// A route that is a command of the core: the one of this name, and no other.
    /// - Parameters:
    ///   - forUser: the command is run for the user of the path. `false` for commands that manage users, which the core
    ///     judges by who is active.
    ///   - cached: the answer depends on the chat database alone, and is kept until that changes.
    static func command(
        _ method: HTTPMethod, _ template: String, _ command: CommandName, room: String,
        forUser: Bool = true, cached: Bool = false, success: CommandSuccess = .ok,
        _ build: @escaping @Sendable (RouteContext) throws(ProblemDetails) -> ChatCommand
    ) -> Route {
        Route(method, template, command, room: room) { context throws(ProblemDetails) in
            let user = forUser && context.parameters["userId"] != nil ? try context.id("userId") : nil
            let run: @Sendable (RequestClaim?) async -> HTTPResponse = { claim in
                do throws(ProblemDetails) {
                    return try await context.run(try build(context), as: user, claim: claim, success: success)
                } catch {
                    return error.response(for: context.request)
                }
            }
            if cached { return context.cached { await run(nil) } }
            guard method == .post, let key = context.request.header("idempotency-key") else { return .later { await run(nil) } }
            return try context.once(key, success, run)
        }
    }
}

extension RouteContext {
    fileprivate func run(
        _ command: ChatCommand, as user: Int64?, claim: RequestClaim?, success: CommandSuccess
    ) async throws(ProblemDetails) -> HTTPResponse {
        guard let principal else { throw ProblemDetails(.unauthorized) }
        // What the route lets in is of the command that it is named after.
        guard command.name.rawValue == route.operationID else { throw ProblemDetails(.internalError) }
        switch await services.core.send(command, as: user, with: principal.rights, claim: claim) {
        case .result(let response):
            return try answer(response, success)
        case .error(let error):
            throw ProblemDetails(error)
        }
    }

    /// What a command has returned, as HTTP says it.
    func answer(_ response: ChatResponse, _ success: CommandSuccess) throws(ProblemDetails) -> HTTPResponse {
        guard let body = try? JSONEncoder().encode(response) else { throw ProblemDetails(.internalError) }
        switch success {
        case .ok:
            return HTTPResponse(json: body)
        case .accepted:
            return HTTPResponse(status: 202, json: body)
        case .created(let place):
            var answer = HTTPResponse(status: 201, json: body)
            if let location = place(response, self) { answer.headers.append(("Location", location)) }
            return answer
        }
    }

    /// A number of the path.
    func id(_ name: String) throws(ProblemDetails) -> Int64 {
        guard let value = parameters[name].flatMap(Int64.init(wholeNumber:)), value > 0 else {
            throw ProblemDetails(.invalidParameter, "\(name) must be a positive whole number.")
        }
        return value
    }

    /// The chat of `…/chats/{chatType}/{chatId}`; a scope within a group is in the query, `scope=support` or `scope=support:{groupMemberId}`.
    func chat() throws(ProblemDetails) -> ChatRef {
        let type: ChatType
        switch parameters["chatType"] {
        case "direct": type = .direct
        case "group": type = .group
        case "local": type = .local
        case "contactConnection": type = .contactConnection
        default: throw ProblemDetails(.invalidParameter, "chatType must be direct, group, local or contactConnection.")
        }
        return ChatRef(chatType: type, chatId: try id("chatId"), chatScope: try scope(type))
    }

    private func scope(_ type: ChatType) throws(ProblemDetails) -> GroupChatScope? {
        guard let text = request.parameter("scope") else { return nil }
        guard type == .group else { throw ProblemDetails(.invalidParameter, "Only a group has a scope.") }
        if text == "support" { return .memberSupport(groupMemberId_: nil) }
        guard text.hasPrefix("support:"), let member = Int64(text.dropFirst(8)) else {
            throw ProblemDetails(.invalidParameter, "scope must be support or support:{groupMemberId}.")
        }
        return .memberSupport(groupMemberId_: member)
    }

    /// `true`, `false`, `on` or `off` in the query.
    func flag(_ name: String, default value: Bool) throws(ProblemDetails) -> Bool {
        switch request.parameter(name) {
        case nil: return value
        case "true", "on": return true
        case "false", "off": return false
        default: throw ProblemDetails(.invalidParameter, "\(name) must be true or false.")
        }
    }

    /// The body; an empty one counts as an object without members.
    /// - Parameter secrets: members that are texts to be kept apart, in memory that is overwritten.
    func body(secrets: Set<String> = []) throws(ProblemDetails) -> RequestBody {
        guard !request.body.isEmpty else { return RequestBody(members: JSONObject(), isAbsent: true) }
        var taken: [String: SecretBytes] = [:]
        let parsed = request.body.withBytes { bytes in
            Result { () throws(JSONError) in
                try JSONValue(parsing: bytes) { name, text in
                    guard secrets.contains(name) else { return false }
                    taken[name] = SecretBytes(text)
                    return true
                }
            }
        }
        let value: JSONValue
        do throws(JSONError) { value = try parsed.get() } catch {
            throw ProblemDetails(.malformedBody, "\(error)")
        }
        guard let members = value.objectValue else { throw ProblemDetails(.malformedBody, "The body must be a JSON object.") }
        return RequestBody(members: members, secrets: taken)
    }
}

/// A JSON object of which a command is made. Members are read as the types that the command has.
struct RequestBody: Sendable {
    let members: JSONObject
    var isAbsent = false
    var secrets: [String: SecretBytes] = [:]

    /// A member that must be there.
    func value<T: Decodable>(_ name: String, as type: T.Type = T.self) throws(ProblemDetails) -> T {
        guard let value: T = try optional(name) else { throw ProblemDetails(.invalidValue, "\(name) is missing.") }
        return value
    }

    /// `nil` when the member is absent or null.
    func optional<T: Decodable>(_ name: String, as type: T.Type = T.self) throws(ProblemDetails) -> T? {
        guard let value = members[name], !value.isNull else { return nil }
        return try decode(value, name)
    }

    /// The body itself, which must be there: nothing is no value of its type.
    func whole<T: Decodable>(as type: T.Type = T.self) throws(ProblemDetails) -> T {
        guard !isAbsent else { throw ProblemDetails(.malformedBody, "The body is missing.") }
        return try decode(.object(members), "")
    }

    private func decode<T: Decodable>(_ value: JSONValue, _ name: String) throws(ProblemDetails) -> T {
        do { return try JSONDecoder.forCommands.decode(T.self, from: value) } catch let error as DecodingError {
            throw ProblemDetails(.invalidValue, error.sentence(in: name))
        } catch {
            throw ProblemDetails(.invalidValue, "\(name.isEmpty ? "The body" : name) is not acceptable.")
        }
    }
}

extension DecodingError {
    /// Which member is wrong, and why.
    fileprivate func sentence(in name: String) -> String {
        func place(_ context: Context, _ last: (any CodingKey)? = nil) -> String {
            let path = context.codingPath + (last.map { [$0] } ?? [])
            let text = path.reduce(name) { text, key in
                key.intValue.map { "\(text)[\($0)]" } ?? (text.isEmpty ? key.stringValue : "\(text).\(key.stringValue)")
            }
            return text.isEmpty ? "The body" : text
        }
        switch self {
        case .keyNotFound(let key, let context): return "\(place(context, key)) is missing."
        case .typeMismatch(_, let context): return "\(place(context)) has another type than it must."
        case .valueNotFound(_, let context): return "\(place(context)) must not be null."
        case .dataCorrupted(let context): return "\(place(context)) is not acceptable."
        @unknown default: return "A value is not acceptable."
        }
    }
}

extension Int64 {
    /// Digits, with a minus or without; a plus is none of an URL's numbers.
    init?(wholeNumber text: String) {
        guard text.first != "+", let value = Int64(text) else { return nil }
        self = value
    }
}
