internal import JSON

/// The members that a client wants in the entries of a list. The parameter `fields` names the members by paths with
/// dots, such as `chatInfo.contact.localDisplayName`.
struct FieldMask: Sendable, Equatable {
    /// Maximal number of paths, and of names in a path.
    static let (maxPaths, maxPathNames) = (32, 8)

    /// The wanted members; empty if the whole value is wanted.
    private var wantedMembers: [String: FieldMask] = [:]

    /// Parses the parameter `fields`.
    /// - Parameter record: the name of the entries' schema in the contract.
    init(_ text: String, of record: String) throws(ProblemDetails) {
        let paths = text.split(separator: ",", omittingEmptySubsequences: false)
        guard paths.count <= Self.maxPaths else {
            throw ProblemDetails(parameter: "fields", "can have at most \(Self.maxPaths) paths.")
        }
        for path in paths {
            let names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            guard names.count <= Self.maxPathNames else {
                throw ProblemDetails(parameter: "fields", "has a path with more than \(Self.maxPathNames) names.")
            }
            if let unknown = RecordShapes.answerShapes.findUnknownName(in: names, of: record) {
                let hint = unknown.nearest.map { " Did you mean \($0)?" } ?? ""
                throw ProblemDetails(
                    parameter: "fields",
                    "has the unknown name \(unknown.name.prefix(100)).\(hint)"
                )
            }
            addPath(names[...])
        }
    }

    private init() {}

    /// Adds a path. A shorter path includes all longer paths that begin with it.
    private mutating func addPath(_ path: ArraySlice<String>) {
        guard let name = path.first else { return wantedMembers = [:] }
        guard let known = wantedMembers[name] else {
            var part = FieldMask()
            part.addPath(path.dropFirst())
            return wantedMembers[name] = part
        }
        guard !known.wantedMembers.isEmpty else { return }
        var part = known
        part.addPath(path.dropFirst())
        wantedMembers[name] = part
    }

    /// Returns the wanted part of a value. Each object keeps its `type`, from which a client knows which other members
    /// the object can have.
    func selectPart(of value: JSONValue) -> JSONValue {
        guard !wantedMembers.isEmpty else { return value }
        if let entries = value.arrayValue { return .array(entries.map(selectPart)) }
        guard let object = value.objectValue else { return value }
        var kept = JSONObject()
        for (name, value) in object {
            if let mask = wantedMembers[name] {
                kept[name] = mask.selectPart(of: value)
            } else if name == "type" {
                kept[name] = value
            }
        }
        return .object(kept)
    }
}

extension FieldMask {
    /// The media type of an answer that has only a part of its members. The type is separate, because the contract has
    /// one schema for each media type.
    static let partMediaType = "application/vnd.simplex-gateway.part+json"

    /// Reads the parameter `fields` of a route whose answer has a list.
    /// - Parameters:
    ///   - list: the member of the answer with the entries.
    ///   - record: the name of the entries' schema in the contract.
    /// - Returns: a function that makes an answer with the wanted members of the entries.
    static func makeFinisher(
        _ list: String,
        of record: String
    ) -> @Sendable (RouteContext) throws(ProblemDetails) -> Route.AnswerFinisher {
        { context throws(ProblemDetails) in
            guard let text = context.readParameter("fields") else { return { run in await run() } }
            let mask = try FieldMask(text, of: record)
            return { run in
                var response = await run()
                guard response.status == 200, case .bytes(let bytes) = response.content,
                    let body = try? JSONValue(parsing: bytes, limits: .forOwnText)
                else { return response }
                var part = JSONObject()
                for (name, value) in body.objectValue ?? [:] {
                    if name == list {
                        part[name] = mask.selectPart(of: value)
                    } else if ["type", "next", "prev"].contains(name) {
                        part[name] = value
                    }
                }
                response.content = .bytes(JSONValue.object(part).encodeText())
                response.headers =
                    response.headers.filter { $0.name != "Content-Type" } + [("Content-Type", partMediaType)]
                return response
            }
        }
    }
}
