import JSON

/// Returns the first place at which two values differ.
func findDifference(_ one: JSONValue, _ other: JSONValue, at path: String = "") -> String? {
    switch (one, other) {
    case (.object(let one), .object(let other)):
        for key in Set(one.keys + other.keys).sorted() {
            guard let first = one[key], let second = other[key] else {
                return "\(path).\(key): only in \(one[key] == nil ? "ours" : "theirs")"
            }
            if let found = findDifference(first, second, at: "\(path).\(key)") { return found }
        }
        return nil
    case (.array(let one), .array(let other)) where one.count == other.count:
        for (index, pair) in zip(one, other).enumerated() {
            if let found = findDifference(pair.0, pair.1, at: "\(path)[\(index)]") { return found }
        }
        return nil
    default: return one == other ? nil : "\(path): \(one.text.prefix(80)) became \(other.text.prefix(80))"
    }
}
