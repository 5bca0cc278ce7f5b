internal import JSON

extension RouteContext {
    /// Parameters of a list that choose a page, and so are no filters.
    private static let placeParameters = ["limit", "cursor", "ticket", "around", "initial"]
    /// Parameters that are no filters, and are repeated in the links to other pages.
    private static let keptPageParameters = ["limit", "fields"]

    /// Reads the parameters `limit` and `cursor`.
    /// - Parameters:
    ///   - usual: the limit if the request has no parameter `limit`.
    ///   - begins: whether `around` or `initial` can choose the first page.
    func parsePage(
        limit usual: Int64 = 1000,
        most: Int64 = 5000,
        begins: Bool = false
    ) throws(ProblemDetails) -> PageRequest {
        if begins { try requireAtMostOne(of: ["around", "initial", "cursor"]) }
        return try PageRequest(
            list: request.path,
            filters: request.query.filter { !(Self.placeParameters + Self.keptPageParameters).contains($0.name) },
            limit: parsePageLimit(usual, most: most),
            cursor: readParameter("cursor")
        )
    }

    /// Checks that the query has at most one of the given parameters.
    /// - Throws: `invalidParameter` for a query with several of them.
    func requireAtMostOne(of names: [String]) throws(ProblemDetails) {
        guard names.count(where: { readParameter($0) != nil }) > 1 else { return }
        let last = names.last.map { " and \($0)" } ?? ""
        throw ProblemDetails(
            .invalidParameter,
            "Only one of \(names.dropLast().joined(separator: ", "))\(last) can be given."
        )
    }

    /// Reads the parameter `limit`, which is the maximal number of entries in a page.
    func parsePageLimit(_ usual: Int64 = 1000, most: Int64 = 5000) throws(ProblemDetails) -> Int {
        Int(try parseNumber("limit", in: 1...most) ?? usual)
    }

    /// Makes the target of a request for another page of a list.
    fileprivate func makeTarget(_ path: String, _ cursor: String) -> String {
        let kept = request.query.filter {
            Self.keptPageParameters.contains($0.name) || !Self.placeParameters.contains($0.name)
        }
        let query = (kept + [(name: "cursor", value: cursor)])
            .map { "\(PercentEncoding.encode($0.name))=\(PercentEncoding.encode($0.value))" }
        return path + "?" + query.joined(separator: "&")
    }
}

extension HTTPResponse {
    /// Makes the answer with a page: `{name:[…],"next":…,"prev":…}`.
    init(_ name: String, _ entries: [JSONValue], _ ends: PageCursors, _ context: RouteContext) {
        self.init(json: JSONValue.object(JSONObject([(name, .array(entries))])).encodeText())
        addPageCursors(ends, context)
    }

    /// Adds the cursors of the previous and the next page, in the members `next` and `prev`, and the targets of these
    /// pages in the header field `Link`.
    /// - Parameter path: the path of the list; nil for the path of the request.
    mutating func addPageCursors(_ ends: PageCursors, _ context: RouteContext, path: String? = nil) {
        var links: [String] = []
        for (name, cursor) in [("next", ends.next), ("prev", ends.prev)] {
            addMember(name, cursor.map { .string($0) } ?? .null)
            if let cursor {
                links.append("<\(context.makeTarget(path ?? context.request.path, cursor))>; rel=\"\(name)\"")
            }
        }
        if !links.isEmpty { headers.append(("Link", links.joined(separator: ", "))) }
    }
}
