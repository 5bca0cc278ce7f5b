import Synchronization

/// The values of a type that were decoded last, by their texts: what is stored as text and read again and again is decoded once.
public final class RecentValues<Value: Decodable & Sendable>: Sendable {
    private let state: Mutex<RecentlyUsed<String, Value>>

    /// - Parameter capacity: how many bytes of texts are remembered.
    public init(capacity: Int = 512 * 1_024) { state = Mutex(RecentlyUsed(capacity: capacity)) }

    /// The value that a JSON text is the form of.
    public func value(of text: String) throws -> Value {
        if let known = state.withLock({ $0.value(for: text) }) { return known }
        let value = try JSONDecoder().decode(Value.self, from: Array(text.utf8), limits: .ownText)
        state.withLock { $0.put(value, for: text, cost: text.utf8.count) }
        return value
    }

    /// Leaves nothing of what was remembered.
    public func forget() { state.withLock { $0.removeAll() } }
}
