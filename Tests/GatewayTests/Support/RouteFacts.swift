import ChatAPI
import ChatCore
import JSON

@testable import Gateway

/// The facts of a route that the contract must have, as in a line of `openapi/routes.yaml`.
extension Route {
    func facts(_ operation: JSONValue) -> JSONValue {
        var facts: JSONObject = [
            "scopes": .array(scopes.map { .array($0.names.map { .string($0) }) }),
            "takes": .array(credentials.map { .string($0) }),
            "problems": .array(problemCodes(operation).map { .string($0.rawValue) }),
            "compressed": .bool(method == .get && policy.answers == .plain),
        ]
        if let deprecation {
            var days: JSONObject = ["since": .string(deprecation.startDay)]
            if let sunset = deprecation.sunset { days["sunset"] = .string(sunset) }
            if let replacement = deprecation.replacement { days["replacement"] = .string(replacement) }
            facts["deprecated"] = .object(days)
        }
        return .object(facts)
    }

    /// The security schemes of the route.
    private var credentials: [String] {
        guard access != .noKey else { return [] }
        return ["key", "basic"] + (policy.acceptedCredentials == .key ? [] : ["ticket"])
            + (policy.keyFields == .authorization ? [] : ["gotifyKey"])
    }

    /// The scopes that a key needs, with one entry for each alternative; empty for a route without a key.
    private var scopes: [Scopes] {
        switch access {
        case .noKey: []
        case .key(let scopes), .firstStore(let scopes): [scopes]
        // The request needs a key that manages stores, or an administrator's key of the store in the path.
        case .storeInPath: [.stores, .admin]
        }
    }

    /// Returns the problems that this operation can report, except the problems in
    /// ``ProblemDetails/Code/generalCodes``, which every request can get.
    func problemCodes(_ operation: JSONValue) -> [ProblemDetails.Code] {
        var codes: Set<ProblemDetails.Code> = []
        if access != .noKey { codes.formUnion([.unauthorized, .forbidden]) }
        let parameters = operation["parameters"]?.arrayValue ?? []
        if template.contains("{") { codes.insert(.notFound) }
        if !parameters.isEmpty { codes.insert(.invalidParameter) }
        if parameters.contains(where: { $0["$ref"] == "#/components/parameters/listCursor" }) {
            codes.insert(.invalidCursor)
        }
        if operation["requestBody"] != nil { codes.formUnion([.malformedBody, .unknownMember, .invalidValue]) }
        if operation["responses"]?["410"] != nil { codes.insert(.cursorExpired) }
        if !coreCommands.isEmpty {
            codes.formUnion([.notFound, .conflict, .invalidValue, .chatError, .storageFull])
            if method != .get || command?.facts.effect == .relayRead {
                codes.formUnion([.relayUnreachable, .relayTimeout])
            }
            if method != .get { codes.insert(.quotaExceeded) }
        } else if method != .get {
            codes.formUnion([.conflict, .storageFull])
        }
        if method == .post, !isEffectFree { codes.formUnion([.idempotencyKeyReused, .requestInProgress]) }
        codes.formUnion(problems)
        if case .upload = work { codes.formUnion([.invalidParameter, .invalidValue, .chatError, .quotaExceeded]) }
        return ProblemDetails.Code.allCases.filter {
            codes.contains($0) && !ProblemDetails.Code.generalCodes.contains($0)
        }
    }
}

extension ProblemDetails.Code {
    /// The problems that every request can get.
    static let generalCodes: Set<ProblemDetails.Code> = [
        .malformedRequest, .unknownParameter, .unknownRoute, .methodNotAllowed, .wrongHost, .wrongOrigin, .bodyTooLarge,
        .unsupportedMediaType,
        .tooManyRequests, .internalError, .notImplemented, .unavailable, .storeLocked,
    ]
}
