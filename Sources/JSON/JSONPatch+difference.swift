extension JSONPatch {
    /// Appends the operations that change `old` into `new`. Both values are at `path`. Members of objects are compared
    /// one by one. An array is compared element by element if its number of elements has not changed; otherwise it is
    /// replaced as a whole.
    package mutating func appendDifference(from old: JSONValue, to new: JSONValue, at path: String = "") {
        guard old != new else { return }
        switch (old, new) {
        case (.object(let before), .object(let after)):
            for (name, value) in before {
                let place = path + "/" + JSONPointer.escapeStep(name)
                if let now = after[name] {
                    appendDifference(from: value, to: now, at: place)
                } else {
                    operations.append(.remove(path: place))
                }
            }
            for (name, value) in after where before[name] == nil {
                operations.append(.add(path: path + "/" + JSONPointer.escapeStep(name), value))
            }
        case (.array(let before), .array(let after)) where before.count == after.count:
            for (index, (old, new)) in zip(before, after).enumerated() {
                appendDifference(from: old, to: new, at: "\(path)/\(index)")
            }
        default:
            operations.append(.replace(path: path, new))
        }
    }

    /// Appends the operations that change the array at `path` from the elements `old` to the elements `new`. Elements
    /// that are not in `new` are removed, displaced elements are moved, and new elements are added. The values of
    /// elements that are in both lists do not change.
    /// - Parameters:
    ///   - old: unique names of the present elements.
    ///   - new: unique names of the elements after the change.
    ///   - element: returns the value of a new element.
    package mutating func appendReordering<ID: Hashable>(
        _ old: [ID],
        to new: [ID],
        at path: String,
        element: (ID) throws -> JSONValue
    ) rethrows {
        var names = old
        let kept = Set(new)
        for index in old.indices.reversed() where !kept.contains(old[index]) {
            operations.append(.remove(path: "\(path)/\(index)"))
            names.remove(at: index)
        }
        let known = Set(names)
        for index in new.indices {
            if index < names.count, names[index] == new[index] { continue }
            guard known.contains(new[index]), let place = names[min(index, names.count)...].firstIndex(of: new[index])
            else {
                operations.append(.add(path: "\(path)/\(index)", try element(new[index])))
                names.insert(new[index], at: index)
                continue
            }
            names.insert(names.remove(at: place), at: index)
            operations.append(.move(from: "\(path)/\(place)", path: "\(path)/\(index)"))
        }
    }
}
