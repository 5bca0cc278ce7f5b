/// The search for the route of a request.
extension GatewayService {
    /// Finds the route of a request, with the parameters in its path and the id of the phone that serves the request.
    /// The id is nil for a request to this gateway.
    func findRoute(
        _ request: HTTPRequest
    ) throws(ProblemDetails) -> (Route, [String: String], remoteHost: Int64?) {
        if case .none = router.matchRoute(method: request.method, path: request.path),
            let (id, path) = PhonePath.split(request.path)
        {
            let (route, parameters) = try findRoute(request, path)
            guard route.policy.phones == .served else { throw ProblemDetails(.unknownRoute) }
            return (route, parameters.merging(["remoteHostId": "\(id)"]) { own, _ in own }, id)
        }
        let (route, parameters) = try findRoute(request, request.path)
        return (route, parameters, nil)
    }

    private func findRoute(_ request: HTTPRequest, _ path: String) throws(ProblemDetails) -> (Route, [String: String]) {
        switch router.matchRoute(method: request.method, path: path) {
        case .found(let route, let parameters):
            // A parameter that is given twice is refused, because one of its values would be ignored.
            var names: Set<String> = []
            for field in request.query where !names.insert(field.name).inserted {
                throw ProblemDetails(.invalidParameter, "A parameter of the query can be given only once.")
            }
            return (route, parameters)
        case .otherMethods(let methods):
            var problem = ProblemDetails(.methodNotAllowed)
            var names = methods.map(\.rawValue)
            if methods.contains(.get) { names.append("HEAD") }
            problem.headers = [("Allow", names.joined(separator: ", "))]
            throw problem
        case .none:
            throw ProblemDetails(.unknownRoute)
        }
    }
}
