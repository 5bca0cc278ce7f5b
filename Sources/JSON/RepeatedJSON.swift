import Synchronization

/// A type whose values are told again and again without a change, inside others that do change: its recent texts are remembered
/// and copied instead of being made anew.
public protocol RepeatedJSON: Encodable, Hashable, Sendable {
    static var recentTexts: RecentTexts<Self> { get }
    /// The same for equal values, and quickly found: by it a value is looked for among the recent ones, of which it is then compared with one.
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

    /// Leaves nothing of what was remembered.
    public func forget() { state.withLock { $0.removeAll() } }
}
