import Synchronization

/// A type whose unchanged values are encoded again and again inside values that do change: recent JSON texts are cached
/// and copied.
public protocol RepeatedJSON: Encodable, Hashable, Sendable {
    static var recentTexts: RecentTexts<Self> { get }
    /// Equal for equal values, and quick to compute. It selects the cached entry, which is then compared with the
    /// value.
    var recentKey: Int { get }
}

extension RepeatedJSON {
    public var recentKey: Int { hashValue }

    func rememberedText() throws -> [UInt8] { try Self.recentTexts.text(of: self) }
}

/// The JSON texts of the values of a type that were encoded last.
public final class RecentTexts<Value: RepeatedJSON>: Sendable {
    private let state: Mutex<RecentlyUsed<Int, (value: Value, text: [UInt8])>>

    /// - Parameter capacity: how many bytes of texts are remembered.
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
