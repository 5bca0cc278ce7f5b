import Synchronization

/// A type whose values are encoded repeatedly and unchanged, inside of values that change. Recent JSON texts of such a
/// type are cached and copied.
public protocol RepeatedJSON: Encodable, Hashable, Sendable {
    static var recentTexts: RecentTexts<Self> { get }
    /// A number that is equal for equal values and quick to compute. It selects the cached entry, which is then
    /// compared with the value.
    var recentKey: Int { get }
}

extension RepeatedJSON {
    public var recentKey: Int { hashValue }

    func rememberedText() throws -> [UInt8] { try Self.recentTexts.text(of: self) }
}

/// A cache of the JSON texts of recently encoded values of a type.
public final class RecentTexts<Value: RepeatedJSON>: Sendable {
    private let state: Mutex<RecentlyUsed<Int, (value: Value, text: [UInt8])>>

    /// - Parameter capacity: maximal number of bytes of the cached texts.
    public init(capacity: Int = 512 * 1_024) { state = Mutex(RecentlyUsed(capacity: capacity)) }

    func text(of value: Value) throws -> [UInt8] {
        let key = value.recentKey
        if let known = state.withLock({ $0.value(for: key) }), known.value == value { return known.text }
        let sink = EncodingSink()
        try value.encode(to: ValueEncoder(sink: sink, depth: 0))
        let text = sink.finish()
        state.withLock { $0.put((value, text), for: key, cost: text.count) }
        return text
    }

    /// Removes all cached texts.
    public func forget() { state.withLock { $0.removeAll() } }
}
