/// Percent escapes of URIs (RFC 3986): everything but unreserved characters is escaped.
enum PercentCoding {
    private static let digits = Array("0123456789ABCDEF".utf8)

    static func escape(_ text: String) -> String {
        var out: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "~"):
                out.append(byte)
            default: out += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: out, as: UTF8.self)
    }

    /// A name or value of a query: `+` is a space, and a `%` without two hexadecimal digits stands for itself.
    static func unescape(_ text: some Sequence<UInt8>) -> [UInt8] {
        var rest = Array(text)[...]
        var out: [UInt8] = []
        out.reserveCapacity(rest.count)
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): out.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                let pair = rest.prefix(2).compactMap(value(ofDigit:))
                guard pair.count == 2 else {
                    out.append(byte)
                    continue
                }
                out.append(pair[0] << 4 | pair[1])
                rest = rest.dropFirst(2)
            default: out.append(byte)
            }
        }
        return out
    }

    private static func value(ofDigit digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

/// The parameters of a query string, unescaped; of a repeated one the first counts.
struct QueryParameters {
    private var values: [[UInt8]: [UInt8]] = [:]

    /// `&` and `;` separate parameters; one without `=` has an empty value.
    init(_ query: [UInt8]) {
        for pair in query.split(whereSeparator: { $0 == UInt8(ascii: "&") || $0 == UInt8(ascii: ";") }) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let name = PercentCoding.unescape(parts[0])
            if values[name] == nil { values[name] = parts.count == 2 ? PercentCoding.unescape(parts[1]) : [] }
        }
    }

    subscript(name: String) -> [UInt8]? { values[Array(name.utf8)] }
}
