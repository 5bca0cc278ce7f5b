/// Functions that decide which texts need quotes as scalars of YAML, and add the quotes.
enum YAMLScalar {
    private static let reservedWords: Set<String> = [
        "", "~", "null", "true", "false", "yes", "no", "on", "off", "y", "n", "=", "<<",
    ]

    /// Returns whether YAML reads an unquoted scalar as a text, and not as a number or a reserved word.
    static func isText(_ text: String) -> Bool { !reservedWords.contains(text.lowercased()) && !isNumber(text) }

    /// Returns a text as a scalar of YAML. A number, a reserved word and a text that begins with `---` get single
    /// quotes.
    static func quotedIfNeeded(_ text: String) -> String {
        isText(text) && !text.hasPrefix("---")
            ? text : "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
    }

    private static func isNumber(_ text: String) -> Bool {
        var rest = text.utf8[...]
        if let sign = rest.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { rest = rest.dropFirst() }
        if rest.starts(with: "0x".utf8) || rest.starts(with: "0o".utf8) { return rest.count > 2 }
        func skipDigits() -> Int {
            let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.count
            rest = rest.dropFirst(digits)
            return digits
        }
        guard skipDigits() > 0 else { return false }
        if rest.first == UInt8(ascii: ".") {
            rest = rest.dropFirst()
            _ = skipDigits()
        }
        if let letter = rest.first, letter | 0x20 == UInt8(ascii: "e") {
            rest = rest.dropFirst()
            if let sign = rest.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { rest = rest.dropFirst() }
            guard skipDigits() > 0 else { return false }
        }
        return rest.isEmpty
    }
}
