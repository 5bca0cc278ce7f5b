/// Percent escapes of URIs (RFC 3986, section 2.1).
package enum PercentCoding {
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// Escapes all characters, except unreserved characters and the characters in `allowed`.
    package static func escape(_ text: String, allowed: String = "") -> String {
        escape(text.utf8) { isLetterOrDigit($0) || "-._~".utf8.contains($0) || allowed.utf8.contains($0) }
    }

    /// Escapes all bytes for which `stays` returns false.
    package static func escape(_ bytes: some Sequence<UInt8>, stays: (UInt8) -> Bool) -> String {
        let out = bytes.flatMap { stays($0) ? [$0] : [UInt8(ascii: "%"), digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: out, as: UTF8.self)
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }

    /// Decodes a text; nil for a `%` without two hexadecimal digits.
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? { decode(text) { nil } }

    /// Decodes a text; nil for a `%` without two hexadecimal digits, and for a result that is not UTF-8.
    package static func decodeText(_ text: some Collection<UInt8>) -> String? {
        decode(text).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// Decodes a name or value of a query. A `+` becomes a space, and a `%` without two hexadecimal digits stays a `%`.
    package static func decodeQuery(_ text: some Sequence<UInt8>) -> [UInt8] {
        decode(text.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }) { UInt8(ascii: "%") } ?? []
    }

    /// Decodes a text.
    /// - Parameter malformed: returns the replacement for a `%` that begins no escape; nil makes the result nil.
    private static func decode(_ text: some Collection<UInt8>, malformed: () -> UInt8?) -> [UInt8]? {
        var rest = Array(text)[...]
        var out: [UInt8] = []
        out.reserveCapacity(text.count)
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                out.append(byte)
                continue
            }
            let pair = rest.prefix(2).compactMap(Hex.digitValue)
            if pair.count == 2 {
                out.append(pair[0] << 4 | pair[1])
                rest = rest.dropFirst(2)
            } else {
                guard let byte = malformed() else { return nil }
                out.append(byte)
            }
        }
        return out
    }
}
