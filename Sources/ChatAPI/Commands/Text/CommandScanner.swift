import JSON

/// Parser of the arguments of a command, word by word. The functions that parse a whole argument read exactly one space
/// before the argument. So two spaces or no space are an error, as in the core.
struct CommandScanner {
    private(set) var remainingText: Substring

    init(_ rest: Substring) { self.remainingText = rest }

    var isAtEnd: Bool { remainingText.isEmpty }

    /// Parses the next word, which must not be empty.
    mutating func scanWord() throws(CommandParseError) -> String {
        try skipSpace()
        let word = remainingText.prefix { $0 != " " }
        guard !word.isEmpty else { throw .malformed }
        remainingText = remainingText[word.endIndex...]
        return String(word)
    }

    mutating func scanWordIfAny() throws(CommandParseError) -> String? { isAtEnd ? nil : try scanWord() }

    /// Parses the text up to the end of the command, with spaces and line breaks. The text must not be empty.
    mutating func scanRemainder() throws(CommandParseError) -> String {
        try skipSpace()
        guard !remainingText.isEmpty else { throw .malformed }
        defer { remainingText = "" }
        return String(remainingText)
    }

    mutating func scanRemainderIfAny() throws(CommandParseError) -> String? { isAtEnd ? nil : try scanRemainder() }

    /// Parses a decimal number without a sign.
    mutating func scanNumber<Number: FixedWidthInteger>() throws(CommandParseError) -> Number {
        try Self.parseNumber(scanWord())
    }

    /// Whether the next argument is a number.
    var isNumberNext: Bool { remainingText.dropFirst().first?.isASCIIDigit ?? false }

    /// Parses one or more numbers that are separated by commas.
    mutating func scanNumbers() throws(CommandParseError) -> [Int64] {
        var numbers: [Int64] = []
        for part in try scanWord().split(separator: ",", omittingEmptySubsequences: false) {
            numbers.append(try Self.parseNumber(part))
        }
        return numbers
    }

    /// Parses `on` or `off`.
    mutating func scanOnOff() throws(CommandParseError) -> Bool { try Self.parseOnOff(scanWord()) }

    /// Parses an option with a value: ` name=value`. Returns nil if another text follows, and then consumes no text.
    mutating func scanOption(_ name: String) throws(CommandParseError) -> String? {
        guard skipPrefix(" \(name)=") else { return nil }
        let value = remainingText.prefix { $0 != " " }
        guard !value.isEmpty else { throw .malformed }
        remainingText = remainingText[value.endIndex...]
        return String(value)
    }

    /// Parses ` name=on` or ` name=off`; nil if another text follows.
    mutating func scanFlag(_ name: String) throws(CommandParseError) -> Bool? {
        guard let value = try scanOption(name) else { return nil }
        return try Self.parseOnOff(value)
    }

    /// Parses an option whose value is a number or `default`; nil for `default` and for a missing option.
    mutating func scanNumberOrDefault<Number: FixedWidthInteger>(
        option name: String
    ) throws(CommandParseError) -> Number? {
        guard let value = try scanOption(name), value != "default" else { return nil }
        return try Self.parseNumber(value)
    }

    /// Parses a word that must be one of the given values.
    mutating func scanOneOf<Value: OpenEnum>(_ values: [Value]) throws(CommandParseError) -> Value {
        let value = Value(rawValue: try scanWord())
        guard values.contains(value) else { throw .malformed }
        return value
    }

    /// Parses JSON up to the end of the command.
    mutating func scanJSON<Value: Decodable>(_ type: Value.Type = Value.self) throws(CommandParseError) -> Value {
        let text = try scanRemainder()
        do {
            return try JSONDecoder.forCommands.decode(type, from: [UInt8](text.utf8))
        } catch {
            throw .malformed
        }
    }

    mutating func scanJSONIfAny<Value: Decodable>(_ type: Value.Type = Value.self) throws(CommandParseError) -> Value? {
        isAtEnd ? nil : try scanJSON(type)
    }

    /// Parses JSON after `prefix`; nil if another text follows.
    mutating func scanJSONIfAny<Value: Decodable>(after prefix: String) throws(CommandParseError) -> Value? {
        guard skipPrefix(prefix) else { return nil }
        remainingText = " " + remainingText
        return try scanJSON()
    }

    mutating func skipRest() { remainingText = "" }

    /// Skips `text` if it follows.
    /// - Returns: whether the text was found.
    mutating func skipPrefix(_ text: String) -> Bool {
        guard remainingText.hasPrefix(text) else { return false }
        remainingText = remainingText.dropFirst(text.count)
        return true
    }

    func requireEnd() throws(CommandParseError) {
        guard isAtEnd else { throw .malformed }
    }

    private mutating func skipSpace() throws(CommandParseError) {
        guard skipPrefix(" ") else { throw .malformed }
    }

    static func parseOnOff(_ word: String) throws(CommandParseError) -> Bool {
        switch word {
        case "on": true
        case "off": false
        default: throw .malformed
        }
    }

    static func parseNumber<Number: FixedWidthInteger>(_ text: some StringProtocol) throws(CommandParseError) -> Number
    {
        guard !text.isEmpty, text.allSatisfy(\.isASCIIDigit), let number = Number(text) else { throw .malformed }
        return number
    }
}

extension Character {
    /// Whether the character is an ASCII digit. Digits of other scripts do not count.
    var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}
