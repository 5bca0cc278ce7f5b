internal import Synchronization

/// Spans that wait to be sent. A full queue drops new spans, so that nobody waits for a collector.
final class SpanQueue: Sendable {
    private struct State {
        var spans: [Span] = []
        var isClosed = false
        var droppedCount: UInt64 = 0
    }

    /// Maximal number of spans that wait.
    static let maxSpans = 4_096
    /// Maximal number of spans in one request.
    static let maxSpansPerBatch = 512

    private let state = Mutex(State())

    /// The state of the queue after the addition of spans.
    enum FillState: Sendable { case beganToWait, waiting, batchIsFull }

    /// Adds spans, and returns the new state of the queue. Spans for which the queue has no room, and spans after
    /// ``close()``, are dropped.
    func addSpans(_ spans: [Span]) -> FillState {
        state.withLock { state in
            let before = state.spans.count
            let room = state.isClosed ? 0 : Self.maxSpans - before
            state.spans.append(contentsOf: spans.prefix(room))
            state.droppedCount &+= UInt64(max(0, spans.count - room))
            if before < Self.maxSpansPerBatch, state.spans.count >= Self.maxSpansPerBatch { return .batchIsFull }
            return before == 0 && !state.spans.isEmpty ? .beganToWait : .waiting
        }
    }

    func takeBatch() -> [Span] {
        state.withLock { state in
            let batch = Array(state.spans.prefix(Self.maxSpansPerBatch))
            state.spans.removeFirst(batch.count)
            return batch
        }
    }

    /// Drops all later spans. Spans that wait already are kept.
    func close() { state.withLock { $0.isClosed = true } }

    /// Removes the spans that wait, and returns their number.
    func dropAll() -> Int {
        state.withLock { state in
            defer { state.spans = [] }
            return state.spans.count
        }
    }

    var count: Int { state.withLock { $0.spans.count } }
    var hasFullBatch: Bool { count >= Self.maxSpansPerBatch }
    /// Number of spans that were dropped because the queue was full or closed.
    var droppedCount: UInt64 { state.withLock { $0.droppedCount } }
}
