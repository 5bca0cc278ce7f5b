internal import CEmbedded
internal import ChatAPI
internal import ChatCore
internal import JSON

/// The contract as it is served: `openapi.json` with additional facts from the route of each operation. These are the
/// scopes that a key needs, and the problems that the operation can report.
enum ServedContract {
    static let document = embedded("openapi.json").map(completed)

    /// The contract of the streams. Its references point to the served contract.
    static let streams = embedded("asyncapi.json") { $0.replacing("openapi.yaml#", with: "openapi.json#") }

    /// Returns an embedded contract without additions.
    static func embedded(_ name: String, changed: (String) -> String = { $0 }) -> JSONValue? {
        EmbeddedFiles.read(sxgw_contracts)[name].flatMap {
            try? JSONValue(parsing: changed(String(decoding: $0, as: UTF8.self)))
        }
    }

    private static func completed(_ contract: JSONValue) -> JSONValue {
        guard var document = contract.objectValue, let paths = document["paths"]?.objectValue else { return contract }
        let routes = Dictionary(
            RouteTable.all.map { (Place($0.method.rawValue.lowercased(), $0.template), $0) },
            uniquingKeysWith: { first, _ in first }
        )
        var completed = JSONObject()
        for (path, item) in paths {
            var methods = JSONObject()
            for (method, operation) in item.objectValue ?? JSONObject() {
                methods[method] = routes[Place(method, path)].map { $0.completed(operation) } ?? operation
            }
            completed[path] = .object(methods)
        }
        document["paths"] = .object(completed)
        // The URL is relative, because clients reach the server by different names and schemes.
        document["servers"] = [["url": "/"]]
        return .object(document)
    }

    private struct Place: Hashable {
        let method: String
        let path: String

        init(_ method: String, _ path: String) {
            self.method = method
            self.path = path
        }
    }
}

extension Route {
    fileprivate func completed(_ operation: JSONValue) -> JSONValue {
        guard var members = operation.objectValue else { return operation }
        members["security"] = .array(
            scopes.map { .object(JSONObject([("key", .array($0.names.map { .string($0) }))])) }
        )
        members["x-problem-codes"] = .array(problemCodes(operation).map { .string($0.rawValue) })
        return .object(members)
    }

    /// The scopes that a key needs, with one entry for each alternative; empty for a route without a key.
    private var scopes: [Scopes] {
        switch access {
        case .open: []
        case .key(let scopes), .firstStore(let scopes): [scopes]
        // The request needs a key that manages stores, or an administrator's key of the store in the path.
        case .store: [.stores, .admin]
        }
    }

    /// Returns the problems that this operation can report, except the problems in ``ProblemDetails/Code/general``,
    /// which every request can get.
    func problemCodes(_ operation: JSONValue) -> [ProblemDetails.Code] {
        var codes: Set<ProblemDetails.Code> = []
        if access != .open { codes.formUnion([.unauthorized, .forbidden]) }
        let parameters = operation["parameters"]?.arrayValue ?? []
        if template.contains("{") { codes.insert(.notFound) }
        if !parameters.isEmpty { codes.insert(.invalidParameter) }
        if operation["requestBody"] != nil { codes.formUnion([.malformedBody, .unknownMember, .invalidValue]) }
        if operation["responses"]?["410"] != nil { codes.insert(.cursorExpired) }
        if let command {
            codes.formUnion([.notFound, .conflict, .invalidValue, .chatError, .storageFull])
            if method != .get || command.asksRelay { codes.formUnion([.relayUnreachable, .relayTimeout]) }
            if method == .post { codes.formUnion([.idempotencyKeyReused, .requestInProgress]) }
            if method != .get { codes.insert(.quotaExceeded) }
        } else if method != .get {
            codes.formUnion([.conflict, .storageFull])
        }
        codes.formUnion(problems)
        if upload != nil { codes.formUnion([.invalidParameter, .invalidValue, .chatError, .quotaExceeded]) }
        return ProblemDetails.Code.allCases.filter { codes.contains($0) && !ProblemDetails.Code.general.contains($0) }
    }
}

extension ProblemDetails.Code {
    /// The problems that every request can get.
    static let general: Set<ProblemDetails.Code> = [
        .malformedRequest, .unknownParameter, .unknownRoute, .methodNotAllowed, .wrongHost, .wrongOrigin, .bodyTooLarge,
        .unsupportedMediaType,
        .tooManyRequests, .internalError, .notImplemented, .unavailable, .storeLocked,
    ]
}
