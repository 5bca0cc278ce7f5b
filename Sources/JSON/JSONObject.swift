/// The members of a JSON object in their order. Two objects are equal when they have the same members in any order.
public struct JSONObject: Sendable {
    /// From this number of members on, a dictionary finds them; below it, comparing each is faster.
    private static let indexedFrom = 12

    public private(set) var keys: [String] = []
    private var values: [JSONValue] = []
    private var index: [String: Int]?

    public init() {}

    public init(_ members: [(String, JSONValue)]) {
        for (key, value) in members { self[key] = value }
    }

    public var count: Int { keys.count }
    public var isEmpty: Bool { keys.isEmpty }

    /// The value of a member. Setting a new one adds it at the end; setting nil removes it.
    public subscript(key: String) -> JSONValue? {
        get { position(of: key).map { values[$0] } }
        set {
            switch (position(of: key), newValue) {
            case (let position?, let value?): values[position] = value
            case (let position?, nil):
                keys.remove(at: position)
                values.remove(at: position)
                reindex()
            case (nil, let value?): append(key, value)
            case (nil, nil): break
            }
        }
    }

    /// Adds a member that is known not to be there yet.
    mutating func append(_ key: String, _ value: JSONValue) {
        keys.append(key)
        values.append(value)
        if index != nil { index?[key] = keys.count - 1 } else if keys.count == Self.indexedFrom { reindex() }
    }

    private func position(of key: String) -> Int? {
        if let index { return index[key] }
        return keys.firstIndex(of: key)
    }

    private mutating func reindex() {
        index = keys.count < Self.indexedFrom ? nil : Dictionary(uniqueKeysWithValues: keys.enumerated().map { ($1, $0) })
    }
}

extension JSONObject: Sequence {
    public func makeIterator() -> AnyIterator<(key: String, value: JSONValue)> {
        var position = 0
        return AnyIterator {
            guard position < keys.count else { return nil }
            defer { position += 1 }
            return (keys[position], values[position])
        }
    }
}

extension JSONObject: Hashable {
    public static func == (one: JSONObject, other: JSONObject) -> Bool {
        guard one.count == other.count else { return false }
        for (key, value) in one where other[key] != value { return false }
        return true
    }

    public func hash(into hasher: inout Hasher) {
        // Equal objects may have their members in another order, so the order must not count.
        var sum = 0
        for (key, value) in self {
            var member = Hasher()
            member.combine(key)
            member.combine(value)
            sum ^= member.finalize()
        }
        hasher.combine(sum)
    }
}
