import JSON

/// Checks JSON against the part of JSON Schema 2020-12 that the contract uses.
///
/// A keyword that is not supported is a violation, so that the whole contract is checked.
struct SchemaValidator {
    /// The document that `$ref` refers to.
    let document: JSONValue
    /// The branches of unions by type, for each reference to a union. Only the branch of the value's type is checked.
    var unions: [String: [String: JSONValue]] = [:]

    private static let supportedKeywords: Set = [
        "$ref", "type", "enum", "const", "properties", "required", "additionalProperties", "items", "anyOf", "oneOf",
        "allOf", "not",
        "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "pattern",
    ]
    private static let annotationKeywords: Set = [
        "description", "title", "format", "default", "example", "examples", "deprecated", "discriminator",
    ]

    /// Returns the violations in `value`, each with its place; empty for a valid value.
    func violations(of value: JSONValue, by schema: JSONValue, at place: String = "$") -> [String] {
        if let allowed = schema.boolValue { return allowed ? [] : ["\(place) is not allowed"] }
        guard let keywords = schema.objectValue else { return ["\(place): the schema is not an object"] }
        var found: [String] = []
        for (keyword, argument) in keywords {
            if Self.annotationKeywords.contains(keyword) { continue }
            guard Self.supportedKeywords.contains(keyword) else {
                found.append("\(place): the schema has the keyword \(keyword), which is not checked")
                continue
            }
            found += violations(of: value, keyword, argument, keywords, place)
        }
        return found
    }

    private func violations(
        of value: JSONValue,
        _ keyword: String,
        _ argument: JSONValue,
        _ schema: JSONObject,
        _ place: String
    ) -> [String] {
        // The complaint often contains a part of the schema as text, which takes longer than the check.
        func unless(_ holds: Bool, _ complaint: @autoclosure () -> String) -> [String] {
            holds ? [] : ["\(place) \(complaint())"]
        }
        func branches() -> [[String]] { (argument.arrayValue ?? []).map { violations(of: value, by: $0, at: place) } }
        switch keyword {
        case "$ref":
            if let branches = argument.stringValue.flatMap({ unions[$0] }),
                let branch = value["type"]?.stringValue.flatMap({ branches[$0] })
            {
                return violations(of: value, by: branch, at: place)
            }
            guard let target = resolveReference(argument) else {
                return ["\(place): the target of \(argument.text) does not exist"]
            }
            return violations(of: value, by: target, at: place)
        case "type":
            let types = argument.arrayValue ?? [argument]
            return unless(
                types.contains { Self.hasType(type: $0.stringValue, value) },
                "is not of type \(argument.text)"
            )
        case "enum": return unless(argument.arrayValue?.contains(value) == true, "is not one of \(argument.text)")
        case "const": return unless(argument == value, "is not \(argument.text)")
        case "anyOf":
            var branches: [[String]] = []
            for branch in argument.arrayValue ?? [] {
                let complaints = typeViolation(value, branch, place) ?? violations(of: value, by: branch, at: place)
                if complaints.isEmpty { return [] }
                branches.append(complaints)
            }
            return ["\(place) matches no schema of anyOf"] + nearestBranchViolations(branches, place)
        case "oneOf":
            let branches = (argument.arrayValue ?? []).map {
                typeViolation(value, $0, place) ?? violations(of: value, by: $0, at: place)
            }
            let count = branches.count(where: \.isEmpty)
            return count == 1
                ? []
                : ["\(place) does not match exactly one schema of oneOf"]
                    + (count == 0 ? nearestBranchViolations(branches, place) : [])
        case "allOf": return branches().flatMap { $0 }
        case "not":
            return unless(
                !violations(of: value, by: argument, at: place).isEmpty,
                "matches a schema that is excluded by not"
            )
        case "required":
            guard let object = value.objectValue else { return [] }
            return (argument.arrayValue ?? []).compactMap(\.stringValue).filter { object[$0] == nil }.map {
                "\(place).\($0) is missing"
            }
        case "properties":
            guard let object = value.objectValue, let schemas = argument.objectValue else { return [] }
            return schemas.flatMap { name, schema in
                object[name].map { violations(of: $0, by: schema, at: "\(place).\(name)") } ?? []
            }
        case "additionalProperties":
            guard let object = value.objectValue else { return [] }
            let known = Set(schema["properties"]?.objectValue?.keys ?? [])
            return object.filter { !known.contains($0.key) }.flatMap {
                violations(of: $0.value, by: argument, at: "\(place).\($0.key)")
            }
        case "items":
            return (value.arrayValue ?? []).enumerated().flatMap {
                violations(of: $1, by: argument, at: "\(place)[\($0)]")
            }
        case "minItems", "maxItems":
            guard let count = value.arrayValue?.count else { return [] }
            return unless(Self.isWithin(Double(count), keyword, argument), "has \(count) items")
        case "minLength", "maxLength":
            guard let count = value.stringValue?.unicodeScalars.count else { return [] }
            return unless(Self.isWithin(Double(count), keyword, argument), "has \(count) characters")
        case "minimum", "maximum":
            guard let number = Self.numberValue(value) else { return [] }
            return unless(Self.isWithin(number, keyword, argument), "is \(value.text)")
        case "pattern":
            guard let text = value.stringValue else { return [] }
            guard let pattern = argument.stringValue, let expression = try? Regex(pattern) else {
                return ["\(place): \(argument.text) is not a pattern"]
            }
            return unless((try? expression.firstMatch(in: text)) != nil, "does not match \(pattern)")
        default: return ["\(place): \(keyword) is not checked"]
        }
    }

    /// Returns the violations of the intended branch: the branch of the value's type, otherwise the branch with the
    /// fewest violations.
    private func nearestBranchViolations(_ branches: [[String]], _ place: String) -> [String] {
        func distance(_ complaints: [String]) -> Int {
            complaints.count + (complaints.contains { $0.hasPrefix("\(place).type ") } ? 1000 : 0)
        }
        return branches.min { distance($0) < distance($1) } ?? []
    }

    /// Returns the violation for a value whose type differs from the branch. Other parts of the branch are not checked.
    private func typeViolation(_ value: JSONValue, _ branch: JSONValue, _ place: String) -> [String]? {
        let branch = branch["$ref"].flatMap(resolveReference) ?? branch
        guard let type = value["type"], let wanted = branch["properties"]?["type"]?["const"], wanted != type else {
            return nil
        }
        return ["\(place).type is not \(wanted.text)"]
    }

    /// Returns the unsupported keywords of a schema and of its parts.
    static func findUnsupportedKeywords(in schema: JSONValue) -> Set<String> {
        var found: Set<String> = []
        for (keyword, argument) in schema.objectValue ?? JSONObject() {
            switch keyword {
            case "properties":
                for (_, member) in argument.objectValue ?? JSONObject() {
                    found.formUnion(findUnsupportedKeywords(in: member))
                }
            case "items", "additionalProperties", "not": found.formUnion(findUnsupportedKeywords(in: argument))
            case "anyOf", "oneOf", "allOf":
                for branch in argument.arrayValue ?? [] { found.formUnion(findUnsupportedKeywords(in: branch)) }
            default:
                if !supportedKeywords.contains(keyword), !annotationKeywords.contains(keyword) { found.insert(keyword) }
            }
        }
        return found
    }

    /// Returns the named unions of a contract whose branches are named.
    static func findUnions(of document: JSONValue) -> [String: [String: JSONValue]] {
        let validator = SchemaValidator(document: document)
        var found: [String: [String: JSONValue]] = [:]
        for (name, schema) in document["components"]?["schemas"]?.objectValue ?? JSONObject() {
            for branch in schema["oneOf"]?.arrayValue ?? [] {
                guard let branch = branch["$ref"].flatMap(validator.resolveReference),
                    let type = branch["properties"]?["type"]?["const"]?.stringValue
                else { continue }
                found["#/components/schemas/\(name)", default: [:]][type] = branch
            }
        }
        return found
    }

    /// Returns the schema to which a `$ref` in the document leads.
    func resolveReference(_ reference: JSONValue) -> JSONValue? {
        guard let path = reference.stringValue, path.hasPrefix("#/") else { return nil }
        return path.split(separator: "/").dropFirst().reduce(JSONValue?.some(document)) { $0?[String($1)] }
    }

    private static func hasType(type: String?, _ value: JSONValue) -> Bool {
        switch (type, value) {
        case ("null", .null), ("boolean", .bool), ("integer", .integer), ("number", .integer), ("number", .real),
            ("string", .string),
            ("array", .array), ("object", .object):
            true
        case ("integer", .real(let number)): number.rounded() == number
        default: false
        }
    }

    private static func numberValue(_ value: JSONValue) -> Double? {
        switch value {
        case .integer(let number): Double(number)
        case .real(let number): number
        default: nil
        }
    }

    private static func isWithin(_ number: Double, _ keyword: String, _ argument: JSONValue) -> Bool {
        guard let limit = Self.numberValue(argument) else { return false }
        return keyword.hasPrefix("min") ? number >= limit : number <= limit
    }
}
