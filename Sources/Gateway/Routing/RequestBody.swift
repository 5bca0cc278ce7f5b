internal import ChatAPI
internal import JSON
internal import SimpleXCrypto

extension RouteContext {
    /// Reads the body. An empty body counts as an empty object.
    /// - Parameter secrets: names of members whose texts are kept separately, in memory that is overwritten.
    func parseBody(secrets: Set<String> = []) throws(ProblemDetails) -> RequestBody {
        guard !request.body.isEmpty else {
            return RequestBody(members: JSONObject(), isAbsent: true, knownNames: knownNames)
        }
        var taken: [String: SecretBytes] = [:]
        let parsed = request.body.withBytes { bytes in
            Result { () throws(JSONError) in
                try JSONValue(parsing: bytes) { name, text in
                    guard secrets.contains(name) else { return false }
                    taken[name] = SecretBytes(text)
                    return true
                }
            }
        }
        let value: JSONValue
        do throws(JSONError) { value = try parsed.get() } catch {
            throw ProblemDetails(.malformedBody, "\(error)")
        }
        guard let members = value.objectValue else {
            throw ProblemDetails(.malformedBody, "The body must be a JSON object.")
        }
        knownNames.setBodyMembers(members.keys)
        return RequestBody(members: members, secrets: taken, knownNames: knownNames)
    }
}

extension RouteContext {
    /// Reads a query parameter that is JSON; `nil` when it is absent.
    func parseJSON<T: Decodable>(parameter name: String) throws(ProblemDetails) -> T? {
        guard let text = readParameter(name) else { return nil }
        guard let value = try? JSONValue(parsing: text) else {
            throw ProblemDetails(parameter: name, "is not JSON.")
        }
        do throws(ProblemDetails) {
            return try RequestBody(members: [name: value], knownNames: knownNames).decodeIfPresent(name)
        } catch {
            var problem = error
            problem.faults = error.faults.map {
                ProblemDetails.Fault(location: .parameter(name), code: $0.code, detail: $0.detail)
            }
            throw problem
        }
    }
}

/// The JSON object in a request body, from which a command is built. Members are decoded as the types in the command. A
/// member that the handler does not read is refused.
struct RequestBody: Sendable {
    private let members: JSONObject
    private let isAbsent: Bool
    private let secrets: [String: SecretBytes]
    private let knownNames: KnownNames

    init(members: JSONObject, isAbsent: Bool = false, secrets: [String: SecretBytes] = [:], knownNames: KnownNames) {
        self.members = members
        self.isAbsent = isAbsent
        self.secrets = secrets
        self.knownNames = knownNames
    }

    /// Returns a member as it was sent; `nil` when it is absent or null.
    func readJSON(_ name: String) -> JSONValue? {
        knownNames.recordMember(name)
        guard let value = members[name], !value.isNull else { return nil }
        return value
    }

    /// Returns a member as it was sent, even if it is null, because null has a meaning for some members; `nil` when the
    /// member is absent.
    func readJSONOrNull(_ name: String) -> JSONValue? {
        knownNames.recordMember(name)
        return members[name]
    }

    /// Returns a secret text that ``RouteContext/parseBody(secrets:)`` keeps separately.
    func readSecret(_ name: String) -> SecretBytes? {
        knownNames.recordMember(name)
        return secrets[name]
    }

    /// Decodes a required member.
    func decodeValue<T: Decodable>(_ name: String, as type: T.Type = T.self) throws(ProblemDetails) -> T {
        guard let value: T = try decodeIfPresent(name) else {
            throw ProblemDetails(member: name, "is missing.", .missing)
        }
        return value
    }

    /// Decodes an optional member; `nil` when it is absent or null.
    func decodeIfPresent<T: Decodable>(_ name: String, as type: T.Type = T.self) throws(ProblemDetails) -> T? {
        guard let value = readJSON(name) else { return nil }
        return try decodeMember(value, name)
    }

    /// Decodes the whole body as one value. An absent body is an error.
    func decodeWholeBody<T: Decodable>(as type: T.Type = T.self) throws(ProblemDetails) -> T {
        guard !isAbsent else { throw ProblemDetails(.malformedBody, "The body is missing.") }
        for name in members.keys { knownNames.recordMember(name) }
        return try decodeMember(.object(members), "")
    }

    /// Returns all members, including members that the route does not know. Used for bodies in the forms of other
    /// programs. An absent body is an error.
    func readAllMembers() throws(ProblemDetails) -> JSONObject {
        guard !isAbsent else { throw ProblemDetails(.malformedBody, "The body is missing.") }
        for name in members.keys { knownNames.recordMember(name) }
        return members
    }

    /// Returns an object; `nil` when the member is absent or null.
    func readObject(_ name: String) throws(ProblemDetails) -> JSONObject? {
        guard let value = readJSON(name) else { return nil }
        guard let object = value.objectValue else { throw ProblemDetails(member: name, "must be an object.") }
        return object
    }

    private func decodeMember<T: Decodable>(_ value: JSONValue, _ name: String) throws(ProblemDetails) -> T {
        do { return try JSONDecoder.forCommands.decodeAll(T.self, from: value) } catch let error as UnknownMember {
            let path =
                name.isEmpty ? error.path : error.path.hasPrefix("[") ? name + error.path : "\(name).\(error.path)"
            throw ProblemDetails.unknownMemberProblem(
                path,
                at: error.pointer.withMemberPrefix(name),
                nearest: error.nearestName
            )
        } catch let error as DecodingError {
            throw error.makeProblem(in: name)
        } catch {
            let detail = "\(name.isEmpty ? "The body" : name) is not acceptable."
            throw ProblemDetails(.invalidValue, at: JSONPointer([]).withMemberPrefix(name), .invalid, detail)
        }
    }
}

extension JSONPointer {
    /// Converts this pointer, which begins at a member of the body, to a pointer that begins at the body.
    /// - Parameter name: the name of the member; empty when this pointer already begins at the body.
    fileprivate func withMemberPrefix(_ name: String) -> JSONPointer {
        name.isEmpty ? self : JSONPointer([name]).appending(contentsOf: self)
    }
}

extension DecodingError {
    /// Makes the problem that names the wrong member and the reason.
    /// - Parameter name: the name of the decoded member; empty for the body.
    fileprivate func makeProblem(in name: String) -> ProblemDetails {
        let (fault, context, last, words): (ProblemDetails.Fault.Code, Context?, (any CodingKey)?, String) =
            switch self {
            case .keyNotFound(let key, let context): (.missing, context, key, "is missing.")
            case .typeMismatch(_, let context): (.wrongType, context, nil, "has the wrong type.")
            case .valueNotFound(_, let context): (.null, context, nil, "must not be null.")
            case .dataCorrupted(let context): (.invalid, context, nil, "is not acceptable.")
            @unknown default: (.invalid, nil, nil, "is not acceptable.")
            }
        let path = (context?.codingPath ?? []) + (last.map { [$0] } ?? [])
        let text = path.reduce(name) { text, key in
            key.intValue.map { "\(text)[\($0)]" } ?? (text.isEmpty ? key.stringValue : "\(text).\(key.stringValue)")
        }
        let pointer = JSONPointer(path.map { $0.intValue.map(String.init) ?? $0.stringValue }).withMemberPrefix(name)
        return ProblemDetails(.invalidValue, at: pointer, fault, "\(text.isEmpty ? "The body" : text) \(words)")
    }
}

extension HTTPRequest {
    /// Whether the body is `text/plain`.
    /// - Throws: `unsupportedMediaType` for text that is not UTF-8.
    func isPlainTextBody() throws(ProblemDetails) -> Bool {
        let parts = (header("content-type") ?? "").split(separator: ";").map { $0.trimmingSpaces.lowercased() }
        guard parts.first == "text/plain" else { return false }
        for part in parts.dropFirst() where part.hasPrefix("charset=") {
            let name = part.dropFirst("charset=".count).filter { $0 != "\"" }
            guard name == "utf-8" || name == "utf8" || name == "us-ascii" else {
                throw ProblemDetails(.unsupportedMediaType, "Text must be in UTF-8.")
            }
        }
        return true
    }
}
