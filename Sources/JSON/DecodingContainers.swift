/// The decoder from which a type reads the members of a JSON object.
struct MemberDecodingContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let object: JSONObject
    let path: DecodingPath
    let requestedMembers: RequestedMembers?

    var codingPath: [any CodingKey] { path.codingKeys }
    var allKeys: [Key] { object.keys.compactMap(Key.init(stringValue:)) }

    func contains(_ key: Key) -> Bool {
        requestedMembers?.recordRequest(key.stringValue)
        return object[key.stringValue] != nil
    }

    func decodeNil(forKey key: Key) -> Bool {
        requestedMembers?.recordRequest(key.stringValue)
        return object[key.stringValue]?.isNull ?? true
    }

    private func makeMemberDecoder(_ key: Key) throws -> ValueDecoder {
        requestedMembers?.recordRequest(key.stringValue)
        guard let value = object[key.stringValue] else {
            throw DecodingError.keyNotFound(key, .init(codingPath: codingPath, debugDescription: "member is missing"))
        }
        return ValueDecoder(
            value: value,
            path: .member(key, of: path),
            requestedMembers: requestedMembers?.findOrMakeMember(key.stringValue)
        )
    }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try makeMemberDecoder(key).decode(type) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try makeMemberDecoder(key).decode(type) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try makeMemberDecoder(key).decode(type) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try makeMemberDecoder(key).decode(type) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try makeMemberDecoder(key).decodeInteger() }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try makeMemberDecoder(key).decodeInteger() }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try makeMemberDecoder(key).decodeInteger() }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try makeMemberDecoder(key).decodeInteger() }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try makeMemberDecoder(key).decodeInteger() }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try makeMemberDecoder(key).decodeInteger() }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try makeMemberDecoder(key).decodeInteger() }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try makeMemberDecoder(key).decodeInteger() }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try makeMemberDecoder(key).decodeInteger() }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try makeMemberDecoder(key).decodeInteger() }
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try makeMemberDecoder(key).decode(type) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try makeMemberDecoder(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try makeMemberDecoder(key).unkeyedContainer()
    }

    func superDecoder() -> any Decoder {
        requestedMembers?.recordRequest("super")
        return ValueDecoder(
            value: object["super"] ?? .null,
            path: path,
            requestedMembers: requestedMembers?.findOrMakeMember("super")
        )
    }
    func superDecoder(forKey key: Key) throws -> any Decoder { try makeMemberDecoder(key) }
}

/// The decoder from which a type reads the elements of a JSON array.
struct ElementDecodingContainer: UnkeyedDecodingContainer {
    let elements: [JSONValue]
    let path: DecodingPath
    let requestedMembers: RequestedMembers?
    private(set) var currentIndex = 0

    init(elements: [JSONValue], path: DecodingPath, requested: RequestedMembers?) {
        self.elements = elements
        self.path = path
        self.requestedMembers = requested
    }

    var codingPath: [any CodingKey] { path.codingKeys }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    mutating func decodeNil() -> Bool {
        guard !isAtEnd, elements[currentIndex].isNull else { return false }
        currentIndex += 1
        return true
    }

    /// Decodes the current element of the array. Advances to the next element only after success.
    private mutating func decodeNextElement<T>(_ decode: (ValueDecoder) throws -> T) throws -> T {
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                T.self,
                .init(codingPath: codingPath, debugDescription: "array is too short")
            )
        }
        let element = ValueDecoder(
            value: elements[currentIndex],
            path: .element(currentIndex, of: path),
            requestedMembers: requestedMembers?.findOrMakeElement(currentIndex)
        )
        let value = try decode(element)
        currentIndex += 1
        return value
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool { try decodeNextElement { try $0.decode(type) } }
    mutating func decode(_ type: String.Type) throws -> String { try decodeNextElement { try $0.decode(type) } }
    mutating func decode(_ type: Double.Type) throws -> Double { try decodeNextElement { try $0.decode(type) } }
    mutating func decode(_ type: Float.Type) throws -> Float { try decodeNextElement { try $0.decode(type) } }
    mutating func decode(_ type: Int.Type) throws -> Int { try decodeNextElement { try $0.decodeInteger() } }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try decodeNextElement { try $0.decodeInteger() } }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try decodeNextElement { try $0.decodeInteger() } }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try decodeNextElement { try $0.decodeInteger() } }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try decodeNextElement { try $0.decodeInteger() } }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try decodeNextElement { try $0.decodeInteger() } }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try decodeNextElement { try $0.decodeInteger() } }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try decodeNextElement { try $0.decodeInteger() } }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try decodeNextElement { try $0.decodeInteger() } }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try decodeNextElement { try $0.decodeInteger() } }
    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try decodeNextElement { try $0.decode(type) } }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested>
    {
        try decodeNextElement { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try decodeNextElement { try $0.unkeyedContainer() }
    }
    mutating func superDecoder() throws -> any Decoder { try decodeNextElement { $0 } }
}

/// Decoding of values that are neither objects nor arrays.
extension ValueDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { value.isNull }

    func decode(_ type: Bool.Type) throws -> Bool {
        guard case .bool(let value) = value else { throw makeMismatchError(type, "true or false") }
        return value
    }

    func decode(_ type: String.Type) throws -> String {
        guard case .string(let value) = value else { throw makeMismatchError(type, "a string") }
        return value
    }

    func decode(_ type: Double.Type) throws -> Double {
        guard let value = value.doubleValue else { throw makeMismatchError(type, "a number") }
        return value
    }

    func decode(_ type: Float.Type) throws -> Float { Float(try decode(Double.self)) }

    /// Returns an integer of the requested type. An integer that is too large for this type, or a real number, is an
    /// error.
    func decodeInteger<I: FixedWidthInteger>() throws -> I {
        guard case .integer(let number) = value else { throw makeMismatchError(I.self, "an integer") }
        guard let exact = I(exactly: number) else {
            throw makeMismatchError(I.self, "an integer of at most \(I.bitWidth) bits")
        }
        return exact
    }

    func decode(_ type: Int.Type) throws -> Int { try decodeInteger() }
    func decode(_ type: Int8.Type) throws -> Int8 { try decodeInteger() }
    func decode(_ type: Int16.Type) throws -> Int16 { try decodeInteger() }
    func decode(_ type: Int32.Type) throws -> Int32 { try decodeInteger() }
    func decode(_ type: Int64.Type) throws -> Int64 { try decodeInteger() }
    func decode(_ type: UInt.Type) throws -> UInt { try decodeInteger() }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try decodeInteger() }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try decodeInteger() }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try decodeInteger() }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try decodeInteger() }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        if T.self == JSONValue.self, let value = value as? T {
            requestedMembers?.acceptAllMembers()
            return value
        }
        return try T(from: self)
    }
}
