internal import Clocks
internal import ChatCore
internal import ChatStore
internal import Concurrency
package import Logging
package import NIOCore
internal import Prometheus
internal import Synchronization

/// Sends spans to a collector of OpenTelemetry in the background: in batches, and again after temporary failures.
///
/// Adding a span never waits. While the queue is full, new spans are dropped and counted. The spans of batches that the
/// collector does not accept are dropped and counted too.
package final class SpanExporter: Sendable {
    /// The reason why an exporter cannot be made, as a sentence whose subject is left out.
    package struct Fault: Error, CustomStringConvertible {
        package let description: String
    }

    private struct State {
        var sentCount: UInt64 = 0
        /// Number of spans that were taken into the queue, but were not accepted by the collector.
        var unsentCount: UInt64 = 0
        /// Whether the last request failed; nil before the first request.
        var isFailing: Bool?
        var worker: Task<Void, Never>?
        var isStopping = false
    }

    /// The maximal time for which a span waits for further spans, so that one request sends all of them.
    static let maxBatchWait = Duration.seconds(5)
    /// Maximal number of requests for one batch.
    static let maxAttempts = 6
    /// The longest pause that a collector can request.
    static let maxRequestedPause = Duration.seconds(300)
    /// Maximal time for sending the last spans when the program ends.
    static let stopTimeout = Duration.seconds(5)

    private let queue = SpanQueue()
    private let send: @Sendable ([UInt8]) async -> SpanCollector.Outcome
    private let clock: any Clock<Duration>
    private let nanoseconds: @Sendable () -> Int64
    private let log: Logger
    private let state = Mutex(State())
    private let batchSignal = WakeSignal()
    private let stopSignal = WakeSignal()
    private let firstSpanSignal = WakeSignal()
    /// The attributes of this program. Each start has another instance id.
    private let resourceAttributes = [
        Span.Attribute("service.name", "simplex-gateway"), .init("service.version", ProgramVersion.text),
        .init("service.instance.id", Span.Identity.makeID(bytes: 8)),
    ]

    /// Makes an exporter. It sends nothing before ``start()``.
    /// - Parameters:
    ///   - url: `http` or `https`; spans are sent to `/v1/traces` below this URL.
    ///   - headers: secret headers of each request. Without TLS, these headers are sent only to loopback addresses.
    ///   - authorities: a PEM file with certificate authorities in addition to the system's.
    package convenience init(
        _ url: String,
        headers: [(name: String, value: String)],
        authorities: String?,
        group: any EventLoopGroup,
        log: Logger
    ) throws(Fault) {
        let collector: SpanCollector
        do throws(SpanCollector.Fault) {
            collector = try SpanCollector(url, headers: headers, authorities: authorities, group: group)
        } catch {
            throw Fault(description: error.description)
        }
        self.init(log: log) { await collector.send($0) }
    }

    /// - Parameters:
    ///   - clock: measures the waits.
    ///   - nanoseconds: returns the nanoseconds since 1970.
    ///   - send: sends an encoded request.
    init(
        clock: any Clock<Duration> = ContinuousClock(),
        nanoseconds: @escaping @Sendable () -> Int64 = WallClock.nanoseconds,
        log: Logger,
        send: @escaping @Sendable ([UInt8]) async -> SpanCollector.Outcome
    ) {
        self.clock = clock
        self.nanoseconds = nanoseconds
        self.log = log
        self.send = send
    }

    // MARK: Adding

    /// Adds the span of a finished request. Requests of health checks and monitoring programs have no span, and neither
    /// have requests whose caller records no trace.
    func addRequest(_ finished: FinishedRequest, _ facts: RequestTrace.Facts) {
        guard !facts.isProbe, facts.traceContext?.isSampled != false else { return }
        addSpans([.makeRequestSpan(finished, facts, endNanoseconds: nanoseconds())])
    }

    /// Adds the spans of steps in the delivery of messages.
    /// - Parameters:
    ///   - epoch: the epoch of the journal in the store of the messages.
    ///   - storeID: the id of the store; nil for the first store.
    func addMessageSteps(_ reports: [MessageStepReport], _ epoch: String, _ storeID: String?) {
        addSpans(reports.map { .makeMessageSpan($0, in: epoch, of: storeID) })
    }

    func addSpans(_ spans: [Span]) {
        switch queue.addSpans(spans) {
        case .beganToWait: firstSpanSignal.wake()
        case .batchIsFull:
            firstSpanSignal.wake()
            batchSignal.wake()
        case .waiting: break
        }
    }

    // MARK: Sending

    /// Begins to send spans. A second call has no effect.
    package func start() {
        state.withLock { state in
            guard state.worker == nil, !state.isStopping else { return }
            state.worker = Task { await self.run() }
        }
    }

    private var isStopping: Bool { state.withLock { $0.isStopping } }

    private func run() async {
        while await waitForBatch() {
            repeat {
                await sendBatch(queue.takeBatch())
            } while !Task.isCancelled && (queue.hasFullBatch || isStopping && queue.count > 0)
        }
    }

    /// Waits until a batch of spans is full, until its first span has waited long enough, or until the program ends.
    /// - Returns: false when the program ends and no further batch is to be sent.
    private func waitForBatch() async -> Bool {
        while queue.count == 0 {
            guard !isStopping, await firstSpanSignal.waitForSignal() else { return false }
        }
        if !queue.hasFullBatch, !isStopping { await pause(Self.maxBatchWait, until: batchSignal) }
        return !Task.isCancelled
    }

    /// Waits until the duration has passed, or until the signal arrives.
    private func pause(_ duration: Duration, until signal: WakeSignal) async {
        await withTaskGroup(of: Void.self) { [clock] tasks in
            tasks.addTask { try? await clock.sleep(for: duration) }
            tasks.addTask { _ = await signal.waitForSignal() }
            await tasks.next()
            tasks.cancelAll()
        }
    }

    private func sendBatch(_ batch: [Span]) async {
        guard !batch.isEmpty else { return }
        let body = SpanDocument.encode(batch, of: resourceAttributes, version: ProgramVersion.text)
        var backoff = Backoff(initial: .seconds(1), limit: .seconds(30), jitter: 0.8...1.2)
        for attempt in 1...Self.maxAttempts {
            switch await sendUntilCancelled(body) {
            case .accepted(let rejectedCount):
                return recordSuccess(of: batch.count, rejected: min(rejectedCount, batch.count))
            case .refused(let reason): return recordFailure(reason, dropped: batch.count)
            case .retryable(let reason, let seconds):
                let isLast = attempt == Self.maxAttempts || isStopping || Task.isCancelled
                recordFailure(reason, dropped: isLast ? batch.count : 0)
                guard !isLast else { return }
                let requested = seconds.map { min(.seconds($0), Self.maxRequestedPause) } ?? .zero
                await pause(max(backoff.takeNextDelay(), requested), until: stopSignal)
            }
        }
    }

    /// Sends a request. Returns at once when the task is cancelled, since an attempt to connect could continue for
    /// seconds.
    private func sendUntilCancelled(_ body: [UInt8]) async -> SpanCollector.Outcome {
        let (outcomes, continuation) = AsyncStream.makeStream(of: SpanCollector.Outcome.self)
        let request = Task { [send] in
            continuation.yield(await send(body))
            continuation.finish()
        }
        return await withTaskCancellationHandler {
            for await outcome in outcomes { return outcome }
            return .retryable(reason: "the program ends", afterSeconds: nil)
        } onCancel: {
            request.cancel()
        }
    }

    private func recordSuccess(of count: Int, rejected: Int) {
        let wasFailing = state.withLock { state in
            state.sentCount &+= UInt64(count - rejected)
            state.unsentCount &+= UInt64(rejected)
            defer { state.isFailing = false }
            return state.isFailing == true
        }
        if wasFailing { log.notice("the collector of spans works again") }
        if rejected > 0 { log.warning("the collector has rejected spans", metadata: ["count": "\(rejected)"]) }
    }

    /// Records a failed request. Only the first of several failures in a row is logged.
    private func recordFailure(_ reason: String, dropped count: Int) {
        let wasFailing = state.withLock { state in
            state.unsentCount &+= UInt64(count)
            defer { state.isFailing = true }
            return state.isFailing == true
        }
        if !wasFailing { log.warning("spans cannot be sent to the collector", metadata: ["error": "\(reason)"]) }
    }

    /// Sends the waiting spans for at most ``stopTimeout``, and then ends the exporter.
    package func stop() async {
        queue.close()
        let worker = state.withLock { state in
            state.isStopping = true
            return state.worker
        }
        for signal in [firstSpanSignal, batchSignal, stopSignal] { signal.wake() }
        if let worker {
            let timer = Task { [clock] in
                if (try? await clock.sleep(for: Self.stopTimeout)) != nil { worker.cancel() }
            }
            await worker.value
            timer.cancel()
        }
        let count = queue.dropAll()
        state.withLock { $0.unsentCount &+= UInt64(count) }
    }

    /// Sends a request without spans, to check the collector.
    /// - Returns: the reason why the collector did not accept the request; nil if it did.
    package func checkCollector() async -> String? {
        switch await send(SpanDocument.encode([], of: resourceAttributes, version: ProgramVersion.text)) {
        case .accepted: nil
        case .retryable(let reason, _), .refused(let reason): reason
        }
    }

    // MARK: Metrics

    package var metricsText: String {
        let (sent, unsent, isFailing) = state.withLock { ($0.sentCount, $0.unsentCount, $0.isFailing) }
        var text = MetricsText()
        text.writeValue(
            "sxgw_otlp_up",
            .gauge,
            "1 unless the last request to the collector of --otlp failed.",
            isFailing == true ? 0 : 1
        )
        text.writeValue("sxgw_otlp_waiting", .gauge, "Spans that wait to be sent.", queue.count)
        text.writeValue("sxgw_otlp_spans_total", .counter, "Spans that the collector has accepted.", sent)
        text.writeFamily(
            "sxgw_otlp_dropped_spans_total",
            .counter,
            "Spans that the collector does not have, by reason."
        )
        text.writeSample([("reason", "full")], queue.droppedCount)
        text.writeSample([("reason", "unsent")], unsent)
        return text.text
    }
}
