import JSON

/// A sum type in the core's default JSON style: `{"type":"tag", …members of the case}` (encoding rules, section 6).
///
/// Every union has a case `unrecognized` that keeps an object with another tag as it came, so that what a newer peer or core says
/// passes through unharmed.
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

    /// The whole object, whose tag is not known.
    func unknown(_ decoder: any Decoder) throws -> JSONValue {
        if decoder.refusesUnknown {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "unknown type \(tag)"))
        }
        return try JSONValue(from: decoder)
    }

    func callAsFunction<T: Decodable>(_ name: MemberName) throws -> T { try members.decode(T.self, forKey: name) }

    func optional<T: Decodable>(_ name: MemberName) throws -> T? { try members.decodeIfPresent(T.self, forKey: name) }
}

extension Encoder {
    /// Writes `{"type": tag}` and the members that `body` adds.
    func tagged(_ tag: String, _ body: (inout KeyedEncodingContainer<MemberName>) throws -> Void = { _ in }) throws {
        var members = container(keyedBy: MemberName.self)
        try members.encode(tag, forKey: "type")
        try body(&members)
    }
}
