/// Writer of compact JSON text, one token after another. The writer sets the commas. The caller must match brackets and
/// name every member.
package struct JSONWriter: ~Copyable {
    private var buffer: [UInt8] = []
    private var needsComma = false

    /// Makes an empty writer.
    /// - Parameter capacity: number of bytes for which memory is reserved at first.
    package init(capacity: Int = 1024) { buffer.reserveCapacity(capacity) }

    /// The JSON text written so far.
    package var textBytes: [UInt8] { buffer }
    package var count: Int { buffer.count }

    package consuming func takeBytes() -> [UInt8] { buffer }

    package mutating func beginObject() { openBracket(UInt8(ascii: "{")) }
    package mutating func endObject() { closeBracket(UInt8(ascii: "}")) }
    package mutating func beginArray() { openBracket(UInt8(ascii: "[")) }
    package mutating func endArray() { closeBracket(UInt8(ascii: "]")) }

    /// Writes the name of a member. The value of the member must be written next.
    package mutating func writeKey(_ name: String) {
        writeCommaIfNeeded()
        writeQuotedText(name)
        buffer.append(UInt8(ascii: ":"))
        needsComma = false
    }

    package mutating func writeNull() { writeLiteral("null") }
    package mutating func writeBool(_ value: Bool) { writeLiteral(value ? "true" : "false") }

    package mutating func writeString(_ value: String) {
        writeCommaIfNeeded()
        writeQuotedText(value)
    }

    package mutating func writeInteger(_ value: Int64) {
        writeCommaIfNeeded()
        if value < 0 { buffer.append(UInt8(ascii: "-")) }
        writeDigits(value.magnitude)
    }

    /// Writes the shortest text from which a parser gets the same number. Infinity and NaN, which JSON cannot express,
    /// become `null`.
    package mutating func writeReal(_ value: Double) {
        guard value.isFinite else { return writeNull() }
        writeCommaIfNeeded()
        buffer.append(contentsOf: value.description.utf8)
    }

    /// Writes a complete JSON value that was encoded before.
    package mutating func writeFragment(_ encoded: [UInt8]) {
        writeCommaIfNeeded()
        buffer.append(contentsOf: encoded)
    }

    package mutating func writeValue(_ value: JSONValue) {
        switch value {
        case .null: writeNull()
        case .bool(let value): writeBool(value)
        case .integer(let value): writeInteger(value)
        case .real(let value): writeReal(value)
        case .string(let value): writeString(value)
        case .array(let elements):
            beginArray()
            for element in elements { self.writeValue(element) }
            endArray()
        case .object(let object):
            beginObject()
            for (name, member) in object {
                writeKey(name)
                self.writeValue(member)
            }
            endObject()
        }
    }

    private mutating func openBracket(_ bracket: UInt8) {
        writeCommaIfNeeded()
        buffer.append(bracket)
        needsComma = false
    }

    private mutating func closeBracket(_ bracket: UInt8) {
        buffer.append(bracket)
        needsComma = true
    }

    @inline(__always)
    private mutating func writeCommaIfNeeded() {
        if needsComma { buffer.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private mutating func writeLiteral(_ text: StaticString) {
        writeCommaIfNeeded()
        buffer.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    private mutating func writeDigits(_ value: UInt64) {
        if value < 10 {
            buffer.append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: value))
            return
        }
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { scratch in
            var rest = value
            var start = scratch.count
            while rest > 0 {
                start -= 1
                scratch[start] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            }
            buffer.append(contentsOf: scratch[start...])
        }
    }

    private mutating func writeQuotedText(_ text: String) {
        var text = text
        text.withUTF8 { utf8 in
            buffer.append(UInt8(ascii: "\""))
            var written = 0
            for index in utf8.indices where needsEscape(utf8[index]) {
                buffer.append(contentsOf: utf8[written..<index])
                writeEscape(utf8[index])
                written = index + 1
            }
            buffer.append(contentsOf: utf8[written...])
            buffer.append(UInt8(ascii: "\""))
        }
    }

    @inline(__always)
    private func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    /// Writes a character of a string as an escape sequence. Backspace and form feed have no short form, as in the
    /// original.
    private mutating func writeEscape(_ byte: UInt8) {
        buffer.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): buffer.append(byte)
        case 0x09: buffer.append(UInt8(ascii: "t"))
        case 0x0A: buffer.append(UInt8(ascii: "n"))
        case 0x0D: buffer.append(UInt8(ascii: "r"))
        default:
            buffer.append(contentsOf: "u00".utf8)
            buffer.append(hexDigit(byte >> 4))
            buffer.append(hexDigit(byte & 0x0F))
        }
    }

    private func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") &+ value : UInt8(ascii: "a") &+ (value &- 10)
    }
}

extension JSONValue {
    /// Returns compact JSON text in UTF-8, with the members in the order of the object.
    package func encodeText() -> [UInt8] {
        var writer = JSONWriter()
        writer.writeValue(self)
        return writer.takeBytes()
    }

    /// The value as compact JSON text.
    package var text: String { String(decoding: encodeText(), as: UTF8.self) }
}
