/// Any JSON value (RFC 8259). Integers that fit 64 bits stay exact; an object keeps the order of its members.
///
/// - Reading: `init(parsing:)`, and `subscript`, `stringValue`, `integerValue`, … which return nil for another type.
/// - Writing: `encodeText()`, `text`.
package enum JSONValue: Sendable, Hashable {
    case null
    case bool(Bool)
    case integer(Int64)
    case real(Double)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)

    package var isNull: Bool { self == .null }

    package var boolValue: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The exact integer; nil for a real number, even without a fraction.
    package var integerValue: Int64? {
        if case .integer(let value) = self { value } else { nil }
    }

    /// The integer as a time or a duration in seconds or milliseconds; nil for other values. It is limited to ±2⁵³, so
    /// that the difference of two times does not overflow.
    package var clampedTime: Int64? { integerValue.map { min(max($0, -1 << 53), 1 << 53) } }

    /// The number as a double. An integer beyond 2⁵³ may lose digits.
    package var doubleValue: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .real(let value): value
        default: nil
        }
    }

    package var stringValue: String? {
        if case .string(let value) = self { value } else { nil }
    }

    package var arrayValue: [JSONValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    package var objectValue: JSONObject? {
        if case .object(let value) = self { value } else { nil }
    }

    /// Returns the member of an object; nil when the member is missing or this value is not an object.
    package subscript(key: String) -> JSONValue? { objectValue?[key] }

    /// Returns the element of an array; nil when the element is missing or this value is not an array.
    package subscript(index: Int) -> JSONValue? {
        guard let elements = arrayValue, elements.indices.contains(index) else { return nil }
        return elements[index]
    }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral,
    ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(nilLiteral: ()) { self = .null }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(integerLiteral value: Int64) { self = .integer(value) }
    package init(floatLiteral value: Double) { self = .real(value) }
    package init(stringLiteral value: String) { self = .string(value) }
    package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        var object = JSONObject()
        for (key, value) in elements { object[key] = value }
        self = .object(object)
    }
}
