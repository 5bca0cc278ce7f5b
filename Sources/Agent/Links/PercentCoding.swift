/// Percent escapes of URIs (RFC 3986): everything but unreserved characters is escaped.
enum PercentCoding {
    static func escape(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var out: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "~"):
                out.append(byte)
            default: out += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: out, as: UTF8.self)
    }

    /// Nil for a `%` without two hexadecimal digits, and for what is no UTF-8.
    static func unescape(_ text: some StringProtocol) -> String? {
        var out: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                out.append(byte)
                continue
            }
            guard let high = rest.popFirst(), let low = rest.popFirst(), Character(UnicodeScalar(high)).isHexDigit,
                let value = UInt8(String(decoding: [high, low], as: UTF8.self), radix: 16)
            else { return nil }
            out.append(value)
        }
        return String(validating: out, as: UTF8.self)
    }

    /// The parameters of a query, unescaped; of a repeated one the first counts. Nil when one is malformed.
    static func parameters(_ query: some StringProtocol) -> [String: String]? {
        var parameters: [String: String] = [:]
        for pair in query.split(separator: "&", omittingEmptySubsequences: false) {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let name = unescape(parts[0]), let value = unescape(parts[1]) else { return nil }
            if parameters[name] == nil { parameters[name] = value }
        }
        return parameters
    }
}
