import DequeModule
import Synchronization

/// Passes elements of the same key to the consumer in the order of their arrival. Elements that wait together form one
/// batch, up to a maximal number. The next batch of a key follows after the consumer has returned. Batches of different
/// keys run at the same time.
package final class SerialBatches<Key: Hashable & Sendable, Element: Sendable>: Sendable {
    private struct State {
        /// The waiting elements of each key whose batch the consumer is processing.
        var waitingElements: [Key: Deque<Element>] = [:]
        var isClosed = false
        /// Whether waiting elements are still passed to the consumer after the close.
        var shouldConsumeWaiting = false
        /// The callers of ``closeAndWait(finishing:)``, which are resumed when the consumer processes no batch.
        var closeWaiters: [CheckedContinuation<Void, Never>] = []
    }
    private let state = Mutex(State())
    private let maxBatchCount: Int
    private let pauseAfterBatch: @Sendable (Key) -> Duration?
    private let consumeBatch: @Sendable (Key, [Element]) async -> Void

    /// Makes batches that the function `consume` processes.
    /// - Parameters:
    ///   - limit: maximal number of elements in a batch.
    ///   - pause: returns the pause after a batch of a key; nil for no pause. During the pause, new elements of the key
    ///     are collected.
    package init(
        limit: Int,
        pause: @escaping @Sendable (Key) -> Duration? = { _ in nil },
        _ consume: @escaping @Sendable (Key, [Element]) async -> Void
    ) {
        self.maxBatchCount = limit
        self.pauseAfterBatch = pause
        self.consumeBatch = consume
    }

    package func addElement(_ key: Key, _ element: Element) {
        let starts = state.withLock { state in
            guard !state.isClosed else { return false }
            guard state.waitingElements[key] == nil else {
                state.waitingElements[key]?.append(element)
                return false
            }
            state.waitingElements[key] = Deque()
            return true
        }
        // The task is detached, so that it inherits neither priority nor task-local values of the caller.
        if starts { Task.detached { await self.consumeBatches(key, first: element) } }
    }

    private func consumeBatches(_ key: Key, first: Element) async {
        var batch = [first]
        while !batch.isEmpty {
            await consumeBatch(key, batch)
            if let pause = pauseAfterBatch(key), !state.withLock({ $0.isClosed }) { try? await Task.sleep(for: pause) }
            batch = state.withLock { state in
                // The queue is removed from the dictionary while it is changed, so that Swift does not copy it.
                var waiting = state.waitingElements.removeValue(forKey: key) ?? Deque()
                guard !waiting.isEmpty, !state.isClosed || state.shouldConsumeWaiting else {
                    if state.waitingElements.isEmpty {
                        for closing in state.closeWaiters { closing.resume() }
                        state.closeWaiters = []
                    }
                    return []
                }
                let count = min(maxBatchCount, waiting.count)
                let batch = Array(waiting.prefix(count))
                // `removeFirst` keeps the memory of the queue. An empty queue is replaced, so that the memory of a
                // burst is released.
                if count == waiting.count { waiting = Deque() } else { waiting.removeFirst(count) }
                state.waitingElements[key] = waiting
                return batch
            }
        }
    }

    /// The number of waiting elements of each key whose batch the consumer is processing.
    package var waitingCounts: [Key: Int] { state.withLock { $0.waitingElements.mapValues(\.count) } }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Refuses new elements, and returns when the consumer processes no batch any longer.
    /// - Parameter finishing: whether waiting elements are still consumed.
    package func closeAndWait(finishing: Bool = false) async {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                state.isClosed = true
                state.shouldConsumeWaiting = finishing
                if state.waitingElements.isEmpty {
                    continuation.resume()
                } else {
                    state.closeWaiters.append(continuation)
                }
            }
        }
    }
}
