import Synchronization

/// The values of a type that were decoded last, with their texts: what is stored as text and read again and again is decoded once.
public final class RecentValues<Value: Decodable & Sendable>: Sendable {
    private struct State {
        var values: [(text: String, value: Value)] = []
        var oldest = 0
    }
    private let state = Mutex(State())
    private let capacity: Int

    /// - Parameter capacity: how many values are remembered; each decoding may compare with all of them.
    public init(capacity: Int = 16) { self.capacity = max(1, capacity) }

    /// The value that a JSON text is the form of.
    public func value(of text: String) throws -> Value {
        if let known = state.withLock({ state in state.values.first { $0.text == text }?.value }) { return known }
        let value = try JSONDecoder().decode(Value.self, from: Array(text.utf8))
        state.withLock { state in
            if state.values.count < capacity {
                state.values.append((text, value))
            } else {
                state.values[state.oldest] = (text, value)
                state.oldest = (state.oldest + 1) % capacity
            }
        }
        return value
    }
}
