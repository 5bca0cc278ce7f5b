internal import JSON
internal import Synchronization

/// The names that the handler of a request has read: parameters of the query and members of the body. Any other name in
/// the request is unknown to the route. An unknown name must not be ignored: a client that sends `incognitoo` does not
/// want to use the user's own name.
final class KnownNames: Sendable {
    private struct State {
        var parameters: Set<String> = []
        var members: Set<String> = []
        /// The names of the body's members; `nil` before the body was read.
        var sentMembers: [String]?
    }

    private let state = Mutex(State())

    func recordParameter(_ name: String) { state.withLock { _ = $0.parameters.insert(name) } }

    func recordMember(_ name: String) { state.withLock { _ = $0.members.insert(name) } }

    /// Records the members of the body after it was read.
    func setBodyMembers(_ names: some Sequence<String>) { state.withLock { $0.sentMembers = Array(names) } }

    var isBodyRead: Bool { state.withLock { $0.sentMembers != nil } }

    /// A name that the handler has not read, and the similar known name that the client probably meant.
    typealias UnknownName = (name: String, nearest: String?)

    func findUnknownParameter(in query: [(name: String, value: String)]) -> UnknownName? {
        guard !query.isEmpty else { return nil }
        return state.withLock { Self.findUnknownName(query.lazy.map(\.name), among: $0.parameters) }
    }

    var unknownMember: UnknownName? { state.withLock { Self.findUnknownName($0.sentMembers ?? [], among: $0.members) } }

    private static func findUnknownName(_ sent: some Sequence<String>, among known: Set<String>) -> UnknownName? {
        guard let name = sent.first(where: { !known.contains($0) }) else { return nil }
        return (name, known.findNearestName(to: name))
    }
}

extension RouteContext {
    /// Returns the value of a query parameter, and records that the handler has read the parameter.
    func readParameter(_ name: String) -> String? {
        knownNames.recordParameter(name)
        return request.parameter(name)
    }

    /// Refuses names that the handler has not read. Must be called after the handler has read all names that its route
    /// knows, and before the request has an effect.
    /// - Throws: `unknownParameter` or `unknownMember`.
    func refuseUnknownNames() throws(ProblemDetails) {
        // The parameter `ticket` is known too: it was read when the request was authorized.
        if route.policy.acceptedCredentials != .key { knownNames.recordParameter("ticket") }
        if let unknown = knownNames.findUnknownParameter(in: request.query) {
            throw ProblemDetails(
                parameter: String(unknown.name.shortened),
                ProblemDetails.addSuggestion("is not a parameter of this request.", unknown.nearest),
                .unknown,
                as: .unknownParameter
            )
        }
        if !knownNames.isBodyRead, !request.body.isEmpty { _ = try parseBody() }
        if let unknown = knownNames.unknownMember {
            throw ProblemDetails.unknownMemberProblem(
                unknown.name,
                at: JSONPointer([unknown.name]),
                nearest: unknown.nearest
            )
        }
    }
}

extension ProblemDetails {
    static func unknownMemberProblem(_ path: String, at pointer: JSONPointer, nearest: String?) -> ProblemDetails {
        let detail = addSuggestion("\(path.shortened) is not a member of this request's body.", nearest)
        var problem = ProblemDetails(.unknownMember, detail)
        // A longer pointer is left out: if it were cut off, it would point at another member.
        if pointer.text.utf8.count <= 1000 {
            problem.faults = [Fault(location: .member(pointer), code: .unknown, detail: detail)]
        }
        return problem
    }

    fileprivate static func addSuggestion(_ refusal: String, _ nearest: String?) -> String {
        nearest.map { "\(refusal) Did you mean \($0)?" } ?? refusal
    }
}

extension String {
    /// The beginning of a name, for a problem that repeats the name to the client.
    fileprivate var shortened: Substring { prefix(200) }
}
