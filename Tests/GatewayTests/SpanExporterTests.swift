import Concurrency
import JSON
import Logging
import NIOPosix
import SMPTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Gateway

/// The exporter of spans: its queue, its batches, its retries and its end.
struct SpanExporterTests {
    /// A collector whose outcomes the test decides.
    private final class Collector: Sendable {
        private let state = Mutex((outcomes: [SpanCollector.Outcome](), bodies: [[UInt8]]()))

        init(_ outcomes: [SpanCollector.Outcome] = []) { state.withLock { $0.outcomes = outcomes } }

        /// Records a request. After the given outcomes, all requests are accepted.
        func answer(_ body: [UInt8]) -> SpanCollector.Outcome {
            state.withLock { state in
                state.bodies.append(body)
                return state.outcomes.isEmpty ? .accepted(rejectedCount: 0) : state.outcomes.removeFirst()
            }
        }

        var requestCount: Int { state.withLock { $0.bodies.count } }

        /// The names of the spans in each request.
        var names: [[String]] {
            get throws {
                try state.withLock { $0.bodies }.map { body in
                    let spans = try JSONValue(parsing: body)["resourceSpans"]?[0]?["scopeSpans"]?[0]?["spans"]
                    return spans?.arrayValue?.compactMap { $0["name"]?.stringValue } ?? []
                }
            }
        }
    }

    private let clock = ManualClock()

    private func makeExporter(_ collector: Collector) -> SpanExporter {
        SpanExporter(clock: clock, nanoseconds: { 1_000 }, log: Logger(label: "test")) { collector.answer($0) }
    }

    private func makeSpan(_ name: String) -> Span {
        Span(identity: .makeRandom(), name: name, kind: .server, startNanoseconds: 1, endNanoseconds: 2)
    }

    private func makeSpans(_ count: Int) -> [Span] { (0..<count).map { makeSpan("\($0)") } }

    /// Moves the clock when the exporter sleeps.
    private func advanceWhenAsleep(by duration: Duration) async throws {
        try await waitUntil("the exporter sleeps") { clock.sleeperCount > 0 }
        clock.advance(by: duration)
    }

    @Test
    func `Spans are collected for five seconds and then sent in one request`() async throws {
        let collector = Collector()
        let exporter = makeExporter(collector)
        exporter.start()
        exporter.addSpans([makeSpan("a")])
        try await waitUntil("the exporter sleeps") { clock.sleeperCount > 0 }
        exporter.addSpans([makeSpan("b")])
        clock.advance(by: SpanExporter.maxBatchWait - .nanoseconds(1))
        #expect(collector.requestCount == 0)
        clock.advance(by: .nanoseconds(1))
        try await waitUntil("the spans are sent") { collector.requestCount == 1 }
        #expect(try collector.names == [["a", "b"]])
        await exporter.stop()
    }

    @Test
    func `A full batch of spans is sent immediately`() async throws {
        let collector = Collector()
        let exporter = makeExporter(collector)
        exporter.start()
        exporter.addSpans(makeSpans(SpanQueue.maxSpansPerBatch))
        try await waitUntil("the batch is sent") { collector.requestCount == 1 }
        #expect(try collector.names.map(\.count) == [SpanQueue.maxSpansPerBatch])
        await exporter.stop()
    }

    @Test
    func `A full queue drops new spans and counts the dropped spans`() throws {
        let exporter = makeExporter(Collector())
        exporter.addSpans(makeSpans(SpanQueue.maxSpans))
        exporter.addSpans(makeSpans(3))
        #expect(exporter.metricsText.contains("sxgw_otlp_waiting \(SpanQueue.maxSpans)\n"))
        #expect(exporter.metricsText.contains("sxgw_otlp_dropped_spans_total{reason=\"full\"} 3\n"))
    }

    @Test
    func `After temporary failures, a batch of spans is sent again after growing pauses, and is finally dropped`()
        async throws
    {
        let failure = SpanCollector.Outcome.retryable(reason: "HTTP 503", afterSeconds: nil)
        let collector = Collector(Array(repeating: failure, count: SpanExporter.maxAttempts))
        let exporter = makeExporter(collector)
        exporter.start()
        exporter.addSpans(makeSpans(SpanQueue.maxSpansPerBatch))
        for attempt in 1..<SpanExporter.maxAttempts {
            try await waitUntil("attempt \(attempt) has failed") {
                collector.requestCount == attempt && clock.sleeperCount > 0
            }
            // The pause before the next attempt is 0.8 to 1.2 times the usual one.
            let usual = Duration.seconds(min(30, 1 << (attempt - 1)))
            clock.advance(by: usual * 0.79)
            #expect(collector.requestCount == attempt)
            clock.advance(by: usual * 0.42)
        }
        try await waitUntil("the batch is dropped") {
            exporter.metricsText.contains("reason=\"unsent\"} \(SpanQueue.maxSpansPerBatch)\n")
        }
        #expect(collector.requestCount == SpanExporter.maxAttempts && exporter.metricsText.contains("sxgw_otlp_up 0\n"))
        await exporter.stop()
    }

    @Test
    func `If the collector requests a pause, the exporter sends its next request exactly after this pause`()
        async throws
    {
        let collector = Collector([.retryable(reason: "HTTP 429", afterSeconds: 60)])
        let exporter = makeExporter(collector)
        exporter.start()
        exporter.addSpans(makeSpans(SpanQueue.maxSpansPerBatch))
        try await waitUntil("the first request has failed") { collector.requestCount == 1 && clock.sleeperCount > 0 }
        clock.advance(by: .seconds(59))
        #expect(collector.requestCount == 1)
        clock.advance(by: .seconds(1))
        try await waitUntil("the batch is sent again") { collector.requestCount == 2 }
        try await waitUntil("the batch counts as sent") {
            exporter.metricsText.contains("sxgw_otlp_spans_total \(SpanQueue.maxSpansPerBatch)\n")
        }
        await exporter.stop()
    }

    @Test
    func `A batch of spans that the collector refuses is dropped without a second attempt`() async throws {
        let collector = Collector([.refused(reason: "HTTP 400")])
        let exporter = makeExporter(collector)
        exporter.start()
        exporter.addSpans(makeSpans(SpanQueue.maxSpansPerBatch))
        try await waitUntil("the batch is dropped") {
            exporter.metricsText.contains("reason=\"unsent\"} \(SpanQueue.maxSpansPerBatch)\n")
        }
        exporter.addSpans(makeSpans(SpanQueue.maxSpansPerBatch))
        try await waitUntil("the next batch is sent") { exporter.metricsText.contains("sxgw_otlp_up 1\n") }
        #expect(collector.requestCount == 2)
        await exporter.stop()
    }

    @Test
    func `The stop of the exporter sends all waiting spans, and spans after the stop are dropped`() async throws {
        let collector = Collector()
        let exporter = makeExporter(collector)
        exporter.start()
        exporter.addSpans([makeSpan("last")])
        await exporter.stop()
        #expect(try collector.names == [["last"]])
        exporter.addSpans([makeSpan("late")])
        #expect(exporter.metricsText.contains("sxgw_otlp_dropped_spans_total{reason=\"full\"} 1\n"))
    }

    @Test
    func `The stop of the exporter does not wait for the pause after a failed request`() async throws {
        let failure = SpanCollector.Outcome.retryable(reason: "HTTP 503", afterSeconds: nil)
        let collector = Collector([failure, failure])
        let exporter = makeExporter(collector)
        exporter.start()
        exporter.addSpans(makeSpans(SpanQueue.maxSpansPerBatch))
        try await waitUntil("the exporter pauses") { collector.requestCount == 1 && clock.sleeperCount > 0 }
        await exporter.stop()
        #expect(collector.requestCount == 2)
        #expect(exporter.metricsText.contains("reason=\"unsent\"} \(SpanQueue.maxSpansPerBatch)\n"))
    }

    @Test
    func `A collector that does not answer delays the stop of the exporter by at most five seconds`() async throws {
        let clock = clock
        let exporter = SpanExporter(clock: clock, log: Logger(label: "test")) { _ in
            // The request ends only when it is cancelled.
            try? await ContinuousClock().sleep(for: .seconds(86_400))
            return .retryable(reason: "cancelled", afterSeconds: nil)
        }
        exporter.start()
        exporter.addSpans(makeSpans(SpanQueue.maxSpansPerBatch + 1))
        let end = Task { await exporter.stop() }
        try await advanceWhenAsleep(by: SpanExporter.stopTimeout)
        await end.value
        #expect(exporter.metricsText.contains("reason=\"unsent\"} \(SpanQueue.maxSpansPerBatch + 1)\n"))
    }

    @Test
    func `A request that cannot be cancelled delays the stop of the exporter by at most five seconds`() async throws {
        let (clock, answer) = (clock, WakeSignal())
        let exporter = SpanExporter(clock: clock, log: Logger(label: "test")) { _ in
            // A separate task is not cancelled with the request, as with an attempt to connect.
            await Task { _ = await answer.waitForSignal() }.value
            return .retryable(reason: "no answer in time", afterSeconds: nil)
        }
        exporter.start()
        exporter.addSpans(makeSpans(SpanQueue.maxSpans))
        let end = Task { await exporter.stop() }
        try await advanceWhenAsleep(by: SpanExporter.stopTimeout)
        await end.value
        #expect(exporter.metricsText.contains("reason=\"unsent\"} \(SpanQueue.maxSpans)\n"))
        answer.wake()
    }
}
