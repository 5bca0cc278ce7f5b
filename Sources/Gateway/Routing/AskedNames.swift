internal import Synchronization

/// What the handler of a request has asked for: parameters of the query and members of the body. What else was sent its route does not know, and it
/// could have meant anything: `incognitoo` is not a request to use the user's own name.
final class AskedNames: Sendable {
    private struct State {
        var parameters: Set<String> = []
        var members: Set<String> = []
        /// The names of the body's members; `nil` before it was read.
        var sent: [String]?
    }

    private let state = Mutex(State())

    func ask(parameter name: String) { state.withLock { _ = $0.parameters.insert(name) } }

    func ask(member name: String) { state.withLock { _ = $0.members.insert(name) } }

    /// The body was read, and has these members.
    func sent(_ names: some Sequence<String>) { state.withLock { $0.sent = Array(names) } }

    var isBodyRead: Bool { state.withLock { $0.sent != nil } }

    func unknownParameter(of query: [(name: String, value: String)]) -> String? {
        guard !query.isEmpty else { return nil }
        return state.withLock { state in query.first { !state.parameters.contains($0.name) }?.name }
    }

    var unknownMember: String? { state.withLock { state in state.sent?.first { !state.members.contains($0) } } }
}

extension RouteContext {
    /// The value of a query parameter.
    func parameter(_ name: String) -> String? {
        asked.ask(parameter: name)
        return request.parameter(name)
    }

    /// To be called before a request has an effect, when all that its route knows was asked for.
    /// - Throws: `unknownParameter` or `unknownMember` for what else was sent.
    func refuseUnknown() throws(ProblemDetails) {
        // Whoever let the request in has read its ticket.
        if route.entrance != .key { asked.ask(parameter: "ticket") }
        if let name = asked.unknownParameter(of: request.query) {
            throw ProblemDetails(.unknownParameter, "\(name.prefix(ProblemDetails.longestName)) is no parameter of this request.")
        }
        if !asked.isBodyRead, !request.body.isEmpty { _ = try body() }
        if let name = asked.unknownMember { throw ProblemDetails.unknown(member: name) }
    }
}

extension ProblemDetails {
    /// Characters of a name that are repeated to who has sent it.
    fileprivate static let longestName = 200

    static func unknown(member path: String) -> ProblemDetails {
        ProblemDetails(.unknownMember, "\(path.prefix(longestName)) is no member of this request's body.")
    }
}
