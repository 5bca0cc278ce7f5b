internal import JSON

/// A JSON object in the body of a request from another program, in the program's own form. Unknown members are
/// accepted, because the sending programs add members between their versions.
struct ForeignObject: Sendable {
    private let members: JSONObject
    private let basePointer: JSONPointer

    init(_ members: JSONObject, at place: JSONPointer = JSONPointer([String]())) {
        (self.members, self.basePointer) = (members, place)
    }

    /// Reads the text in the member `name`; `nil` when the member is absent or null.
    func readText(_ name: String) throws(ProblemDetails) -> String? { try readValue(name, "a text", \.stringValue) }

    func requireText(_ name: String) throws(ProblemDetails) -> String {
        guard let text = try readText(name) else { throw makeProblem(name, .missing, "is missing.") }
        return text
    }

    func readNumber(_ name: String) throws(ProblemDetails) -> Int64? {
        try readValue(name, "a whole number", \.integerValue)
    }

    func readObject(_ name: String) throws(ProblemDetails) -> ForeignObject? {
        try readValue(name, "an object") { $0.objectValue.map { ForeignObject($0, at: basePointer.appending(name)) } }
    }

    /// Reads the array of objects in the member `name`; empty when the member is absent or null.
    func readObjects(_ name: String) throws(ProblemDetails) -> [ForeignObject] {
        let values = try readValue(name, "an array", \.arrayValue) ?? []
        var objects: [ForeignObject] = []
        for (index, value) in values.enumerated() {
            guard let members = value.objectValue else {
                throw makeProblem(name, .wrongType, "must contain only objects.")
            }
            objects.append(ForeignObject(members, at: basePointer.appending(name).appending("\(index)")))
        }
        return objects
    }

    /// Reads the array of texts in the member `name`; empty when the member is absent or null.
    func readTexts(_ name: String) throws(ProblemDetails) -> [String] {
        let values = try readValue(name, "an array", \.arrayValue) ?? []
        let texts = values.compactMap(\.stringValue)
        guard texts.count == values.count else { throw makeProblem(name, .wrongType, "must contain only texts.") }
        return texts
    }

    /// Reads the member `name`, an object that contains only texts, such as labels. The result is empty when this
    /// member is absent or null.
    func readNamedTexts(_ name: String) throws(ProblemDetails) -> [String: String] {
        let members = try readValue(name, "an object", \.objectValue) ?? JSONObject()
        var texts: [String: String] = [:]
        for (name, value) in members { texts[name] = value.stringValue }
        guard texts.count == members.count else { throw makeProblem(name, .wrongType, "must contain only texts.") }
        return texts
    }

    private func readValue<T>(
        _ name: String,
        _ kind: String,
        _ read: (JSONValue) -> T?
    ) throws(ProblemDetails) -> T? {
        guard let value = members[name], !value.isNull else { return nil }
        guard let found = read(value) else { throw makeProblem(name, .wrongType, "must be \(kind).") }
        return found
    }

    /// Makes the problem for a wrong member.
    /// - Parameter words: the rest of a sentence that begins with the path of the member.
    func makeProblem(_ name: String, _ fault: ProblemDetails.Fault.Code, _ words: String) -> ProblemDetails {
        let pointer = basePointer.appending(name)
        let path = pointer.text.split(separator: "/").joined(separator: ".")
        return ProblemDetails(.invalidValue, at: pointer, fault, "\(path) \(words)")
    }
}
