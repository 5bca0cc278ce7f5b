/// The code that two people compare to exclude an interceptor. It is a hash as a decimal number, in groups of five
/// digits from the left.
enum VerificationCode {
    static func makeText(_ hash: [UInt8]) -> String {
        var number = hash, digits: [UInt8] = []
        while number.contains(where: { $0 != 0 }) {
            var remainder = 0
            for index in number.indices {
                let value = remainder * 256 + Int(number[index])
                number[index] = UInt8(truncatingIfNeeded: value / 10)
                remainder = value % 10
            }
            digits.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: remainder))
        }
        if digits.isEmpty { digits = [UInt8(ascii: "0")] }
        let text = Array(digits.reversed())
        return stride(from: 0, to: text.count, by: 5).map {
            String(decoding: text[$0..<min(text.count, $0 + 5)], as: UTF8.self)
        }
        .joined(separator: " ")
    }

    /// Whether two codes are equal when spaces are ignored.
    static func areEqual(_ one: String, _ other: String) -> Bool {
        one.filter { $0 != " " } == other.filter { $0 != " " }
    }
}
