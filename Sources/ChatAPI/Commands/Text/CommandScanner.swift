import JSON

/// Parses the arguments of a command, word by word. Each parser consumes the one space before its argument, so that two
/// spaces, or none, are an error, as in the core.
struct CommandScanner {
    private(set) var rest: Substring

    init(_ rest: Substring) { self.rest = rest }

    var isAtEnd: Bool { rest.isEmpty }

    /// The next word, which is not empty.
    mutating func word() throws(CommandParseError) -> String {
        try space()
        let word = rest.prefix { $0 != " " }
        guard !word.isEmpty else { throw .malformed }
        rest = rest[word.endIndex...]
        return String(word)
    }

    mutating func wordIfAny() throws(CommandParseError) -> String? { isAtEnd ? nil : try word() }

    /// All that is left, spaces and new lines included; not empty.
    mutating func remainder() throws(CommandParseError) -> String {
        try space()
        guard !rest.isEmpty else { throw .malformed }
        defer { rest = "" }
        return String(rest)
    }

    mutating func remainderIfAny() throws(CommandParseError) -> String? { isAtEnd ? nil : try remainder() }

    /// A decimal number without sign.
    mutating func number<Number: FixedWidthInteger>() throws(CommandParseError) -> Number {
        try Self.number(word())
    }

    /// Whether a number comes next.
    var isAtNumber: Bool { rest.dropFirst().first?.isASCIIDigit ?? false }

    /// Numbers joined by commas, at least one.
    mutating func numbers() throws(CommandParseError) -> [Int64] {
        var numbers: [Int64] = []
        for part in try word().split(separator: ",", omittingEmptySubsequences: false) {
            numbers.append(try Self.number(part))
        }
        return numbers
    }

    /// `on` or `off`.
    mutating func onOff() throws(CommandParseError) -> Bool { try Self.onOff(word()) }

    /// The value of ` name=value`; nil, with nothing consumed, when something else follows.
    mutating func option(_ name: String) throws(CommandParseError) -> String? {
        guard take(" \(name)=") else { return nil }
        let value = rest.prefix { $0 != " " }
        guard !value.isEmpty else { throw .malformed }
        rest = rest[value.endIndex...]
        return String(value)
    }

    /// The value of ` name=on` or ` name=off`.
    mutating func flag(_ name: String) throws(CommandParseError) -> Bool? {
        guard let value = try option(name) else { return nil }
        return try Self.onOff(value)
    }

    /// The value of an option that is a number or `default`; nil for `default` and when there is no such option.
    mutating func numberOrDefault<Number: FixedWidthInteger>(option name: String) throws(CommandParseError) -> Number? {
        guard let value = try option(name), value != "default" else { return nil }
        return try Self.number(value)
    }

    /// One of the values that the core knows.
    mutating func oneOf<Value: OpenEnum>(_ values: [Value]) throws(CommandParseError) -> Value {
        let value = Value(rawValue: try word())
        guard values.contains(value) else { throw .malformed }
        return value
    }

    /// JSON, which takes all that is left.
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

    /// JSON behind `prefix`, if that comes next.
    mutating func jsonIfAny<Value: Decodable>(after prefix: String) throws(CommandParseError) -> Value? {
        guard take(prefix) else { return nil }
        rest = " " + rest
        return try json()
    }

    mutating func takeAll() { rest = "" }

    /// Reads `text` if it comes next.
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
    /// Only ASCII digits count, not digits of other scripts.
    var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}
