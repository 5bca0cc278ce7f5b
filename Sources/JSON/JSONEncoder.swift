/// Encoder of `Encodable` values as JSON text, directly into bytes, or as a ``JSONValue``.
///
/// A member whose value is nil is left out. A ``JSONFragment`` is copied unchanged.
package struct JSONEncoder: Sendable {
    private let recentTexts: RecentTexts?

    /// Makes an encoder.
    /// - Parameter texts: a cache of the JSON texts of values that are encoded repeatedly; nil for no cache.
    package init(_ texts: RecentTexts? = nil) { self.recentTexts = texts }

    /// Encodes a value as JSON text.
    /// - Throws: errors of `encode(to:)` of a type in `value`; `EncodingError` for a number that JSON cannot represent.
    package func encode(_ value: some Encodable) throws -> [UInt8] {
        let sink = EncodingSink(recentTexts)
        try sink.writeValue(value, depth: 0)
        return sink.finishText()
    }

    package func encodeValue(_ value: some Encodable) throws -> JSONValue {
        try JSONValue(parsing: encode(value), limits: .forOwnText)
    }
}

/// JSON text that was encoded before and is copied unchanged. The creator guarantees that it is valid JSON.
package struct JSONFragment: Hashable, Sendable {
    package var bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }
}
