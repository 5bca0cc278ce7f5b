/// Finds the route of a path in a tree of segments. A literal segment takes precedence over a parameter.
struct Router: Sendable {
    enum Match: Sendable {
        case found(Route, parameters: [String: String])
        /// The path is known, but only with the given other methods.
        case otherMethods([HTTPMethod])
        case none
    }

    private struct Node: Sendable {
        var literals: [String: Int] = [:]
        var parameter: Int?
        var routes: [HTTPMethod: (route: Route, names: [String])] = [:]
    }

    private var nodes: [Node] = [Node()]

    init(_ routes: [Route]) {
        for route in routes { addRoute(route) }
    }

    private mutating func addRoute(_ route: Route) {
        var node = 0
        var names: [String] = []
        for segment in Router.splitSegments(route.template) {
            if segment.hasPrefix("{"), segment.hasSuffix("}") {
                names.append(String(segment.dropFirst().dropLast()))
                node = nodes[node].parameter ?? appendNode { nodes, new in nodes[node].parameter = new }
            } else {
                let literal = String(segment)
                node = nodes[node].literals[literal] ?? appendNode { nodes, new in nodes[node].literals[literal] = new }
            }
        }
        nodes[node].routes[route.method] = (route, names)
    }

    private mutating func appendNode(_ link: (inout [Node], Int) -> Void) -> Int {
        nodes.append(Node())
        link(&nodes, nodes.count - 1)
        return nodes.count - 1
    }

    func matchRoute(method: String, path: String) -> Match {
        let segments = Router.splitSegments(path)
        guard segments.count <= 16 else { return .none }
        var values: [Substring] = []
        guard let node = findNode(segments[...], from: 0, &values) else { return .none }
        guard let known = HTTPMethod(rawValue: method == "HEAD" ? "GET" : method), let entry = nodes[node].routes[known]
        else {
            return .otherMethods(HTTPMethod.allCases.filter { nodes[node].routes[$0] != nil })
        }
        var parameters: [String: String] = [:]
        for (name, value) in zip(entry.names, values) {
            guard let decoded = PercentEncoding.decode(value) else { return .none }
            parameters[name] = decoded
        }
        return .found(entry.route, parameters: parameters)
    }

    private func findNode(_ segments: ArraySlice<Substring>, from node: Int, _ values: inout [Substring]) -> Int? {
        guard let first = segments.first else { return nodes[node].routes.isEmpty ? nil : node }
        if let next = nodes[node].literals[String(first)],
            let found = findNode(segments.dropFirst(), from: next, &values)
        {
            return found
        }
        guard let next = nodes[node].parameter, !first.isEmpty else { return nil }
        values.append(first)
        if let found = findNode(segments.dropFirst(), from: next, &values) { return found }
        values.removeLast()
        return nil
    }

    /// Returns the segments of a path. `/` has no segments, and `/a/b` has two. A trailing slash adds an empty segment.
    private static func splitSegments(_ path: String) -> [Substring] {
        guard path != "/" else { return [] }
        return path.dropFirst(path.hasPrefix("/") ? 1 : 0).split(separator: "/", omittingEmptySubsequences: false)
    }
}
