import JSON
import TestSupport

/// Sample values, made from the description of a type in the catalogue.
struct CatalogueSamples: Sendable {
    struct Member: Sendable {
        let name: String
        let type: String
        let isOptional: Bool

        init(_ value: JSONValue) {
            // In the catalogue, `!data` marks a value without a separate name.
            name = value[0]?.stringValue.map { $0.hasPrefix("!") ? String($0.dropFirst()) : $0 } ?? ""
            // The type parameter of a type such as `DatabaseDiff<string>` is left out, since it does not change the
            // members. Only maps keep it.
            type =
                value[1]?.stringValue.map {
                    String($0.prefix { $0 != "<" || value[1]?.stringValue?.hasPrefix("map") == true })
                } ?? ""
            isOptional = value[2] == true
        }
    }

    struct Case: Sendable {
        let tag: String
        let members: [Member]
        let isPositional: Bool
        /// Whether only old cores send the value.
        let isObsolete: Bool

        init(_ value: JSONValue) {
            tag = value["tag"]?.stringValue ?? ""
            members = (value["fields"]?.arrayValue ?? []).map(Member.init)
            isPositional = value["positional"] == true
            isObsolete = value["obsolete"] == true
        }
    }

    let records: [String: [Member]]
    let unions: [String: [Case]]
    let enums: [String: [String]]
    let responses: [Case]
    let events: [Case]
    /// Sizes of the smallest values of types. A type without an entry has no finite value.
    private var minSizes: [String: Int] = [:]

    /// The nesting depth from which samples have no optional members and only empty lists.
    private static let maxDepth = 3

    static let all = Result { try CatalogueSamples(Fixture.readCatalogue()) }

    init(_ catalogue: JSONValue) {
        func table<T>(_ name: String, _ read: (JSONValue) -> T) -> [String: T] {
            Dictionary(
                (catalogue[name]?.objectValue ?? JSONObject()).map { ($0.key, read($0.value)) },
                uniquingKeysWith: { first, _ in first }
            )
        }
        records = table("records") { ($0.arrayValue ?? []).map(Member.init) }
        unions = table("unions") { ($0.arrayValue ?? []).map(Case.init) }
        enums = table("enums") { ($0.arrayValue ?? []).compactMap(\.stringValue) }
        responses = (catalogue["responses"]?.arrayValue ?? []).map(Case.init)
        events = (catalogue["events"]?.arrayValue ?? []).map(Case.init)
        for _ in 0..<20 {
            for (name, members) in records { minSizes[name] = minSize(members) }
            for (name, cases) in unions { minSizes[name] = cases.compactMap { minSize($0.members) }.min() }
        }
    }

    private func minSize(_ members: [Member]) -> Int? {
        var sum = 1
        for member in members where !member.isOptional {
            guard let next = records[member.type] == nil && unions[member.type] == nil ? 1 : minSizes[member.type]
            else {
                return nil
            }
            sum += next
        }
        return sum
    }

    func makeObject(_ members: [Member], tag: String? = nil, complete: Bool = true, depth: Int = 0) -> JSONValue {
        var object = JSONObject()
        if let tag { object["type"] = .string(tag) }
        for member in members where !member.isOptional || (complete && depth < Self.maxDepth) {
            object[member.name] = makeValue(member.type, complete: complete, depth: depth + 1)
        }
        return .object(object)
    }

    func makeValue(_ type: String, complete: Bool = true, depth: Int = 0) -> JSONValue {
        if type.hasPrefix("[") {
            return depth < Self.maxDepth
                ? [makeValue(String(type.dropFirst().dropLast()), complete: complete, depth: depth + 1)] : []
        }
        if type.hasPrefix("map<string,") {
            return depth < Self.maxDepth
                ? ["1": makeValue(String(type.dropFirst(11).dropLast()), complete: complete, depth: depth + 1)] : [:]
        }
        if let values = enums[type] { return values.first.map(JSONValue.string) ?? "a" }
        if let members = records[type] { return makeObject(members, complete: complete, depth: depth) }
        if let cases = unions[type] {
            let cheapest = cases.min { minSize($0.members) ?? .max < minSize($1.members) ?? .max }
            return cheapest.map { makeObject($0.members, tag: $0.tag, complete: complete, depth: depth) } ?? .null
        }
        switch type {
        case "bool": return true
        case "int", "int64", "word32": return 7
        case "double": return 1.5
        case "UTCTime": return "2026-11-21T03:04:47.256Z"
        case "JSON", "JSONObject": return ["x": 1]
        default: return "a"
        }
    }
}
