/// Encodes `Encodable` values as JSON text, directly into bytes, or as a ``JSONValue``.
///
/// A member whose value is nil is left out. A ``JSONFragment`` is copied unchanged.
public struct JSONEncoder: Sendable {
    private let texts: RecentTexts?

    /// - Parameter texts: the recent texts of values that are encoded repeatedly; nil if every value is encoded.
    public init(_ texts: RecentTexts? = nil) { self.texts = texts }

    /// Encodes a value as JSON text.
    /// - Throws: errors of `encode(to:)` of a type in `value`; `EncodingError` for a number that JSON cannot represent.
    public func encode(_ value: some Encodable) throws -> [UInt8] {
        let sink = EncodingSink(texts)
        try sink.write(value, depth: 0)
        return sink.finish()
    }

    public func encodeValue(_ value: some Encodable) throws -> JSONValue {
        try JSONValue(parsing: encode(value), limits: .ownText)
    }
}

/// JSON text that was encoded before and is copied unchanged. The creator guarantees that it is valid JSON.
public struct JSONFragment: Hashable, Sendable {
    public var bytes: [UInt8]

    public init(_ bytes: [UInt8]) { self.bytes = bytes }
}
