package import JSON

/// The reason why a patch cannot be read or applied. No value was changed.
package enum JSONPatchError: Error, Sendable, Hashable {
    /// The JSON value is not a patch.
    case malformed
    /// A pointer leads to no value of the document.
    case missingPlace(String)
    /// The value at this place differs from the value of a `test` operation.
    case unexpectedValue(String)
}

extension JSONPatch {
    /// Parses a patch.
    /// - Throws: `malformed`.
    package init(_ value: JSONValue) throws(JSONPatchError) {
        guard let elements = value.arrayValue else { throw .malformed }
        self.init()
        for element in elements { operations.append(try Operation(element)) }
    }
}

extension JSONPatch.Operation {
    fileprivate init(_ value: JSONValue) throws(JSONPatchError) {
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

extension JSONValue {
    /// Returns the document after all operations of a patch. If one operation fails, throws and changes nothing.
    package func applying(_ patch: JSONPatch) throws(JSONPatchError) -> JSONValue {
        var document = self
        for operation in patch.operations { try document.apply(operation) }
        return document
    }

    /// Returns the value to which a JSON pointer (RFC 6901) leads.
    package func value(at pointer: String) throws(JSONPatchError) -> JSONValue {
        var value = self
        for step in try Self.parseSteps(of: pointer) {
            guard let next = value.child(step) else { throw .missingPlace(pointer) }
            value = next
        }
        return value
    }

    private mutating func apply(_ operation: JSONPatch.Operation) throws(JSONPatchError) {
        switch operation {
        case .add(let path, let value): try applyEdit(path, .add(value))
        case .replace(let path, let value): try applyEdit(path, .replace(value))
        case .remove(let path): try applyEdit(path, .remove)
        case .move(let from, let path):
            // Moving a value to its own place changes nothing. An array or object cannot be moved into itself.
            guard from != path else { _ = try value(at: from); return }
            guard !path.utf8.starts(with: (from + "/").utf8) else { throw .malformed }
            let moved = try value(at: from)
            try applyEdit(from, .remove)
            try applyEdit(path, .add(moved))
        case .copy(let from, let path): try applyEdit(path, .add(try value(at: from)))
        case .test(let path, let value): guard try self.value(at: path) == value else { throw .unexpectedValue(path) }
        }
    }

    private enum ValueEdit {
        case add(JSONValue), replace(JSONValue), remove
    }

    private func child(_ step: String) -> JSONValue? {
        switch self {
        case .object(let members): members[step]
        case .array(let elements): Self.arrayIndex(step, below: elements.count).map { elements[$0] }
        default: nil
        }
    }

    /// Parses an array index: digits without a leading zero.
    private static func arrayIndex(_ step: String, below count: Int) -> Int? {
        guard !step.isEmpty, step.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            step == "0" || step.utf8.first != 0x30,
            let index = Int(step), index < count
        else { return nil }
        return index
    }

    private mutating func applyEdit(_ pointer: String, _ edit: ValueEdit) throws(JSONPatchError) {
        let steps = try Self.parseSteps(of: pointer)
        guard try changeValue(steps[...], edit) else { throw .missingPlace(pointer) }
    }

    /// Changes the value to which the steps of a pointer lead.
    /// - Returns: whether this value exists.
    private mutating func changeValue(_ steps: ArraySlice<String>, _ edit: ValueEdit) throws(JSONPatchError) -> Bool {
        guard let step = steps.first else {
            switch edit {
            case .add(let value), .replace(let value): self = value
            case .remove: self = .null
            }
            return true
        }
        if steps.count > 1 {
            guard var child = child(step) else { return false }
            guard try child.changeValue(steps.dropFirst(), edit) else { return false }
            setChild(child, at: step)
            return true
        }
        switch self {
        case .object(var members):
            self = .null
            defer { self = .object(members) }
            switch edit {
            case .add(let value): members[step] = value
            case .replace(let value):
                guard members[step] != nil else { return false }
                members[step] = value
            case .remove:
                guard members[step] != nil else { return false }
                members[step] = nil
            }
            return true
        case .array(var elements):
            self = .null
            defer { self = .array(elements) }
            switch edit {
            case .add(let value):
                guard let index = step == "-" ? elements.count : Self.arrayIndex(step, below: elements.count + 1) else {
                    return false
                }
                elements.insert(value, at: index)
            case .replace(let value):
                guard let index = Self.arrayIndex(step, below: elements.count) else { return false }
                elements[index] = value
            case .remove:
                guard let index = Self.arrayIndex(step, below: elements.count) else { return false }
                elements.remove(at: index)
            }
            return true
        default: return false
        }
    }

    private mutating func setChild(_ child: JSONValue, at step: String) {
        switch self {
        case .object(var members):
            self = .null
            members[step] = child
            self = .object(members)
        case .array(var elements):
            guard let index = Self.arrayIndex(step, below: elements.count) else { return }
            self = .null
            elements[index] = child
            self = .array(elements)
        default: break
        }
    }

    /// Returns the steps of a JSON pointer (RFC 6901): names of members, and indices of elements.
    private static func parseSteps(of pointer: String) throws(JSONPatchError) -> [String] {
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
