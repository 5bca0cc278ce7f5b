extension JSONValue {
    /// Returns the document after all operations of a patch. If one operation fails, throws and changes nothing.
    public func applying(_ patch: JSONPatch) throws(JSONPatchError) -> JSONValue {
        var document = self
        for operation in patch.operations { try document.apply(operation) }
        return document
    }

    /// Returns the value to which a JSON pointer (RFC 6901) leads.
    public func value(at pointer: String) throws(JSONPatchError) -> JSONValue {
        var value = self
        for step in try JSONPointer.steps(pointer) {
            guard let next = value.child(step) else { throw .noSuchPlace(pointer) }
            value = next
        }
        return value
    }

    private mutating func apply(_ operation: JSONPatch.Operation) throws(JSONPatchError) {
        switch operation {
        case .add(let path, let value): try edit(path, .add(value))
        case .replace(let path, let value): try edit(path, .replace(value))
        case .remove(let path): try edit(path, .remove)
        case .move(let from, let path):
            // Moving a value to its own place changes nothing. An array or object cannot be moved into itself.
            guard from != path else { _ = try value(at: from); return }
            guard !path.utf8.starts(with: (from + "/").utf8) else { throw .malformed }
            let moved = try value(at: from)
            try edit(from, .remove)
            try edit(path, .add(moved))
        case .copy(let from, let path): try edit(path, .add(try value(at: from)))
        case .test(let path, let value): guard try self.value(at: path) == value else { throw .different(path) }
        }
    }

    private enum Edit {
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

    private mutating func edit(_ pointer: String, _ edit: Edit) throws(JSONPatchError) {
        let steps = try JSONPointer.steps(pointer)
        guard try change(steps[...], edit) else { throw .noSuchPlace(pointer) }
    }

    /// Changes the value to which the steps of a pointer lead.
    /// - Returns: whether this value exists.
    private mutating func change(_ steps: ArraySlice<String>, _ edit: Edit) throws(JSONPatchError) -> Bool {
        guard let step = steps.first else {
            switch edit {
            case .add(let value), .replace(let value): self = value
            case .remove: self = .null
            }
            return true
        }
        if steps.count > 1 {
            guard var child = child(step) else { return false }
            guard try child.change(steps.dropFirst(), edit) else { return false }
            put(child, at: step)
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

    private mutating func put(_ child: JSONValue, at step: String) {
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
}
