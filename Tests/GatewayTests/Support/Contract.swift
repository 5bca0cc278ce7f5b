import JSON
import Testing

@testable import Gateway

/// The contract, against which test clients check all their requests and answers.
struct Contract: Sendable {
    let document: JSONValue
    private let unions: [String: [String: JSONValue]]
    private let router = Router(RouteTable.all)

    static let servedContract = Contract(document: ServedContract.parseContract("openapi.json") ?? .null)

    init(document: JSONValue) {
        self.document = document
        unions = SchemaValidator.findUnions(of: document)
    }

    struct Request: Sendable {
        let method: String
        let target: String
        let body: [UInt8]

        var path: String { String(target.prefix { $0 != "?" }) }
    }

    func findOperation(_ route: Route) -> JSONValue? {
        document["paths"]?[route.template]?[route.method.rawValue.lowercased()]
    }

    func findOperation(of request: Request) -> JSONValue? {
        if case .found(let route, _) = router.matchRoute(method: request.method, path: request.path) {
            return findOperation(route)
        }
        // A request for a phone has the same route in the contract as a request for this gateway.
        guard let (_, path) = PhonePath.split(request.path),
            case .found(let route, _) = router.matchRoute(method: request.method, path: path)
        else { return nil }
        return findOperation(route)
    }

    /// The schema of the JSON body of a request.
    func findBodySchema(_ operation: JSONValue) -> JSONValue? {
        let schema = operation["requestBody"]?["content"]?["application/json"]?["schema"]
        // Only schemas whose names end in `Request` are exclusively for bodies.
        guard let name = schema?["$ref"], name.stringValue?.hasSuffix("Request") == true else { return schema }
        return SchemaValidator(document: document).resolveReference(name)
    }

    func violations(of value: JSONValue, by schema: JSONValue) -> [String] {
        SchemaValidator(document: document, unions: unions).violations(of: value, by: schema)
    }

    // MARK: Answers

    /// Returns the violations of an answer.
    /// - Parameter body: nil if the body is not checked, as for the answer to a HEAD request or for a stream.
    func violations(_ request: Request, status: Int, type: String?, body: [UInt8]?) -> [String] {
        if request.method == "OPTIONS" { return [] }
        if status >= 400 { return problemViolations(status: status, type: type, body: body) }
        guard let operation = findOperation(of: request) else {
            return ["the contract has no operation for the request, which returned \(status)"]
        }
        guard let response = operation["responses"]?[String(status)] else {
            return ["the contract does not list the status \(status)"]
        }
        return requestViolations(request, operation).map { "request: \($0)" }
            + answerViolations(response, type: type, body: body)
    }

    /// Returns the headers of an answer that the contract does not have, or the status that it does not have. Headers
    /// of HTTP itself are left out.
    func undeclaredHeaders(_ request: Request, status: Int, headers: [String]) -> [String] {
        guard let written = findOperation(of: request)?["responses"]?[String(status)] else { return ["\(status)"] }
        let response = written["$ref"].flatMap { SchemaValidator(document: document).resolveReference($0) } ?? written
        let declared = Set((response["headers"]?.objectValue ?? JSONObject()).map { $0.0.lowercased() })
        let general: Set = ["connection", "content-length", "content-type", "date", "transfer-encoding"]
        return headers.filter { !declared.contains($0) && !general.contains($0) }
    }

    private func problemViolations(status: Int, type: String?, body: [UInt8]?) -> [String] {
        guard type == "application/problem+json" else {
            return [
                "the answer with status \(status) has the content type \(type ?? "nothing"), not that of a problem document"
            ]
        }
        guard let body else { return [] }
        guard let problem = try? JSONValue(parsing: body),
            let schema = document["components"]?["schemas"]?["ProblemDetails"]
        else {
            return ["the problem document cannot be read"]
        }
        return violations(of: problem, by: schema)
            + (problem["status"] == .integer(Int64(status)) ? [] : ["the problem document has another status"])
    }

    private func answerViolations(_ response: JSONValue, type: String?, body: [UInt8]?) -> [String] {
        guard let content = response["content"]?.objectValue else {
            return body?.isEmpty ?? true ? [] : ["the contract has no body for the answer"]
        }
        let plain = type.map { $0.prefix { $0 != ";" } }.map(String.init) ?? ""
        guard let schema = content[plain]?["schema"] else {
            return ["the contract does not list the content type \(plain)"]
        }
        guard let body, plain == "application/json" else { return [] }
        guard let value = try? JSONValue(parsing: body) else { return ["the body is not JSON"] }
        return violations(of: value, by: schema)
    }

    // MARK: Requests

    /// Returns the violations of a request to a receiver, by its entry in the section `webhooks`.
    func violations(ofWebhook name: String, header: (String) -> String?, body: JSONValue) -> [String] {
        guard let operation = document["webhooks"]?[name]?["post"],
            let schema = operation["requestBody"]?["content"]?["application/json"]?["schema"]
        else { return ["the contract has no webhook \(name)"] }
        let parameters = (operation["parameters"]?.arrayValue ?? []).compactMap { parameter -> JSONValue? in
            guard let reference = parameter["$ref"] else { return parameter }
            return SchemaValidator(document: document).resolveReference(reference)
        }
        let needed = parameters.filter { $0["required"] == true }
        return needed.filter { header($0["name"]?.stringValue ?? "") == nil }.map { "\($0) is missing" }
            + violations(of: body, by: schema)
    }

    /// Returns the violations of a request that succeeded, since the contract must describe every request that the
    /// server accepts.
    private func requestViolations(_ request: Request, _ operation: JSONValue) -> [String] {
        parameterViolations(request, operation) + bodyViolations(request.body, operation)
    }

    private func bodyViolations(_ body: [UInt8], _ operation: JSONValue) -> [String] {
        guard let described = operation["requestBody"] else {
            return body.isEmpty || body == Array("{}".utf8)
                ? [] : ["the server accepted a body that the contract does not have"]
        }
        // A body that is not JSON is a file, which may contain any bytes.
        guard described["content"]?["application/json"] != nil else { return [] }
        // The body may also be plain text, which may be any text.
        if described["content"]?["text/plain"] != nil, !body.isEmpty,
            (try? JSONValue(parsing: body))?.objectValue == nil
        {
            return []
        }
        guard !body.isEmpty else {
            return described["required"] == true
                ? ["the contract requires a body, but the server accepted a request without a body"] : []
        }
        guard let schema = findBodySchema(operation), let value = try? JSONValue(parsing: body) else {
            return ["the server accepted a body that is not JSON"]
        }
        return violations(of: value, by: schema)
    }

    private func parameterViolations(_ request: Request, _ operation: JSONValue) -> [String] {
        guard let mark = request.target.firstIndex(of: "?") else { return [] }
        let described = (operation["parameters"]?.arrayValue ?? []).map { parameter in
            parameter["$ref"].flatMap { SchemaValidator(document: document).resolveReference($0) } ?? parameter
        }
        return request.target[request.target.index(after: mark)...].split(separator: "&").flatMap { pair -> [String] in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard
                let parameter = described.first(where: {
                    $0["in"] == "query" && $0["name"]?.stringValue == String(parts[0])
                }),
                let schema = parameter["schema"], let text = PercentEncoding.decode(parts.last ?? "")
            else { return ["the contract does not have the parameter \(parts[0])"] }
            if parameter["explode"] == false {
                let values = text.split(separator: ",", omittingEmptySubsequences: false).map { part in
                    Int64(part).map { JSONValue.integer($0) } ?? .string(String(part))
                }
                return violations(of: .array(values), by: schema).isEmpty
                    ? [] : ["the parameter \(pair) does not match the contract"]
            }
            // A value in a query has no type, and an array has commas between its items. So the text is tried as a
            // string, as one value, and as two kinds of lists.
            let list = try? JSONValue(parsing: "[\(text)]")
            let texts = JSONValue.array(text.split(separator: ",").map { .string(String($0)) })
            let values = [JSONValue.string(text), list?[0], list, texts].compactMap(\.self)
            guard values.allSatisfy({ !violations(of: $0, by: schema).isEmpty }) else { return [] }
            return ["the parameter \(pair) does not match the contract"]
        }
    }
}

extension Contract {
    /// Returns the smallest value that a schema permits: only required members, and the first of several choices.
    func makeSample(_ schema: JSONValue) -> JSONValue {
        if let target = schema["$ref"].flatMap({ SchemaValidator(document: document).resolveReference($0) }) {
            return makeSample(target)
        }
        if let value = schema["const"] ?? schema["enum"]?[0] { return value }
        if let first = schema["anyOf"]?[0] ?? schema["oneOf"]?[0] { return makeSample(first) }
        switch schema["type"]?.stringValue {
        case "object":
            let names = (schema["required"]?.arrayValue ?? []).compactMap(\.stringValue)
            return .object(JSONObject(names.map { ($0, makeSample(schema["properties"]?[$0] ?? .bool(true))) }))
        case "array": return .array(schema["items"].map { [makeSample($0)] } ?? [])
        case "string": return schema["format"] == "date-time" ? "2026-01-01T00:00:00Z" : "a"
        case "integer", "number": return schema["minimum"] ?? 1
        case "boolean": return true
        default: return [:]
        }
    }
}
