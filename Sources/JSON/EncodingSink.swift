/// The output of one encoding, which all containers (objects and arrays) share. Swift does not tell an encoder when a
/// container ends. So each container remembers how many brackets were open at its beginning. Before a container writes
/// its next value, it closes the brackets that were opened later.
final class EncodingSink {
    enum Bracket { case object, array }

    private var writer = JSONWriter(capacity: 4096)
    private var brackets: [Bracket] = []
    /// The key of the next value. The key is written together with the value, because neither is written if the value
    /// is nil.
    private var pendingKey: String?
    /// A cache of encoded texts, from which repeated values are copied; nil for no cache.
    private let recentTexts: RecentTexts?

    init(_ texts: RecentTexts?) { self.recentTexts = texts }

    func finishText() -> [UInt8] {
        closeContainers(to: 0)
        if writer.count == 0 { writer.writeNull() }
        return writer.textBytes
    }

    /// Opens an object or array inside of `depth` open brackets. If the same encoder has opened it before, continues
    /// it.
    /// - Returns: the number of open brackets around the values of the container.
    func openContainer(_ bracket: Bracket, at depth: Int) -> Int {
        if brackets.count > depth {
            closeContainers(to: depth + 1)
        } else {
            writePendingKey()
            brackets.append(bracket)
            switch bracket {
            case .object: writer.beginObject()
            case .array: writer.beginArray()
            }
        }
        return depth + 1
    }

    @inline(__always)
    func closeContainers(to depth: Int) {
        if brackets.count > depth { closeBrackets(to: depth) }
    }

    private func closeBrackets(to depth: Int) {
        while brackets.count > depth, let bracket = brackets.popLast() {
            switch bracket {
            case .object: writer.endObject()
            case .array: writer.endArray()
            }
        }
    }

    /// Stores the name of a member whose value may be nil. The name is written when a value follows. If no value
    /// follows, the name is not written.
    func setPendingKey(_ name: String, depth: Int) {
        closeContainers(to: depth)
        pendingKey = name
    }

    /// Writes the name of a member whose value is not nil.
    func writeKey(_ name: String, depth: Int) {
        closeContainers(to: depth)
        writer.writeKey(name)
    }

    private func writePendingKey() {
        guard let name = pendingKey else { return }
        writer.writeKey(name)
        pendingKey = nil
    }

    /// Writes `null` in an array or at the top. If the value of a member is null, the member is left out.
    func writeNilValue() {
        if pendingKey == nil { writer.writeNull() } else { pendingKey = nil }
    }

    func writeNull() {
        writePendingKey()
        writer.writeNull()
    }

    func writeBool(_ value: Bool) {
        writePendingKey()
        writer.writeBool(value)
    }

    func writeString(_ value: String) {
        writePendingKey()
        writer.writeString(value)
    }

    /// Writes an integer.
    /// - Throws: `EncodingError` for a number that needs more than 64 bits with sign, since this module's decoder would
    ///   refuse the number.
    func writeInteger(_ value: some FixedWidthInteger) throws {
        guard let exact = Int64(exactly: value) else {
            throw EncodingError.invalidValue(
                value,
                .init(codingPath: [], debugDescription: "the integer does not fit into 64 bits with sign")
            )
        }
        writeInteger(exact)
    }

    func writeInteger(_ value: Int64) {
        writePendingKey()
        writer.writeInteger(value)
    }

    func writeReal(_ value: Double) throws {
        guard value.isFinite else {
            throw EncodingError.invalidValue(
                value,
                .init(codingPath: [], debugDescription: "JSON cannot express the number")
            )
        }
        writePendingKey()
        writer.writeReal(value)
    }

    func writeValue<T: Encodable>(_ value: T, depth: Int) throws {
        if T.self == String.self, let value = value as? String {
            writeString(value)
        } else if T.self == JSONValue.self, let value = value as? JSONValue {
            writePendingKey()
            writer.writeValue(value)
        } else if T.self == JSONFragment.self, let value = value as? JSONFragment {
            writePendingKey()
            writer.writeFragment(value.bytes)
        } else if let recentTexts, let value = value as? any RepeatedJSON,
            let text = try recentTexts.encodeText(of: value)
        {
            writePendingKey()
            writer.writeFragment(text)
        } else {
            try value.encode(to: ValueEncoder(sink: self, depth: depth))
            closeContainers(to: depth)
            pendingKey = nil
        }
    }
}

/// The encoder of one value. `depth` is the number of brackets that are open while the value is written.
struct ValueEncoder: Encoder {
    let sink: EncodingSink
    let depth: Int

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(MemberEncodingContainer<Key>(sink: sink, depth: sink.openContainer(.object, at: depth)))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        ElementEncodingContainer(sink: sink, depth: sink.openContainer(.array, at: depth))
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }
}
