/// The members of a JSON object, in the order in which they were parsed or added. Two objects are equal if they have
/// the same members in any order. Names are compared by their bytes, not by canonical equivalence.
package struct JSONObject: Sendable {
    private var names: [String] = []
    private var values: [JSONValue] = []
    /// The position of each name in `names`; nil for small objects, in which a linear search is fast.
    private var positionByName: [Name: Int]?

    /// A name that is compared by its bytes.
    private struct Name: Hashable {
        let text: String

        static func == (a: Name, b: Name) -> Bool { isSameText(a.text, b.text) }

        func hash(into hasher: inout Hasher) {
            for byte in text.utf8 { hasher.combine(byte) }
        }
    }

    private static func isSameText(_ a: String, _ b: String) -> Bool { a == b && a.utf8.elementsEqual(b.utf8) }

    private static let maxLinearSearchCount = 12

    package init() {}

    /// Creates an object with the members in the given order. If a name is repeated, its last value is kept, at the
    /// position of its first occurrence.
    package init(_ members: some Sequence<(String, JSONValue)>) {
        for (name, value) in members { self[name] = value }
    }

    package var count: Int { names.count }
    package var isEmpty: Bool { names.isEmpty }
    package var keys: [String] { names }

    package subscript(key: String) -> JSONValue? {
        get { findPosition(of: key).map { values[$0] } }
        set {
            switch (findPosition(of: key), newValue) {
            case (let position?, let value?): values[position] = value
            case (let position?, nil): removeMember(at: position)
            case (nil, let value?): append(key, value)
            case (nil, nil): break
            }
        }
    }

    /// Adds a member. The object must not contain the name; the parser has refused repeated names.
    mutating func append(_ name: String, _ value: JSONValue) {
        names.append(name)
        values.append(value)
        if positionByName != nil {
            positionByName?[Name(text: name)] = names.count - 1
        } else if names.count > Self.maxLinearSearchCount {
            buildPositions()
        }
    }

    mutating func reserveCapacity(_ count: Int) {
        names.reserveCapacity(count)
        values.reserveCapacity(count)
    }

    private mutating func removeMember(at position: Int) {
        names.remove(at: position)
        values.remove(at: position)
        if positionByName != nil { buildPositions() }
    }

    private mutating func buildPositions() {
        positionByName = Dictionary(zip(names.map(Name.init), names.indices), uniquingKeysWith: { first, _ in first })
    }

    private func findPosition(of name: String) -> Int? {
        if let positionByName { return positionByName[Name(text: name)] }
        return names.firstIndex { Self.isSameText($0, name) }
    }
}

extension JSONObject: Sequence {
    package struct Iterator: IteratorProtocol {
        private let object: JSONObject
        private var offset = 0

        fileprivate init(_ object: JSONObject) { self.object = object }

        package mutating func next() -> (key: String, value: JSONValue)? {
            guard offset < object.names.count else { return nil }
            defer { offset += 1 }
            return (object.names[offset], object.values[offset])
        }
    }

    package func makeIterator() -> Iterator { Iterator(self) }
    package var underestimatedCount: Int { count }
}

extension JSONObject: Hashable {
    package static func == (a: JSONObject, b: JSONObject) -> Bool {
        guard a.count == b.count else { return false }
        if a.names.elementsEqual(b.names, by: isSameText) { return a.values == b.values }
        return a.allSatisfy { b[$0.key] == $0.value }
    }

    package func hash(into hasher: inout Hasher) {
        var sum = 0
        for (name, value) in self {
            var member = Hasher()
            member.combine(name)
            member.combine(value)
            sum &+= member.finalize()  // a sum, since the order of members does not count
        }
        hasher.combine(sum)
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (String, JSONValue)...) { self.init(elements) }
}
