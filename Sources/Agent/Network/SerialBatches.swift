import NIOCore
import SMP
import Synchronization

/// Gives elements of the same key to the consumer in the order in which they came, as many at once as wait by then, and the next ones when
/// it has returned; those of different keys at the same time.
final class SerialBatches<Key: Hashable & Sendable, Element: Sendable>: Sendable {
    private struct State {
        /// What waits, for the keys that the consumer is busy with.
        var waiting: [Key: CircularBuffer<Element>] = [:]
        var isClosed = false
        /// Whether what waits is still given to the consumer after the close.
        var finishes = false
        /// Told when the consumer is busy with nothing.
        var closing: [CheckedContinuation<Void, Never>] = []
    }
    private let state = Mutex(State())
    private let limit: Int
    private let pause: @Sendable (Key) -> Duration?
    private let consume: @Sendable (Key, [Element]) async -> Void

    /// - Parameters:
    ///   - limit: how many elements the consumer gets at once at most.
    ///   - pause: how long more are gathered after the consumer has returned.
    init(
        limit: Int, pause: @escaping @Sendable (Key) -> Duration? = { _ in nil }, _ consume: @escaping @Sendable (Key, [Element]) async -> Void
    ) {
        self.limit = limit
        self.pause = pause
        self.consume = consume
    }

    func add(_ key: Key, _ element: Element) {
        let starts = state.withLock { state in
            guard !state.isClosed else { return false }
            guard state.waiting[key] == nil else {
                state.waiting[key]?.append(element)
                return false
            }
            state.waiting[key] = CircularBuffer(initialCapacity: 0)
            return true
        }
        if starts { Patience.$isInteractive.withValue(false) { _ = Task { await self.run(key, first: element) } } }
    }

    private func run(_ key: Key, first: Element) async {
        var batch = [first]
        while !batch.isEmpty {
            await consume(key, batch)
            if let pause = pause(key), !state.withLock({ $0.isClosed }) { try? await Task.sleep(for: pause) }
            batch = state.withLock { state in
                // Taken out of the dictionary, so that it is changed in place.
                var waiting = state.waiting.removeValue(forKey: key) ?? CircularBuffer()
                guard !waiting.isEmpty, !state.isClosed || state.finishes else {
                    if state.waiting.isEmpty {
                        for closing in state.closing { closing.resume() }
                        state.closing = []
                    }
                    return []
                }
                let count = min(limit, waiting.count)
                let batch = Array(waiting.prefix(count))
                // Without going through the others; and what a burst took is given back.
                if count == waiting.count { waiting = CircularBuffer(initialCapacity: 0) } else { for _ in 0..<count { _ = waiting.popFirst() } }
                state.waiting[key] = waiting
                return batch
            }
        }
    }

    /// Takes nothing more, and returns when the consumer has returned.
    /// - Parameter finishing: whether it gets what waits.
    func close(finishing: Bool = false) async {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                state.isClosed = true
                state.finishes = finishing
                if state.waiting.isEmpty { continuation.resume() } else { state.closing.append(continuation) }
            }
        }
    }
}
