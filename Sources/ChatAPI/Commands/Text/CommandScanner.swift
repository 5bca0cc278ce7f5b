import JSON

/// Parses the arguments of a command, word by word. Each parser reads exactly one space before its argument. So two
/// spaces or no space are an error, as in the core.
struct CommandScanner {
    private(set) var rest: Substring

    init(_ rest: Substring) { self.rest = rest }

    var isAtEnd: Bool { rest.isEmpty }

    /// Parses the next word, which must not be empty.
    mutating func word() throws(CommandParseError) -> String {
        try space()
        let word = rest.prefix { $0 != " " }
        guard !word.isEmpty else { throw .malformed }
        rest = rest[word.endIndex...]
        return String(word)
    }

    mutating func wordIfAny() throws(CommandParseError) -> String? { isAtEnd ? nil : try word() }

    /// Parses the text up to the end, with spaces and line breaks. It must not be empty.
    mutating func remainder() throws(CommandParseError) -> String {
        try space()
        guard !rest.isEmpty else { throw .malformed }
        defer { rest = "" }
        return String(rest)
    }

    mutating func remainderIfAny() throws(CommandParseError) -> String? { isAtEnd ? nil : try remainder() }

    /// Parses a decimal number without a sign.
    mutating func number<Number: FixedWidthInteger>() throws(CommandParseError) -> Number {
        try Self.number(word())
    }

    /// Whether a number follows.
    var isAtNumber: Bool { rest.dropFirst().first?.isASCIIDigit ?? false }

    /// Parses numbers that are separated by commas, at least one.
    mutating func numbers() throws(CommandParseError) -> [Int64] {
        var numbers: [Int64] = []
        for part in try word().split(separator: ",", omittingEmptySubsequences: false) {
            numbers.append(try Self.number(part))
        }
        return numbers
    }

    /// Parses `on` or `off`.
    mutating func onOff() throws(CommandParseError) -> Bool { try Self.onOff(word()) }

    /// Parses ` name=value`; nil if another text follows, and then no text is consumed.
    mutating func option(_ name: String) throws(CommandParseError) -> String? {
        guard take(" \(name)=") else { return nil }
        let value = rest.prefix { $0 != " " }
        guard !value.isEmpty else { throw .malformed }
        rest = rest[value.endIndex...]
        return String(value)
    }

    /// Parses ` name=on` or ` name=off`; nil if another text follows.
    mutating func flag(_ name: String) throws(CommandParseError) -> Bool? {
        guard let value = try option(name) else { return nil }
        return try Self.onOff(value)
    }

    /// Parses an option whose value is a number or `default`; nil for `default` and for a missing option.
    mutating func numberOrDefault<Number: FixedWidthInteger>(option name: String) throws(CommandParseError) -> Number? {
        guard let value = try option(name), value != "default" else { return nil }
        return try Self.number(value)
    }

    /// Parses one of the given values.
    mutating func oneOf<Value: OpenEnum>(_ values: [Value]) throws(CommandParseError) -> Value {
        let value = Value(rawValue: try word())
        guard values.contains(value) else { throw .malformed }
        return value
    }

    /// Parses JSON up to the end of the command.
    mutating func json<Value: Decodable>(_ type: Value.Type = Value.self) throws(CommandParseError) -> Value {
        let text = try remainder()
        do {
            return try JSONDecoder.forCommands.decode(type, from: [UInt8](text.utf8))
        } catch {
            throw .malformed
        }
    }

    mutating func jsonIfAny<Value: Decodable>(_ type: Value.Type = Value.self) throws(CommandParseError) -> Value? {
        isAtEnd ? nil : try json(type)
    }

    /// Parses `prefix` and JSON after it; nil if another text follows.
    mutating func jsonIfAny<Value: Decodable>(after prefix: String) throws(CommandParseError) -> Value? {
        guard take(prefix) else { return nil }
        rest = " " + rest
        return try json()
    }

    mutating func takeAll() { rest = "" }

    /// Skips `text` if it follows.
    /// - Returns: whether the text was found.
    mutating func take(_ text: String) -> Bool {
        guard rest.hasPrefix(text) else { return false }
        rest = rest.dropFirst(text.count)
        return true
    }

    func end() throws(CommandParseError) {
        guard isAtEnd else { throw .malformed }
    }

    private mutating func space() throws(CommandParseError) {
        guard take(" ") else { throw .malformed }
    }

    static func onOff(_ word: String) throws(CommandParseError) -> Bool {
        switch word {
        case "on": true
        case "off": false
        default: throw .malformed
        }
    }

    static func number<Number: FixedWidthInteger>(_ text: some StringProtocol) throws(CommandParseError) -> Number {
        guard !text.isEmpty, text.allSatisfy(\.isASCIIDigit), let number = Number(text) else { throw .malformed }
        return number
    }
}

extension Character {
    /// Whether the character is an ASCII digit. Digits of other scripts do not count.
    var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}
