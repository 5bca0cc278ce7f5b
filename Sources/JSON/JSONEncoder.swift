/// Turns `Encodable` values into JSON. Members come in the order in which the value encodes them; nil members that are encoded
/// with `encodeIfPresent` (as synthesized code does) are left out.
public struct JSONEncoder: Sendable {
    public init() {}

    public func encode(_ value: some Encodable) throws -> [UInt8] { try encodeValue(value).encoded() }

    public func encodeValue(_ value: some Encodable) throws -> JSONValue {
        let slot = Slot()
        try value.encode(to: ValueEncoder(slot: slot, codingPath: []))
        return slot.value ?? .object(JSONObject())
    }
}

/// A place in the tree that is being built: filled by a container, read when the tree is complete.
final class Slot {
    enum Content {
        case none
        case value(JSONValue)
        case array([Slot])
        case object(keys: [String], slots: [Slot])
    }

    var content = Content.none

    init(_ content: Content = .none) { self.content = content }

    var value: JSONValue? {
        get {
            switch content {
            case .none: return nil
            case .value(let value): return value
            case .array(let slots): return .array(slots.map { $0.value ?? .object(JSONObject()) })
            case .object(let keys, let slots):
                var object = JSONObject()
                for (key, slot) in zip(keys, slots) { object[key] = slot.value ?? .object(JSONObject()) }
                return .object(object)
            }
        }
        set { content = newValue.map(Content.value) ?? .none }
    }

    /// Adds a member; an object that was encoded whole (by a value inside the value) is opened again for it.
    func add(_ key: String, _ slot: Slot) {
        switch content {
        case .object(var keys, var slots):
            content = .none
            keys.append(key)
            slots.append(slot)
            content = .object(keys: keys, slots: slots)
        case .value(.object(let object)):
            content = .object(keys: object.keys + [key], slots: object.map { Slot(.value($0.value)) } + [slot])
        default: content = .object(keys: [key], slots: [slot])
        }
    }

    func append(_ slot: Slot) {
        if case .array(var slots) = content {
            content = .none
            slots.append(slot)
            content = .array(slots)
        } else {
            content = .array([slot])
        }
    }

    var elementCount: Int { if case .array(let slots) = content { slots.count } else { 0 } }
}

struct ValueEncoder: Encoder, SingleValueEncodingContainer {
    let slot: Slot
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        if case .none = slot.content { slot.content = .object(keys: [], slots: []) }
        return KeyedEncodingContainer(KeyedEncoding<Key>(slot: slot, codingPath: codingPath))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        if case .none = slot.content { slot.content = .array([]) }
        return UnkeyedEncoding(slot: slot, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    func encodeNil() { slot.value = .null }
    func encode(_ value: Bool) { slot.value = .bool(value) }
    func encode(_ value: String) { slot.value = .string(value) }
    func encode(_ value: Double) { slot.value = .real(value) }
    func encode(_ value: Float) { slot.value = .real(Double(value)) }
    func encode(_ value: Int) { slot.value = .integer(Int64(value)) }
    func encode(_ value: Int8) { slot.value = .integer(Int64(value)) }
    func encode(_ value: Int16) { slot.value = .integer(Int64(value)) }
    func encode(_ value: Int32) { slot.value = .integer(Int64(value)) }
    func encode(_ value: Int64) { slot.value = .integer(value) }
    func encode(_ value: UInt) throws { slot.value = .integer(try exact(value)) }
    func encode(_ value: UInt8) { slot.value = .integer(Int64(value)) }
    func encode(_ value: UInt16) { slot.value = .integer(Int64(value)) }
    func encode(_ value: UInt32) { slot.value = .integer(Int64(value)) }
    func encode(_ value: UInt64) throws { slot.value = .integer(try exact(value)) }
    func encode(_ value: some Encodable) throws { try value.encode(to: self) }

    private func exact(_ value: some BinaryInteger) throws -> Int64 {
        guard let exact = Int64(exactly: value) else {
            throw EncodingError.invalidValue(value, .init(codingPath: codingPath, debugDescription: "beyond 64 bits with sign"))
        }
        return exact
    }
}

private struct KeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let slot: Slot
    let codingPath: [any CodingKey]

    private func member(_ key: some CodingKey) -> ValueEncoder {
        let member = Slot()
        slot.add(key.stringValue, member)
        return ValueEncoder(slot: member, codingPath: codingPath + [key])
    }

    func encodeNil(forKey key: Key) { member(key).encodeNil() }
    func encode(_ value: Bool, forKey key: Key) { member(key).encode(value) }
    func encode(_ value: String, forKey key: Key) { member(key).encode(value) }
    func encode(_ value: Double, forKey key: Key) { member(key).encode(value) }
    func encode(_ value: Int, forKey key: Key) { member(key).encode(value) }
    func encode(_ value: Int64, forKey key: Key) { member(key).encode(value) }
    func encode(_ value: some Encodable, forKey key: Key) throws { try value.encode(to: member(key)) }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<Nested> {
        member(key).container(keyedBy: type)
    }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { member(key).unkeyedContainer() }
    func superEncoder() -> any Encoder { member(Position.super) }
    func superEncoder(forKey key: Key) -> any Encoder { member(key) }
}

private struct UnkeyedEncoding: UnkeyedEncodingContainer {
    let slot: Slot
    let codingPath: [any CodingKey]
    var count: Int { slot.elementCount }

    private func element() -> ValueEncoder {
        let element = Slot()
        slot.append(element)
        return ValueEncoder(slot: element, codingPath: codingPath + [Position(intValue: count - 1)])
    }

    func encodeNil() { element().encodeNil() }
    func encode(_ value: some Encodable) throws { try value.encode(to: element()) }
    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> { element().container(keyedBy: type) }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { element().unkeyedContainer() }
    func superEncoder() -> any Encoder { element() }
}

/// A place in an array, for coding paths.
struct Position: CodingKey {
    static let `super` = Position(stringValue: "super")

    var stringValue: String
    var intValue: Int?

    init(stringValue: String) { self.stringValue = stringValue }
    init(intValue: Int) {
        self.intValue = intValue
        stringValue = String(intValue)
    }
}
