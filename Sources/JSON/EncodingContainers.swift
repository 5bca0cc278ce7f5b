/// The encoder that a type uses for the members of an object.
struct MemberEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let sink: EncodingSink
    let depth: Int

    var codingPath: [any CodingKey] { [] }

    /// Returns the sink, which writes the next value as the member with this key.
    private func member(_ key: Key) -> EncodingSink {
        sink.certainKey(key.stringValue, depth: depth)
        return sink
    }

    func encodeNil(forKey key: Key) { member(key).null() }
    func encode(_ value: Bool, forKey key: Key) { member(key).bool(value) }
    func encode(_ value: String, forKey key: Key) { member(key).string(value) }
    func encode(_ value: Double, forKey key: Key) throws { try member(key).real(value) }
    func encode(_ value: Float, forKey key: Key) throws { try member(key).real(Double(value)) }
    func encode(_ value: Int, forKey key: Key) { member(key).integer(Int64(value)) }
    func encode(_ value: Int8, forKey key: Key) { member(key).integer(Int64(value)) }
    func encode(_ value: Int16, forKey key: Key) { member(key).integer(Int64(value)) }
    func encode(_ value: Int32, forKey key: Key) { member(key).integer(Int64(value)) }
    func encode(_ value: Int64, forKey key: Key) { member(key).integer(value) }
    func encode(_ value: UInt, forKey key: Key) throws { try member(key).integer(value) }
    func encode(_ value: UInt8, forKey key: Key) { member(key).integer(Int64(value)) }
    func encode(_ value: UInt16, forKey key: Key) { member(key).integer(Int64(value)) }
    func encode(_ value: UInt32, forKey key: Key) { member(key).integer(Int64(value)) }
    func encode(_ value: UInt64, forKey key: Key) throws { try member(key).integer(value) }
    func encode(_ value: some Encodable, forKey key: Key) throws {
        sink.key(key.stringValue, depth: depth)
        try sink.write(value, depth: depth)
    }

    func nestedContainer<Nested: CodingKey>(keyedBy: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<Nested> {
        ValueEncoder(sink: member(key), depth: depth).container(keyedBy: Nested.self)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        ValueEncoder(sink: member(key), depth: depth).unkeyedContainer()
    }

    func superEncoder() -> any Encoder {
        sink.key("super", depth: depth)
        return ValueEncoder(sink: sink, depth: depth)
    }

    func superEncoder(forKey key: Key) -> any Encoder {
        sink.key(key.stringValue, depth: depth)
        return ValueEncoder(sink: sink, depth: depth)
    }
}

/// The encoder that a type uses for the elements of an array.
struct ElementEncoding: UnkeyedEncodingContainer {
    let sink: EncodingSink
    let depth: Int
    private(set) var count = 0

    init(sink: EncodingSink, depth: Int) {
        self.sink = sink
        self.depth = depth
    }

    var codingPath: [any CodingKey] { [] }

    private mutating func element() -> EncodingSink {
        sink.close(to: depth)
        count += 1
        return sink
    }

    mutating func encodeNil() { element().null() }
    mutating func encode(_ value: Bool) { element().bool(value) }
    mutating func encode(_ value: String) { element().string(value) }
    mutating func encode(_ value: Double) throws { try element().real(value) }
    mutating func encode(_ value: Float) throws { try element().real(Double(value)) }
    mutating func encode(_ value: Int) { element().integer(Int64(value)) }
    mutating func encode(_ value: Int8) { element().integer(Int64(value)) }
    mutating func encode(_ value: Int16) { element().integer(Int64(value)) }
    mutating func encode(_ value: Int32) { element().integer(Int64(value)) }
    mutating func encode(_ value: Int64) { element().integer(value) }
    mutating func encode(_ value: UInt) throws { try element().integer(value) }
    mutating func encode(_ value: UInt8) { element().integer(Int64(value)) }
    mutating func encode(_ value: UInt16) { element().integer(Int64(value)) }
    mutating func encode(_ value: UInt32) { element().integer(Int64(value)) }
    mutating func encode(_ value: UInt64) throws { try element().integer(value) }
    mutating func encode(_ value: some Encodable) throws { try element().write(value, depth: depth) }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy: Nested.Type) -> KeyedEncodingContainer<Nested> {
        ValueEncoder(sink: element(), depth: depth).container(keyedBy: Nested.self)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        ValueEncoder(sink: element(), depth: depth).unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder { ValueEncoder(sink: element(), depth: depth) }
}

/// Encoding of a value that is neither an object nor an array.
extension ValueEncoder: SingleValueEncodingContainer {
    func encodeNil() { sink.absent() }
    func encode(_ value: Bool) { sink.bool(value) }
    func encode(_ value: String) { sink.string(value) }
    func encode(_ value: Double) throws { try sink.real(value) }
    func encode(_ value: Float) throws { try sink.real(Double(value)) }
    func encode(_ value: Int) { sink.integer(Int64(value)) }
    func encode(_ value: Int8) { sink.integer(Int64(value)) }
    func encode(_ value: Int16) { sink.integer(Int64(value)) }
    func encode(_ value: Int32) { sink.integer(Int64(value)) }
    func encode(_ value: Int64) { sink.integer(value) }
    func encode(_ value: UInt) throws { try sink.integer(value) }
    func encode(_ value: UInt8) { sink.integer(Int64(value)) }
    func encode(_ value: UInt16) { sink.integer(Int64(value)) }
    func encode(_ value: UInt32) { sink.integer(Int64(value)) }
    func encode(_ value: UInt64) throws { try sink.integer(value) }
    func encode(_ value: some Encodable) throws { try sink.write(value, depth: depth) }
}
