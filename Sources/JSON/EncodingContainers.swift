/// The encoder to which a type writes the members of a JSON object.
struct MemberEncodingContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let sink: EncodingSink
    let depth: Int

    var codingPath: [any CodingKey] { [] }

    /// Writes the key of a member, and returns the output for the value of this member.
    private func beginMember(_ key: Key) -> EncodingSink {
        sink.writeKey(key.stringValue, depth: depth)
        return sink
    }

    func encodeNil(forKey key: Key) { beginMember(key).writeNull() }
    func encode(_ value: Bool, forKey key: Key) { beginMember(key).writeBool(value) }
    func encode(_ value: String, forKey key: Key) { beginMember(key).writeString(value) }
    func encode(_ value: Double, forKey key: Key) throws { try beginMember(key).writeReal(value) }
    func encode(_ value: Float, forKey key: Key) throws { try beginMember(key).writeReal(Double(value)) }
    func encode(_ value: Int, forKey key: Key) { beginMember(key).writeInteger(Int64(value)) }
    func encode(_ value: Int8, forKey key: Key) { beginMember(key).writeInteger(Int64(value)) }
    func encode(_ value: Int16, forKey key: Key) { beginMember(key).writeInteger(Int64(value)) }
    func encode(_ value: Int32, forKey key: Key) { beginMember(key).writeInteger(Int64(value)) }
    func encode(_ value: Int64, forKey key: Key) { beginMember(key).writeInteger(value) }
    func encode(_ value: UInt, forKey key: Key) throws { try beginMember(key).writeInteger(value) }
    func encode(_ value: UInt8, forKey key: Key) { beginMember(key).writeInteger(Int64(value)) }
    func encode(_ value: UInt16, forKey key: Key) { beginMember(key).writeInteger(Int64(value)) }
    func encode(_ value: UInt32, forKey key: Key) { beginMember(key).writeInteger(Int64(value)) }
    func encode(_ value: UInt64, forKey key: Key) throws { try beginMember(key).writeInteger(value) }
    func encode(_ value: some Encodable, forKey key: Key) throws {
        sink.setPendingKey(key.stringValue, depth: depth)
        try sink.writeValue(value, depth: depth)
    }

    func nestedContainer<Nested: CodingKey>(keyedBy: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<Nested> {
        ValueEncoder(sink: beginMember(key), depth: depth).container(keyedBy: Nested.self)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        ValueEncoder(sink: beginMember(key), depth: depth).unkeyedContainer()
    }

    func superEncoder() -> any Encoder {
        sink.setPendingKey("super", depth: depth)
        return ValueEncoder(sink: sink, depth: depth)
    }

    func superEncoder(forKey key: Key) -> any Encoder {
        sink.setPendingKey(key.stringValue, depth: depth)
        return ValueEncoder(sink: sink, depth: depth)
    }
}

/// The encoder to which a type writes the elements of a JSON array.
struct ElementEncodingContainer: UnkeyedEncodingContainer {
    let sink: EncodingSink
    let depth: Int
    private(set) var count = 0

    init(sink: EncodingSink, depth: Int) {
        self.sink = sink
        self.depth = depth
    }

    var codingPath: [any CodingKey] { [] }

    private mutating func beginElement() -> EncodingSink {
        sink.closeContainers(to: depth)
        count += 1
        return sink
    }

    mutating func encodeNil() { beginElement().writeNull() }
    mutating func encode(_ value: Bool) { beginElement().writeBool(value) }
    mutating func encode(_ value: String) { beginElement().writeString(value) }
    mutating func encode(_ value: Double) throws { try beginElement().writeReal(value) }
    mutating func encode(_ value: Float) throws { try beginElement().writeReal(Double(value)) }
    mutating func encode(_ value: Int) { beginElement().writeInteger(Int64(value)) }
    mutating func encode(_ value: Int8) { beginElement().writeInteger(Int64(value)) }
    mutating func encode(_ value: Int16) { beginElement().writeInteger(Int64(value)) }
    mutating func encode(_ value: Int32) { beginElement().writeInteger(Int64(value)) }
    mutating func encode(_ value: Int64) { beginElement().writeInteger(value) }
    mutating func encode(_ value: UInt) throws { try beginElement().writeInteger(value) }
    mutating func encode(_ value: UInt8) { beginElement().writeInteger(Int64(value)) }
    mutating func encode(_ value: UInt16) { beginElement().writeInteger(Int64(value)) }
    mutating func encode(_ value: UInt32) { beginElement().writeInteger(Int64(value)) }
    mutating func encode(_ value: UInt64) throws { try beginElement().writeInteger(value) }
    mutating func encode(_ value: some Encodable) throws { try beginElement().writeValue(value, depth: depth) }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy: Nested.Type) -> KeyedEncodingContainer<Nested> {
        ValueEncoder(sink: beginElement(), depth: depth).container(keyedBy: Nested.self)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        ValueEncoder(sink: beginElement(), depth: depth).unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder { ValueEncoder(sink: beginElement(), depth: depth) }
}

/// Encoding of values that are neither objects nor arrays.
extension ValueEncoder: SingleValueEncodingContainer {
    func encodeNil() { sink.writeNilValue() }
    func encode(_ value: Bool) { sink.writeBool(value) }
    func encode(_ value: String) { sink.writeString(value) }
    func encode(_ value: Double) throws { try sink.writeReal(value) }
    func encode(_ value: Float) throws { try sink.writeReal(Double(value)) }
    func encode(_ value: Int) { sink.writeInteger(Int64(value)) }
    func encode(_ value: Int8) { sink.writeInteger(Int64(value)) }
    func encode(_ value: Int16) { sink.writeInteger(Int64(value)) }
    func encode(_ value: Int32) { sink.writeInteger(Int64(value)) }
    func encode(_ value: Int64) { sink.writeInteger(value) }
    func encode(_ value: UInt) throws { try sink.writeInteger(value) }
    func encode(_ value: UInt8) { sink.writeInteger(Int64(value)) }
    func encode(_ value: UInt16) { sink.writeInteger(Int64(value)) }
    func encode(_ value: UInt32) { sink.writeInteger(Int64(value)) }
    func encode(_ value: UInt64) throws { try sink.writeInteger(value) }
    func encode(_ value: some Encodable) throws { try sink.writeValue(value, depth: depth) }
}
