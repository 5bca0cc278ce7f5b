import JSON

@testable import Gateway

/// A number in a request, as described by the contract.
struct ContractNumber: Sendable, CustomStringConvertible {
    enum NumberPlace: String, Sendable { case path, query, header, body }

    let route: Route
    let place: NumberPlace
    /// The name of the parameter, or the names of the members that lead to the number in a body.
    let path: [String]
    let schema: JSONValue
    /// Makes a body with a value in the place of the number. Other members come from a given body, or are only the
    /// required ones.
    private let makeBody: FoundNumber.BodyMaker

    var description: String { "\(route.operationID) \(place.rawValue) \(path.joined(separator: "."))" }

    private static let extremes: [Int64] = [0, 1, -1, .min, .max, Int64(Int32.min), Int64(Int32.max), 1 << 53 + 1]

    /// Values to try: the extremes of all numbers, and the limits of this number with their neighbours.
    var values: [JSONValue] {
        // There are many similar ids in paths, so only these values are tried for them.
        if place == .path { return [0, -1, .integer(.min), .integer(.max), .real(1e308)] }
        let ends = [schema["minimum"], schema["maximum"]].compactMap { $0?.integerValue }
        let integers = Self.extremes + ends.flatMap { [$0 &- 1, $0, $0 &+ 1] }
        return Set(integers).sorted().map { .integer($0) } + [.real(1e308), .real(-1e308)]
    }

    /// Whether the contract permits a value. An integer has 64 bits.
    func allows(_ value: JSONValue) -> Bool {
        guard value.integerValue != nil || schema["type"] == "number" else { return false }
        return SchemaValidator(document: Contract.servedContract.document).violations(of: value, by: schema).isEmpty
    }

    struct Request {
        let target: String
        let headers: [(String, String)]
        let body: String?
    }

    /// - Parameters:
    ///   - ids: values for parameters of the path; 1 for others.
    ///   - body: a body for the other members; nil for the smallest body that the contract permits.
    func makeRequest(_ value: JSONValue, ids: [String: String], body: JSONValue?) -> Request {
        let segments = route.template.split(separator: "/", omittingEmptySubsequences: false).map { segment -> String in
            guard segment.hasPrefix("{") else { return String(segment) }
            let name = String(segment.dropFirst().dropLast())
            return place == .path && path == [name] ? value.text : ids[name] ?? "1"
        }
        let query = place == .query ? "?\(path[0])=\(value.text)" : route.requiredQuery
        let content = body ?? route.sampleBody
        return Request(
            target: segments.joined(separator: "/") + query,
            headers: place == .header ? [(path[0], value.text)] : [],
            body: place == .body ? makeBody(value, content).text : content?.text
        )
    }

    /// All numbers in all operations.
    static let all: [ContractNumber] = RouteTable.all.flatMap { route -> [ContractNumber] in
        guard let operation = Contract.servedContract.findOperation(route) else { return [] }
        let validator = SchemaValidator(document: Contract.servedContract.document)
        let parameters = (operation["parameters"]?.arrayValue ?? []).map {
            $0["$ref"].flatMap(validator.resolveReference) ?? $0
        }
        let ofParameters = parameters.flatMap { parameter -> [ContractNumber] in
            let place = NumberPlace(rawValue: parameter["in"]?.stringValue ?? "")
            guard let name = parameter["name"]?.stringValue, let place else { return [] }
            return FoundNumber.findAll(in: parameter["schema"] ?? .null).map { found in
                ContractNumber(route: route, place: place, path: [name], schema: found.schema, makeBody: found.makeBody)
            }
        }
        let ofBody = Contract.servedContract.findBodySchema(operation).map { FoundNumber.findAll(in: $0) } ?? []
        return ofParameters
            + ofBody.map { found in
                ContractNumber(
                    route: route,
                    place: .body,
                    path: found.path,
                    schema: found.schema,
                    makeBody: found.makeBody
                )
            }
    }

    /// A number in a schema.
    private struct FoundNumber {
        typealias BodyMaker = @Sendable (_ value: JSONValue, _ around: JSONValue?) -> JSONValue

        let path: [String]
        let schema: JSONValue
        let makeBody: BodyMaker

        /// - Parameter seen: the references on the way to this schema, so that a recursive schema is visited once.
        static func findAll(in schema: JSONValue, _ seen: Set<String> = []) -> [FoundNumber] {
            if let reference = schema["$ref"]?.stringValue {
                let target = SchemaValidator(document: Contract.servedContract.document).resolveReference(
                    .string(reference)
                )
                guard !seen.contains(reference), let target else { return [] }
                return findAll(in: target, seen.union([reference]))
            }
            var found: [FoundNumber] = []
            let types = schema["type"]?.arrayValue ?? [schema["type"] ?? .null]
            if types.contains("integer") || types.contains("number") {
                found.append(FoundNumber(path: [], schema: schema, makeBody: { value, _ in value }))
            }
            for branch in (schema["oneOf"] ?? schema["anyOf"])?.arrayValue ?? [] {
                found += findAll(in: branch, seen).map(\.asBranch)
            }
            if let items = schema["items"] { found += findAll(in: items, seen).map(\.asItem) }
            var members = schema["properties"]?.objectValue ?? JSONObject()
            if let others = schema["additionalProperties"], others.objectValue != nil { members["a"] = others }
            for (name, member) in members { found += findAll(in: member, seen).map { $0.asMember(name, of: schema) } }
            return found
        }

        /// Returns the number of a branch as a number of the whole union. The value around the number is made new,
        /// because a given value can be of another branch.
        private var asBranch: FoundNumber {
            let inner = makeBody
            return FoundNumber(path: path, schema: schema, makeBody: { value, _ in inner(value, nil) })
        }

        private var asItem: FoundNumber {
            let inner = makeBody
            return FoundNumber(
                path: path,
                schema: schema,
                makeBody: { value, around in .array([inner(value, around?[0])]) }
            )
        }

        private func asMember(_ name: String, of object: JSONValue) -> FoundNumber {
            let inner = makeBody
            return FoundNumber(
                path: [name] + path,
                schema: schema,
                makeBody: { value, around in
                    var members =
                        around?.objectValue ?? Contract.servedContract.makeSample(object).objectValue ?? JSONObject()
                    members[name] = inner(value, members[name])
                    return .object(members)
                }
            )
        }
    }
}
