import Synchronization

/// A type whose values are told again and again without a change, inside others that do change: its recent texts are remembered
/// and copied instead of being made anew.
public protocol RepeatedJSON: Encodable, Equatable, Sendable {
    static var recentTexts: RecentTexts<Self> { get }
}

/// The JSON texts of the values of a type that were encoded last.
public final class RecentTexts<Value: Encodable & Equatable & Sendable>: Sendable {
    private struct State {
        var texts: [(value: Value, text: [UInt8])] = []
        var oldest = 0
    }
    private let state = Mutex(State())
    private let capacity: Int

    /// - Parameter capacity: how many values are remembered; each encoding may compare with all of them.
    public init(capacity: Int = 16) { self.capacity = max(1, capacity) }

    func text(of value: Value) throws -> [UInt8] {
        let known = state.withLock { state in state.texts.first { $0.value == value }?.text }
        if let known { return known }
        let sink = EncodingSink()
        try value.encode(to: ValueEncoder(sink: sink, depth: 0))
        let text = sink.finish()
        state.withLock { state in
            if state.texts.count < capacity {
                state.texts.append((value, text))
            } else {
                state.texts[state.oldest] = (value, text)
                state.oldest = (state.oldest + 1) % capacity
            }
        }
        return text
    }
}

extension RepeatedJSON {
    func rememberedText() throws -> [UInt8] { try Self.recentTexts.text(of: self) }
}
