extension JSONPatch {
    /// Adds the steps that make `new` of `old`, which stands at `path`. Members of objects are compared one by one; an array that has
    /// changed is replaced, unless it has the same number of elements.
    public mutating func difference(from old: JSONValue, to new: JSONValue, at path: String = "") {
        guard old != new else { return }
        switch (old, new) {
        case (.object(let before), .object(let after)):
            for (name, value) in before {
                let place = path + "/" + JSONPointer.step(name)
                if let now = after[name] {
                    difference(from: value, to: now, at: place)
                } else {
                    operations.append(.remove(path: place))
                }
            }
            for (name, value) in after where before[name] == nil {
                operations.append(.add(path: path + "/" + JSONPointer.step(name), value))
            }
        case (.array(let before), .array(let after)) where before.count == after.count:
            for (index, (old, new)) in zip(before, after).enumerated() { difference(from: old, to: new, at: "\(path)/\(index)") }
        default:
            operations.append(.replace(path: path, new))
        }
    }

    /// Adds the steps that bring the elements of the array at `path` into a new order: what is gone is removed, what was elsewhere is moved,
    /// what is new is added. Elements that are in both are left as they are.
    /// - Parameters:
    ///   - old: names of the elements as they are, each once.
    ///   - new: names of the elements as they will be, each once.
    ///   - element: the value of a new one.
    public mutating func reorder<ID: Hashable>(_ old: [ID], to new: [ID], at path: String, element: (ID) throws -> JSONValue) rethrows {
        var names = old
        let kept = Set(new)
        for index in old.indices.reversed() where !kept.contains(old[index]) {
            operations.append(.remove(path: "\(path)/\(index)"))
            names.remove(at: index)
        }
        let known = Set(names)
        for index in new.indices {
            if index < names.count, names[index] == new[index] { continue }
            guard known.contains(new[index]), let place = names[min(index, names.count)...].firstIndex(of: new[index]) else {
                operations.append(.add(path: "\(path)/\(index)", try element(new[index])))
                names.insert(new[index], at: index)
                continue
            }
            names.insert(names.remove(at: place), at: index)
            operations.append(.move(from: "\(path)/\(place)", path: "\(path)/\(index)"))
        }
    }
}
