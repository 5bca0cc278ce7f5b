import Synchronization

/// A type whose values are encoded repeatedly and unchanged, inside of values that change. An encoder with
/// ``RecentTexts`` copies the recent JSON texts of such a type.
package protocol RepeatedJSON: Encodable, Hashable, Sendable {
    associatedtype TextCacheKey: Hashable & Sendable = Self
    /// A key that is equal for equal values and quick to compute. The key selects the cached entry, and the value of
    /// this entry is then compared with the value to encode.
    var textCacheKey: TextCacheKey { get }
}

extension RepeatedJSON where TextCacheKey == Self {
    package var textCacheKey: Self { self }
}

/// A cache with the JSON texts of recently encoded values of several types. All encoders of a store share one cache.
/// When the store closes, its cache is released, or cleared by ``removeAll()``.
package final class RecentTexts: Sendable {
    /// The cache of each type (``TypeTexts``), by the identifier of the type.
    private let caches: [ObjectIdentifier: any TextCache]

    /// Makes empty caches for the types.
    /// - Parameter capacity: maximal number of bytes of the cached texts of each type.
    package init(of types: [any RepeatedJSON.Type], capacity: Int = 256 * 1_024) {
        func makeCacheEntry<Value: RepeatedJSON>(_ type: Value.Type) -> (ObjectIdentifier, any TextCache) {
            (ObjectIdentifier(type), TypeTexts<Value>(capacity: capacity))
        }
        caches = Dictionary(types.map { makeCacheEntry($0) }) { first, _ in first }
    }

    /// Returns the JSON text of a value, from the cache of its type if possible; nil if the type has no cache.
    func encodeText<Value: RepeatedJSON>(of value: Value) throws -> [UInt8]? {
        guard let cache = caches[ObjectIdentifier(Value.self)] as? TypeTexts<Value> else { return nil }
        return try cache.encodeText(of: value, self)
    }

    /// Removes all cached texts.
    package func removeAll() { for cache in caches.values { cache.removeAll() } }
}

private protocol TextCache: Sendable {
    func removeAll()
}

/// A cache of the JSON texts of recently encoded values of one type.
private final class TypeTexts<Value: RepeatedJSON>: TextCache {
    private let state: Mutex<RecentCache<Value.TextCacheKey, (value: Value, text: [UInt8])>>

    init(capacity: Int) { state = Mutex(RecentCache(capacity: capacity)) }

    /// Returns the JSON text of a value, from the cache if it contains an equal value.
    /// - Parameter texts: the caches for the values inside of this value.
    func encodeText(of value: Value, _ texts: RecentTexts) throws -> [UInt8] {
        let key = value.textCacheKey
        if let known = state.withLock({ $0.findValue(for: key) }), known.value == value { return known.text }
        let sink = EncodingSink(texts)
        try value.encode(to: ValueEncoder(sink: sink, depth: 0))
        let text = sink.finishText()
        state.withLock { $0.storeValue((value, text), for: key, cost: text.count) }
        return text
    }

    func removeAll() { state.withLock { $0.removeAll() } }
}
