import JSON

/// A sum type in the core's default JSON style: `{"type":"tag", …members of the case}` (`taggedObjectJSON` of
/// simplexmq).
///
/// Every union has a case `unrecognized` that keeps an object with an unknown tag unchanged, so that additions of newer
/// peers and cores pass through.
public protocol TaggedUnion: Codable, Hashable, Sendable {}

/// A member name chosen at run time.
struct MemberName: CodingKey, ExpressibleByStringLiteral {
    var stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init(stringLiteral value: String) { stringValue = value }
    init?(intValue: Int) { nil }
}

/// The members of a tagged object while it is read.
struct TaggedFields {
    let tag: String
    private let members: KeyedDecodingContainer<MemberName>

    init(_ decoder: any Decoder) throws {
        members = try decoder.container(keyedBy: MemberName.self)
        tag = try members.decode(String.self, forKey: "type")
    }

    /// Returns the whole object, whose tag is unknown.
    func unknown(_ decoder: any Decoder) throws -> JSONValue {
        if decoder.refusesUnknown {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "unknown type \(tag)")
            )
        }
        return try JSONValue(from: decoder)
    }

    func callAsFunction<T: Decodable>(_ name: MemberName) throws -> T { try members.decode(T.self, forKey: name) }

    func optional<T: Decodable>(_ name: MemberName) throws -> T? { try members.decodeIfPresent(T.self, forKey: name) }
}

/// Writes the members of a tagged object one after the other.
struct TaggedMembers {
    fileprivate var members: KeyedEncodingContainer<MemberName>

    @discardableResult
    func callAsFunction(_ name: MemberName, _ value: some Encodable) throws -> Self {
        var next = self
        try next.members.encode(value, forKey: name)
        return next
    }

    // Overloads for types whose encoding is known: they skip the search for it.

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

    /// Leaves the member out when there is no value.
    @discardableResult
    func optional(_ name: MemberName, _ value: (some Encodable)?) throws -> Self {
        guard let value else { return self }
        return try self(name, value)
    }
}

extension Encoder {
    /// Writes `{"type": tag}`; calls on the result add the members.
    @discardableResult
    func tagged(_ tag: String) throws -> TaggedMembers {
        var members = container(keyedBy: MemberName.self)
        try members.encode(tag, forKey: "type")
        return TaggedMembers(members: members)
    }
}
