/// Operations that change one JSON document into another (RFC 6902). Locations are JSON pointers (RFC 6901).
public struct JSONPatch: Sendable, Hashable {
    public enum Operation: Sendable, Hashable {
        case add(path: String, JSONValue)
        case replace(path: String, JSONValue)
        case remove(path: String)
        case move(from: String, path: String)
        case copy(from: String, path: String)
        case test(path: String, JSONValue)
    }

    public var operations: [Operation]

    public init(_ operations: [Operation] = []) {
        self.operations = operations
    }

    public var isEmpty: Bool { operations.isEmpty }
}

/// The reason why a patch cannot be read or applied. No value was changed.
public enum JSONPatchError: Error, Sendable, Hashable {
    /// The JSON value is not a patch.
    case malformed
    /// A pointer leads to no value of the document.
    case noSuchPlace(String)
    /// The value at this place differs from the value of a `test` operation.
    case different(String)
}

extension JSONPatch {
    /// The patch in the form of RFC 6902, section 3: an array.
    public var value: JSONValue { .array(operations.map(\.value)) }

    /// Parses a patch.
    /// - Throws: `malformed`.
    public init(_ value: JSONValue) throws(JSONPatchError) {
        guard let elements = value.arrayValue else { throw .malformed }
        operations = []
        for element in elements { operations.append(try Operation(element)) }
    }
}

extension JSONPatch.Operation {
    var value: JSONValue {
        switch self {
        case .add(let path, let value): .object(JSONObject([("op", "add"), ("path", .string(path)), ("value", value)]))
        case .replace(let path, let value):
            .object(JSONObject([("op", "replace"), ("path", .string(path)), ("value", value)]))
        case .remove(let path): .object(JSONObject([("op", "remove"), ("path", .string(path))]))
        case .move(let from, let path):
            .object(JSONObject([("op", "move"), ("from", .string(from)), ("path", .string(path))]))
        case .copy(let from, let path):
            .object(JSONObject([("op", "copy"), ("from", .string(from)), ("path", .string(path))]))
        case .test(let path, let value):
            .object(JSONObject([("op", "test"), ("path", .string(path)), ("value", value)]))
        }
    }

    init(_ value: JSONValue) throws(JSONPatchError) {
        guard let name = value["op"]?.stringValue, let path = value["path"]?.stringValue else { throw .malformed }
        switch (name, value["value"], value["from"]?.stringValue) {
        case ("add", let value?, _): self = .add(path: path, value)
        case ("replace", let value?, _): self = .replace(path: path, value)
        case ("remove", _, _): self = .remove(path: path)
        case ("move", _, let from?): self = .move(from: from, path: path)
        case ("copy", _, let from?): self = .copy(from: from, path: path)
        case ("test", let value?, _): self = .test(path: path, value)
        default: throw .malformed
        }
    }
}

/// A JSON pointer (RFC 6901), which consists of steps: names of members, and indices of elements.
public struct JSONPointer: Hashable, Sendable {
    /// The text of the pointer; empty for the whole document.
    public let text: String

    public init(_ steps: some Sequence<String>) { text = steps.map { "/" + Self.step($0) }.joined() }

    private init(text: String) { self.text = text }

    /// Returns the pointer to a member or an element of the value.
    public func appending(_ step: String) -> JSONPointer { JSONPointer(text: "\(text)/\(Self.step(step))") }

    /// Returns the pointer to a value within the value.
    public func appending(contentsOf other: JSONPointer) -> JSONPointer { JSONPointer(text: text + other.text) }

    /// Returns a member's name in the form of one step of a pointer.
    static func step(_ name: String) -> String {
        guard name.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else { return name }
        var step = ""
        for character in name.unicodeScalars {
            switch character {
            case "~": step += "~0"
            case "/": step += "~1"
            default: step.unicodeScalars.append(character)
            }
        }
        return step
    }

    static func steps(_ pointer: String) throws(JSONPatchError) -> [String] {
        guard !pointer.isEmpty else { return [] }
        guard pointer.utf8.first == UInt8(ascii: "/") else { throw .malformed }
        var steps: [String] = []
        for part in pointer.unicodeScalars.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            var step = ""
            var escaped = false
            for character in part {
                switch (escaped, character) {
                case (true, "0"): step += "~"
                case (true, "1"): step += "/"
                case (true, _): throw .malformed
                case (false, "~"): escaped = true; continue
                case (false, _): step.unicodeScalars.append(character)
                }
                escaped = false
            }
            guard !escaped else { throw .malformed }
            steps.append(step)
        }
        return steps
    }
}
