import JSON

/// A union in the core's default JSON form: `{"type":"tag", …members of the case}` (`taggedObjectJSON` of simplexmq).
///
/// Every union has a case `unrecognized`, which keeps an object with an unknown tag unchanged. So this program forwards
/// values that only newer peers or cores know.
package protocol TaggedUnion: Codable, Hashable, Sendable {}

/// The name of a JSON member that is chosen at run time.
struct MemberName: CodingKey, ExpressibleByStringLiteral {
    var stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init(stringLiteral value: String) { stringValue = value }
    init?(intValue: Int) { nil }
}

/// The members of a JSON object with a tag, while the object is decoded.
struct TaggedFields {
    let tag: String
    private let members: KeyedDecodingContainer<MemberName>

    init(_ decoder: any Decoder) throws {
        members = try decoder.container(keyedBy: MemberName.self)
        tag = try members.decode(String.self, forKey: "type")
    }

    /// Returns the whole JSON object of a case whose tag is unknown.
    /// - Throws: `DecodingError` in arguments of commands, where unknown tags are errors.
    func decodeUnknownCase(_ decoder: any Decoder) throws -> JSONValue {
        if decoder.refusesUnknownValues {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "unknown type \(tag)")
            )
        }
        return try JSONValue(from: decoder)
    }

    func callAsFunction<T: Decodable>(_ name: MemberName) throws -> T { try members.decode(T.self, forKey: name) }

    func optional<T: Decodable>(_ name: MemberName) throws -> T? { try members.decodeIfPresent(T.self, forKey: name) }
}

/// Encoder for the members of a JSON object with a tag, one after the other.
struct TaggedMembers {
    fileprivate var members: KeyedEncodingContainer<MemberName>

    @discardableResult
    func callAsFunction(_ name: MemberName, _ value: some Encodable) throws -> Self {
        var next = self
        try next.members.encode(value, forKey: name)
        return next
    }

    // The following overloads write values of types with a known encoding. They are faster than the generic function.

    @discardableResult
    func callAsFunction(_ name: MemberName, _ value: Bool) throws -> Self {
        var next = self
        try next.members.encode(value, forKey: name)
        return next
    }

    @discardableResult
    func callAsFunction(_ name: MemberName, _ value: Int64) throws -> Self {
        var next = self
        try next.members.encode(value, forKey: name)
        return next
    }

    /// Writes a member if its value is not nil.
    @discardableResult
    func optional(_ name: MemberName, _ value: (some Encodable)?) throws -> Self {
        guard let value else { return self }
        return try self(name, value)
    }
}

extension Encoder {
    /// Begins an object by writing its tag: `{"type": tag}`. The returned value adds the other members.
    @discardableResult
    func tagged(_ tag: String) throws -> TaggedMembers {
        var members = container(keyedBy: MemberName.self)
        try members.encode(tag, forKey: "type")
        return TaggedMembers(members: members)
    }
}
