/// Operations that change one JSON document into another (RFC 6902). Locations are JSON pointers (RFC 6901).
package struct JSONPatch: Sendable, Hashable {
    package enum Operation: Sendable, Hashable {
        case add(path: String, JSONValue)
        case replace(path: String, JSONValue)
        case remove(path: String)
        case move(from: String, path: String)
        case copy(from: String, path: String)
        case test(path: String, JSONValue)
    }

    package var operations: [Operation]

    package init(_ operations: [Operation] = []) {
        self.operations = operations
    }

    package var isEmpty: Bool { operations.isEmpty }
}

extension JSONPatch {
    /// The patch in the form of RFC 6902, section 3: an array.
    package var jsonValue: JSONValue { .array(operations.map(\.jsonValue)) }
}

extension JSONPatch.Operation {
    var jsonValue: JSONValue {
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
}

/// A JSON pointer (RFC 6901), which consists of steps: names of members, and indices of elements.
package struct JSONPointer: Hashable, Sendable {
    /// The text of the pointer; empty for the whole document.
    package let text: String

    package init(_ steps: some Sequence<String>) { text = steps.map { "/" + Self.escapeStep($0) }.joined() }

    private init(text: String) { self.text = text }

    /// Returns the pointer to a member or an element of the value at this pointer.
    /// - Parameter step: the name of the member, or the index of the element.
    package func appending(_ step: String) -> JSONPointer { JSONPointer(text: "\(text)/\(Self.escapeStep(step))") }

    /// Returns this pointer, followed by the steps of `other`. The pointer `other` begins at the value of this pointer.
    package func appending(contentsOf other: JSONPointer) -> JSONPointer { JSONPointer(text: text + other.text) }

    /// Returns the name of a member in the form of one step of a pointer: `~` becomes `~0`, and `/` becomes `~1`.
    static func escapeStep(_ name: String) -> String {
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
}
