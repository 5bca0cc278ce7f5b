internal import JSON

/// The members of records in answers, from the schemas of the contract. A record is a JSON object that has a schema.
struct RecordShapes: Sendable {
    /// The records in lists of which a client can request only some members (`fields`).
    static let answerShapes = RecordShapes(
        ServedContract.parseContract("openapi.json")?["components"]?["schemas"],
        roots: ["AChat", "AChatItem", "Contact", "GroupInfo"]
    )

    /// The members of each record. For each member, the set has the records that the value of the member can be. A
    /// union is a record with the members of all its cases.
    private var membersByRecord: [String: [String: Set<String>]] = [:]

    init(_ schemas: JSONValue?, roots: [String]) {
        var (found, waiting): (Set<String>, [String]) = ([], roots)
        while let name = waiting.popLast() {
            guard found.insert(name).inserted, let schema = schemas?[name] else { continue }
            addMembers(schema, into: name, schemas, &waiting)
        }
    }

    /// Adds the members of a schema to a record. Adds the records that are values of these members to `waiting`.
    private mutating func addMembers(
        _ schema: JSONValue,
        into record: String,
        _ schemas: JSONValue?,
        _ waiting: inout [String],
        depth: Int = 0
    ) {
        // The limit ends cycles of references. Nested unions of the contract have fewer levels.
        guard depth < 8 else { return }
        if let name = Self.parseReferenceTarget(schema), let other = schemas?[name] {
            addMembers(other, into: record, schemas, &waiting, depth: depth + 1)
        }
        for list in ["oneOf", "anyOf", "allOf"] {
            for part in schema[list]?.arrayValue ?? [] {
                addMembers(part, into: record, schemas, &waiting, depth: depth + 1)
            }
        }
        if let items = schema["items"] { addMembers(items, into: record, schemas, &waiting, depth: depth + 1) }
        for (name, member) in schema["properties"]?.objectValue ?? [:] {
            let known = membersByRecord[record]?[name] ?? []
            if let target = Self.parseReferenceTarget(member) ?? member["items"].flatMap(Self.parseReferenceTarget) {
                membersByRecord[record, default: [:]][name] = known.union([target])
                waiting.append(target)
            } else {
                let own = "\(record).\(name)"
                addMembers(member, into: own, schemas, &waiting, depth: depth + 1)
                membersByRecord[record, default: [:]][name] = known.union([own])
            }
        }
    }

    /// Returns the name of the schema to which a reference leads; nil without a reference.
    private static func parseReferenceTarget(_ schema: JSONValue) -> String? {
        schema["$ref"]?.stringValue?.split(separator: "/").last.map(String.init)
    }

    /// Returns the first unknown name in a path, and the similar name of a member; nil if all names are known.
    func findUnknownName(in path: [String], of record: String) -> KnownNames.UnknownName? {
        var present: Set<String> = [record]
        for name in path {
            let members = present.compactMap { membersByRecord[$0] }
            let next = members.compactMap { $0[name] }
            guard !next.isEmpty else { return (name, Set(members.flatMap(\.keys)).findNearestName(to: name)) }
            present = next.reduce(into: []) { $0.formUnion($1) }
        }
        return nil
    }
}
