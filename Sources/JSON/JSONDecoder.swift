/// Decoder of JSON to `Decodable` values. Members that the type does not know are ignored, except by
/// ``decodeAll(_:from:)``.
package struct JSONDecoder: Sendable {
    /// Options for the decoded types, which read them from `decoder.userInfo`.
    package var userInfo: [CodingUserInfoKey: any Sendable]

    package init(userInfo: [CodingUserInfoKey: any Sendable] = [:]) { self.userInfo = userInfo }

    /// Parses a text, and decodes its value.
    /// - Throws: ``JSONError`` when the text is not JSON, `DecodingError` when it does not fit the type.
    package func decode<T: Decodable>(_ type: T.Type, from text: [UInt8], limits: JSONLimits = .default) throws -> T {
        try decode(type, from: JSONValue(parsing: text, limits: limits))
    }

    /// Decodes a value.
    /// - Throws: `DecodingError` when the value does not fit the type.
    package func decode<T: Decodable>(_ type: T.Type, from value: JSONValue) throws -> T {
        try ValueDecoder(value: value, path: .root(userInfo)).decode(type)
    }
}

/// The path from the outermost JSON value to the value that is decoded. The path is converted to coding keys only for
/// an error. Its root contains the `userInfo` of the decoder.
indirect enum DecodingPath {
    case root([CodingUserInfoKey: any Sendable])
    case member(any CodingKey, of: DecodingPath)
    case element(Int, of: DecodingPath)

    var userInfo: [CodingUserInfoKey: any Sendable] {
        switch self {
        case .root(let userInfo): userInfo
        case .member(_, let parent), .element(_, let parent): parent.userInfo
        }
    }

    var codingKeys: [any CodingKey] {
        switch self {
        case .root: []
        case .member(let key, let parent): parent.codingKeys + [key]
        case .element(let index, let parent): parent.codingKeys + [ElementKey(index)]
        }
    }
}

private struct ElementKey: CodingKey {
    let index: Int

    init(_ index: Int) { self.index = index }
    init?(intValue: Int) { index = intValue }
    init?(stringValue: String) { nil }

    var intValue: Int? { index }
    var stringValue: String { String(index) }
}

struct ValueDecoder: Decoder {
    let value: JSONValue
    let path: DecodingPath
    /// The record of the members that the decoded types have requested, with which unknown members are found; nil when
    /// unknown members are ignored.
    var requestedMembers: RequestedMembers?

    var codingPath: [any CodingKey] { path.codingKeys }
    var userInfo: [CodingUserInfoKey: Any] { path.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let object) = value else { throw makeMismatchError(JSONObject.self, "an object") }
        requestedMembers?.recordMembers(object)
        return KeyedDecodingContainer(
            MemberDecodingContainer<Key>(object: object, path: path, requestedMembers: requestedMembers)
        )
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let elements) = value else { throw makeMismatchError([JSONValue].self, "an array") }
        return ElementDecodingContainer(elements: elements, path: path, requested: requestedMembers)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    func makeMismatchError(_ type: any Any.Type, _ expected: String) -> DecodingError {
        .typeMismatch(type, .init(codingPath: codingPath, debugDescription: "\(expected) is expected here"))
    }
}
