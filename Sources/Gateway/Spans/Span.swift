internal import SimpleXCrypto

/// A unit of work with its times, as OpenTelemetry defines it.
struct Span: Sendable, Hashable {
    /// The kinds of spans, with their numbers in OTLP.
    enum Kind: Int64, Sendable {
        case inner = 1, server = 2, producer = 4, consumer = 5
    }

    /// The value of an attribute.
    enum Value: Sendable, Hashable {
        case text(String)
        case number(Int64)
    }

    struct Attribute: Sendable, Hashable {
        let name: String
        let value: Value

        init(_ name: String, _ text: String) { (self.name, value) = (name, .text(text)) }
        init(_ name: String, _ number: Int64) { (self.name, value) = (name, .number(number)) }
    }

    /// The ids of a span.
    struct Identity: Sendable, Hashable {
        /// 32 hexadecimal digits.
        let traceID: String
        /// 16 hexadecimal digits.
        let spanID: String

        init(traceID: String, spanID: String) { (self.traceID, self.spanID) = (traceID, spanID) }

        /// Makes the ids of a span that no other program has begun.
        static func makeRandom() -> Identity { Identity(traceID: makeID(bytes: 16), spanID: makeID(bytes: 8)) }

        /// Makes a random id. An id of zeros is invalid, so the first bit is set.
        static func makeID(bytes count: Int) -> String {
            var bytes = RandomBytes.make(count: count)
            bytes[0] |= 0x80
            return Hex.encode(bytes)
        }
    }

    /// Maximal number of links of a span. Further links are left out.
    static let maxLinks = 128

    var identity: Identity
    /// The id of the span in which this span began; nil for the first span of a trace.
    var parentID: String?
    var name: String
    var kind: Kind
    /// Nanoseconds since 1970.
    var startNanoseconds: Int64
    /// Nanoseconds since 1970.
    var endNanoseconds: Int64
    var attributes: [Attribute] = []
    /// Spans of other traces that this span has caused.
    var links: [Identity] = []
    var isFailed = false
}
