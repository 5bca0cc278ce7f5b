/// What was looked up not long ago. For one thread.
final class Recent<Key: Hashable, Value> {
    private var values: [Key: Value?] = [:]
    private static var most: Int { 1_000 }

    /// - Parameter find: looks a key up that is not among them.
    func value(_ key: Key, _ find: () throws -> Value?) rethrows -> Value? {
        if let known = values[key] { return known }
        let found = try find()
        if values.count >= Self.most { values.removeAll(keepingCapacity: true) }
        values[key] = .some(found)
        return found
    }
}
