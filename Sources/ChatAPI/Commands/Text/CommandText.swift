import JSON

/// The text of a command, made by interpolation. Each `\(…)` is encoded in the form that the core parses.
///
///     "/_send \(chat)\(" ttl=", ttl, or: "default") json \(json: messages)"
struct CommandText: ExpressibleByStringInterpolation {
    let text: String

    init(stringLiteral value: String) { text = value }
    init(stringInterpolation interpolation: StringInterpolation) { text = interpolation.text }

    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) {}

        mutating func appendLiteral(_ literal: String) { text += literal }
        mutating func appendInterpolation(_ number: Int64) { text += String(number) }
        mutating func appendInterpolation(_ number: Int) { text += String(number) }
        mutating func appendInterpolation(_ words: String) { text += words }
        mutating func appendInterpolation(_ isOn: Bool) { text += isOn ? "on" : "off" }
        mutating func appendInterpolation(_ numbers: [Int64]) {
            text += numbers.map(String.init).joined(separator: ",")
        }
        mutating func appendInterpolation(_ value: some OpenEnum) { text += value.rawValue }
        mutating func appendInterpolation(_ value: some CommandArgument) { text += value.commandText }

        /// Appends the prefix and the value. If the value is nil or empty, appends nothing.
        mutating func appendInterpolation(_ prefix: String, _ value: String?) {
            if let value, !value.isEmpty { text += prefix + value }
        }

        mutating func appendInterpolation(_ prefix: String, _ numbers: [Int64]) {
            if !numbers.isEmpty { text += prefix + numbers.map(String.init).joined(separator: ",") }
        }

        mutating func appendInterpolation(_ prefix: String, _ isOn: Bool?) {
            if let isOn { text += prefix + (isOn ? "on" : "off") }
        }

        mutating func appendInterpolation(_ prefix: String, _ number: Int64?) {
            if let number { text += prefix + String(number) }
        }

        mutating func appendInterpolation(_ prefix: String, _ value: (some OpenEnum)?) {
            if let value { text += prefix + value.rawValue }
        }

        mutating func appendInterpolation(_ prefix: String, _ value: (some CommandArgument)?) {
            if let value { text += prefix + value.commandText }
        }

        /// Appends a text if a condition holds.
        mutating func appendInterpolation(_ words: String, if condition: Bool) {
            if condition { text += words }
        }

        /// Appends a number. If the number is nil, appends the given word.
        mutating func appendInterpolation(_ number: (some FixedWidthInteger)?, or word: String) {
            text += number.map { String($0) } ?? word
        }

        mutating func appendInterpolation(json value: some Encodable) { text += encodeJSONText(value) }

        mutating func appendInterpolation(_ prefix: String, json value: (some Encodable)?) {
            if let value { text += prefix + encodeJSONText(value) }
        }
    }
}

/// A value with a special text form in commands.
protocol CommandArgument {
    var commandText: String { get }
}

/// Returns a value as JSON text. Encoding fails only for numbers that JSON cannot represent, and the text is then
/// `null`.
func encodeJSONText(_ value: some Encodable) -> String {
    (try? JSONEncoder().encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
}
