internal import ChatAPI
internal import JSON

/// A merge patch (RFC 7396), as the list of commands that make its changes. An object in the patch is merged with the
/// stored object. Null deletes a value. An object whose `type` changes replaces the stored object.
struct MergePatch {
    private let body: RequestBody
    private let storedValues: JSONObject
    private let knownNames: KnownNames
    /// Maximal number of bytes of a merged member.
    private let maxMemberBytes: Int
    private(set) var changes: [(member: String, command: ChatCommand)] = []
    /// The reason why the first unacceptable member is refused; nil if all members are acceptable.
    private(set) var fault: ProblemDetails?

    /// - Parameters:
    ///   - stored: the present values, by the names of the patch.
    ///   - limit: maximal number of bytes of a merged member. Without a limit, a sequence of patches could make a value
    ///     that no single request may have.
    init(_ body: RequestBody, over stored: JSONObject, _ knownNames: KnownNames, limit: Int) {
        self.maxMemberBytes = limit
        self.body = body
        self.storedValues = stored
        self.knownNames = knownNames
    }

    /// Refuses a member that the resource cannot have, if the patch has the member.
    /// - Parameter words: the rest of the problem's sentence, which begins with the name of the member.
    mutating func refuseMember(_ name: String, _ words: String) {
        guard body.readJSONOrNull(name) != nil else { return }
        fault = fault ?? ProblemDetails(member: name, words)
    }

    /// Adds the commands that set a member, if the patch has the member. Null is refused, because the member cannot be
    /// deleted.
    mutating func setMember<Value: Decodable>(_ name: String, _ commands: (Value) -> [ChatCommand]) {
        addChange(name) { (value: Value?) throws(ProblemDetails) in
            guard let value else { throw ProblemDetails(member: name, "must not be null.") }
            return commands(value)
        }
    }

    /// Adds the command that sets or deletes a member, if the patch has the member. For a deleted value, `command` gets
    /// nil.
    mutating func setOrDeleteMember<Value: Decodable>(_ name: String, _ command: (Value?) -> ChatCommand) {
        addChange(name) { (value: Value?) throws(ProblemDetails) in [command(value)] }
    }

    /// Adds the commands for an object, if the patch has it. Each member of the object has its own command, and cannot
    /// be deleted.
    mutating func setMemberParts<Value: Decodable>(_ name: String, _ commands: (Value) -> [ChatCommand]) {
        guard let sent = body.readJSONOrNull(name) else { return }
        do throws(ProblemDetails) {
            if let part = sent.objectValue?.first(where: { $0.1.isNull }) {
                throw ProblemDetails(member: "\(name).\(part.0)", "must not be null.")
            }
            let parts = RequestBody(members: [name: sent], knownNames: knownNames)
            changes += commands(try parts.decodeValue(name)).map { (name, $0) }
        } catch {
            fault = fault ?? error
        }
    }

    /// Adds one command for all members in `names` that the patch has. These members are parts of one value.
    mutating func setWholeValue<Value: Decodable>(
        _ names: [String],
        _ command: (Value) throws(ProblemDetails) -> ChatCommand
    ) {
        let sent = JSONObject(names.compactMap { name in body.readJSONOrNull(name).map { (name, $0) } })
        guard !sent.isEmpty else { return }
        do throws(ProblemDetails) {
            let merged = Self.mergeValue(.object(sent), into: .object(storedValues), byType: true).objectValue ?? [:]
            let names = sent.keys.joined(separator: ", ")
            changes.append((names, try command(RequestBody(members: merged, knownNames: knownNames).decodeWholeBody())))
        } catch {
            fault = fault ?? error
        }
    }

    private mutating func addChange<Value: Decodable>(
        _ name: String,
        _ commands: (Value?) throws(ProblemDetails) -> [ChatCommand]
    ) {
        guard let sent = body.readJSONOrNull(name) else { return }
        do throws(ProblemDetails) {
            // In an object with arbitrary members, the member `type` has no special meaning. In any other object,
            // another `type` replaces the whole object.
            let value = Self.mergeValue(sent, into: storedValues[name], byType: Value.self != ArbitraryObject.self)
            guard value.encodeText().count <= maxMemberBytes else {
                throw ProblemDetails(member: name, "would have more than \(maxMemberBytes) bytes.")
            }
            let merged = RequestBody(members: [name: value], knownNames: knownNames)
            changes += try commands(merged.decodeIfPresent(name)).map { (name, $0) }
        } catch {
            fault = fault ?? error
        }
    }

    /// Merges a patch with a value.
    /// - Parameter byType: whether an object whose `type` changes is replaced as a whole. The members of the former
    ///   type have no meaning in the new type.
    static func mergeValue(_ patch: JSONValue, into target: JSONValue?, byType: Bool = false) -> JSONValue {
        guard let members = patch.objectValue else { return patch }
        var stored = target?.objectValue ?? [:]
        if byType, let type = members["type"], let former = stored["type"], type != former { stored = [:] }
        // The time for each removal from an object grows with the size of the object. So a new object is filled, and no
        // member is removed from the stored object.
        var merged = JSONObject()
        for (name, value) in stored {
            switch members[name] {
            case nil: merged[name] = value
            case .null?: break
            case let change?: merged[name] = mergeValue(change, into: value, byType: byType)
            }
        }
        for (name, value) in members where !value.isNull && stored[name] == nil {
            merged[name] = mergeValue(value, into: nil, byType: byType)
        }
        return .object(merged)
    }
}

/// An object with any members.
struct ArbitraryObject: Decodable {
    let members: JSONObject

    init(from decoder: any Decoder) throws {
        guard let members = try JSONValue(from: decoder).objectValue else {
            throw DecodingError.typeMismatch(
                JSONObject.self,
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "not an object")
            )
        }
        self.members = members
    }
}
