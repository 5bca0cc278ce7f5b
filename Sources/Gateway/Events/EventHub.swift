internal import Clocks
internal import Concurrency
internal import JSON
internal import Synchronization

/// Serves all readers of the journal: streams, and long polls. A long poll gets one answer.
///
/// A waiting long poll is a small value in an array, without a separate task or timer. Long polls that get the same
/// events can share one response object.
final class EventHub: Sendable {
    private struct Waiter: Sendable {
        let filter: EventFilter
        let maxEvents: Int
        /// Whether the waiter can share a response object with other waiters. A waiter whose response gets additional
        /// header fields cannot share the object.
        let canShareResponse: Bool
        let credential: Credential?
        /// The time at which the waiting ends, in microseconds of the monotonic clock.
        let deadlineMicroseconds: Int64
        let sendResponse: @Sendable (HTTPResponse) -> Void
    }

    private struct State {
        var latestSeq: UInt64
        var waiters: [Waiter] = []
        var feeds: [ObjectIdentifier: EventFeed] = [:]
        var isTimerRunning = false
        var stopReason: StreamEnd?
    }

    let source: any EventSource
    let statusWatches = StatusWatches()
    /// The positions of clients that use the protocol of the terminal client.
    let terminalPositions: TerminalPositions
    private let state: Mutex<State>
    /// Microseconds between heartbeats on a silent stream.
    private let heartbeatMicroseconds: Int64

    /// - Parameters:
    ///   - places: the file with the positions of terminal clients.
    ///   - clock: the clock that determines when this file is written.
    init(
        source: any EventSource,
        heartbeatSeconds: Int64 = 15,
        places: TerminalPositions.File? = nil,
        clock: GatewayClock = .system
    ) {
        self.source = source
        self.heartbeatMicroseconds = heartbeatSeconds * 1_000_000
        self.state = Mutex(State(latestSeq: 0))
        terminalPositions = TerminalPositions(epoch: source.epoch, start: source.latestSeq, file: places, clock: clock)
        source.onPublish { [weak self] in self?.deliverPublished($0) }
        source.onJournalReplaced { [weak self] in self?.endAllReaders() }
        // The number of the latest event is read after the handlers of the source were added, so that no event is
        // missed. If a handler also gets an event up to this number, the hub recognizes the event by its number.
        let latest = source.latestSeq
        state.withLock { $0.latestSeq = max($0.latestSeq, latest) }
    }

    var latestSeq: UInt64 { state.withLock { $0.latestSeq } }
    /// The positions from which a reader can go on.
    var validPositions: ClosedRange<UInt64> {
        let (oldest, latest) = (source.oldestSeq, latestSeq)
        return min(oldest - min(oldest, 1), latest)...latest
    }
    var epoch: String { source.epoch }

    var isStopped: Bool { state.withLock { $0.stopReason != nil } }

    var readerCounts: (waiters: Int, streams: Int) {
        state.withLock { ($0.waiters.count, $0.feeds.count) }
    }

    private func deliverPublished(_ events: [Event]) {
        guard let last = events.last else { return }
        statusWatches.recordPublished(events)
        let unseen = source.inactiveHiddenUsers
        let (due, feeds) = state.withLock { state -> ([Waiter], [EventFeed]) in
            guard last.seq > state.latestSeq else { return ([], []) }
            state.latestSeq = last.seq
            let split = state.waiters.partition { waiter in events.contains { waiter.filter.admits($0, unseen: unseen) }
            }
            let due = Array(state.waiters[split...])
            state.waiters.removeSubrange(split...)
            return (due, Array(state.feeds.values))
        }
        for feed in feeds { feed.offerEvents(events) }
        answerWaiters(due, with: events)
    }

    /// Ends all streams and long polls after the store was replaced. When clients connect again, a cursor of the same
    /// journal continues, and a cursor of another journal gets 410.
    private func endAllReaders() {
        let latest = source.latestSeq
        let (waiters, feeds) = state.withLock { state -> ([Waiter], [EventFeed]) in
            state.latestSeq = latest
            defer {
                state.waiters = []
                state.feeds = [:]
            }
            return (state.waiters, Array(state.feeds.values))
        }
        for waiter in waiters { waiter.sendResponse(HTTPResponse(status: 503, headers: [("Retry-After", "1")])) }
        for feed in feeds { feed.end() }
    }

    private struct SharedPage: Hashable {
        let filter: EventFilter
        let limit: Int
    }

    private func answerWaiters(_ waiters: [Waiter], with events: [Event]) {
        var pages: [SharedPage: HTTPResponse] = [:]
        for waiter in waiters {
            let key = SharedPage(filter: waiter.filter, limit: min(waiter.maxEvents, events.count))
            if waiter.canShareResponse, let page = pages[key] {
                waiter.sendResponse(page)
                continue
            }
            let page = selectPage(events, after: 0, filter: waiter.filter, limit: waiter.maxEvents)
            let body = EventForm.encodePage(page.events, cursor: page.cursor, epoch: epoch)
            guard waiter.canShareResponse else {
                waiter.sendResponse(HTTPResponse(headers: EventHub.pageHeaders, content: .bytes(body)))
                continue
            }
            let response = HTTPResponse(
                content: .prepared(PreparedResponse(status: 200, headers: EventHub.pageHeaders, body: body))
            )
            pages[key] = response
            waiter.sendResponse(response)
        }
    }

    static let pageHeaders = [
        (name: "Content-Type", value: "application/json"), (name: "Cache-Control", value: "no-store"),
    ]

    /// Returns the events that a reader gets from a part of the journal, up to a limit, and the cursor after them. When
    /// the limit leaves out an event, the cursor is at the last returned event; otherwise at the end of the part.
    private func selectPage(
        _ events: [Event],
        after: UInt64,
        filter: EventFilter,
        limit: Int
    ) -> (events: [Event], cursor: UInt64) {
        var taken: [Event] = []
        let unseen = source.inactiveHiddenUsers
        for event in events where filter.admits(event, unseen: unseen) {
            if taken.count == limit { return (taken, taken.last?.seq ?? after) }
            taken.append(filter.visibleForm(of: event))
        }
        return (taken, events.last?.seq ?? after)
    }

    // MARK: Long polls

    /// Makes the answer to a reader whose next entry was deleted.
    func expiredProblem(_ oldest: UInt64) -> ProblemDetails {
        var problem = ProblemDetails(.cursorExpired, "The oldest cursor is in `oldest`.")
        problem.extraMembers = [(ProblemDetails.oldestCursorMember, .string(EventForm.makeCursor(epoch, oldest &- 1)))]
        return problem
    }

    /// Answers a long poll with the events after the number `after`. If there are no such events, waits for an event
    /// for up to `seconds`.
    func answerPoll(
        after: UInt64,
        filter: EventFilter,
        limit: Int,
        seconds: Int64,
        shares: Bool,
        credential: Credential?,
        requestID: String
    ) -> HTTPReply {
        if after >= latestSeq, seconds > 0 {
            return .deferred { [self] responder in
                addWaiter(
                    after: after,
                    filter: filter,
                    limit: limit,
                    seconds: seconds,
                    shares: shares,
                    credential: credential,
                    requestID: requestID
                ) { responder.respond($0) }
            }
        }
        return .later { [self] in
            await withCheckedContinuation { continuation in
                Task {
                    await collectEvents(
                        after: after,
                        filter: filter,
                        limit: limit,
                        seconds: seconds,
                        shares: shares,
                        credential: credential,
                        requestID: requestID
                    ) {
                        continuation.resume(returning: $0)
                    }
                }
            }
        }
    }

    /// The least number of journal entries that are read at once for a reader with a filter, such as a long poll.
    static let minEntriesPerRead = 256
    /// Maximal number of journal entries that a long poll examines without finding an event for its reader. When this
    /// number is reached, the answer has no events, but the cursor of the last examined entry.
    static let maxExaminedEntries = 4096

    private func collectEvents(
        after: UInt64,
        filter: EventFilter,
        limit: Int,
        seconds: Int64,
        shares: Bool,
        credential: Credential?,
        requestID: String,
        complete: @escaping @Sendable (HTTPResponse) -> Void
    ) async {
        var position = after
        var looked = 0
        // Without a filter, the reader gets each event that is read. So at most `limit` entries are read.
        let block =
            filter.isUnrestricted && source.inactiveHiddenUsers.isEmpty ? limit : max(limit, EventHub.minEntriesPerRead)
        while true {
            let known = source.latestSeq
            // The pool of open databases counts this read as a request of its own, because the present task may belong
            // to another request, or to the gateway.
            guard
                let read = try? await PoolRequest.runAsSeparateRequest({
                    try await source.readEntries(after: position, limit: block)
                })
            else {
                return complete(HTTPResponse(status: 503, headers: [("Retry-After", "1")]))
            }
            // Entries may have been deleted since the cursor was checked. A reader must learn of deleted entries.
            let oldest = source.oldestSeq
            if position &+ 1 < oldest, read.first.map({ $0.seq > position &+ 1 }) ?? true {
                return complete(expiredProblem(oldest).response(requestId: requestID))
            }
            let page = selectPage(read, after: position, filter: filter, limit: limit)
            position = read.isEmpty ? max(position, known) : page.cursor
            looked += read.count
            if !page.events.isEmpty || (read.isEmpty && seconds <= 0) || looked >= EventHub.maxExaminedEntries {
                let body = EventForm.encodePage(page.events, cursor: position, epoch: epoch)
                return complete(HTTPResponse(headers: EventHub.pageHeaders, content: .bytes(body)))
            }
            if read.isEmpty, position >= latestSeq {
                return addWaiter(
                    after: position,
                    filter: filter,
                    limit: limit,
                    seconds: seconds,
                    shares: shares,
                    credential: credential,
                    requestID: requestID,
                    complete: complete
                )
            }
            // The journal has announced an entry that can be read only after its commit. The read is repeated.
            if read.isEmpty { await Task.yield() }
        }
    }

    private func addWaiter(
        after: UInt64,
        filter: EventFilter,
        limit: Int,
        seconds: Int64,
        shares: Bool,
        credential: Credential?,
        requestID: String,
        complete: @escaping @Sendable (HTTPResponse) -> Void
    ) {
        enum Outcome { case waiting(startTicking: Bool), late, stopped(StreamEnd) }
        let waiter = Waiter(
            filter: filter,
            maxEvents: limit,
            canShareResponse: shares,
            credential: credential,
            deadlineMicroseconds: MonotonicClock.microseconds() + seconds * 1_000_000,
            sendResponse: complete
        )
        let outcome = state.withLock { state -> Outcome in
            if let reason = state.stopReason { return .stopped(reason) }
            guard after >= state.latestSeq else { return .late }
            state.waiters.append(waiter)
            defer { state.isTimerRunning = true }
            return .waiting(startTicking: !state.isTimerRunning)
        }
        switch outcome {
        case .waiting(let start):
            if start { startTimer() }
        case .late:
            Task {
                await collectEvents(
                    after: after,
                    filter: filter,
                    limit: limit,
                    seconds: seconds,
                    shares: shares,
                    credential: credential,
                    requestID: requestID,
                    complete: complete
                )
            }
        case .stopped(let reason):
            complete(makeFinalResponse(after, reason))
        }
    }

    private func makeEmptyPage(_ cursor: UInt64) -> HTTPResponse {
        HTTPResponse(
            headers: EventHub.pageHeaders,
            content: .bytes(EventForm.encodePage([], cursor: cursor, epoch: epoch))
        )
    }

    /// Makes the response to waiting long polls when the hub stops.
    private func makeFinalResponse(_ cursor: UInt64, _ reason: StreamEnd) -> HTTPResponse {
        reason == .endedNormally ? makeEmptyPage(cursor) : HTTPResponse(status: 503, headers: [("Retry-After", "1")])
    }

    // MARK: Streams

    /// Adds the feed of a stream.
    /// - Returns: `false` when the hub has stopped.
    func addFeed(_ feed: EventFeed) -> Bool {
        let start = state.withLock { state -> Bool? in
            guard state.stopReason == nil else { return nil }
            state.feeds[ObjectIdentifier(feed)] = feed
            defer { state.isTimerRunning = true }
            return !state.isTimerRunning
        }
        guard let start else { return false }
        if start { startTimer() }
        feed.catchUp()
        return true
    }

    func removeFeed(_ feed: EventFeed) {
        _ = state.withLock { $0.feeds.removeValue(forKey: ObjectIdentifier(feed)) }
    }

    /// Ends the readers whose secrets are no longer valid.
    func endReaders(except valid: Set<Credential>) {
        func isGone(_ credential: Credential?) -> Bool { credential.map { !valid.contains($0) } ?? false }
        let (waiters, feeds, cursor) = state.withLock { state -> ([Waiter], [EventFeed], UInt64) in
            let split = state.waiters.partition { isGone($0.credential) }
            let waiters = Array(state.waiters[split...])
            state.waiters.removeSubrange(split...)
            return (waiters, state.feeds.values.filter { isGone($0.credential) }, state.latestSeq)
        }
        for waiter in waiters { waiter.sendResponse(makeEmptyPage(cursor)) }
        for feed in feeds { feed.end(.keyEnded) }
        statusWatches.endReaders(except: valid)
    }

    // MARK: Time

    /// Starts the timer that answers due long polls and sends heartbeats. The timer runs only while there are long
    /// polls or streams.
    private func startTimer() {
        Task { [weak self] in
            var beat = MonotonicClock.microseconds()
            while true {
                try? await Task.sleep(for: .milliseconds(200))
                guard let self else { return }
                let now = MonotonicClock.microseconds()
                let beats = now - beat >= heartbeatMicroseconds
                if beats { beat = now }
                guard answerDueReaders(now, beats: beats) else { return }
            }
        }
    }

    private func answerDueReaders(_ now: Int64, beats: Bool) -> Bool {
        let (expired, feeds, cursor, goOn) = state.withLock { state -> ([Waiter], [EventFeed], UInt64, Bool) in
            let split = state.waiters.partition { $0.deadlineMicroseconds <= now }
            let expired = Array(state.waiters[split...])
            state.waiters.removeSubrange(split...)
            // After many waiters have ended, their memory is released.
            if state.waiters.isEmpty, state.waiters.capacity > 1024 { state.waiters = [] }
            state.isTimerRunning = !state.waiters.isEmpty || !state.feeds.isEmpty
            return (expired, beats ? Array(state.feeds.values) : [], state.latestSeq, state.isTimerRunning)
        }
        for waiter in expired { waiter.sendResponse(makeEmptyPage(cursor)) }
        for feed in feeds { feed.sendHeartbeat() }
        return goOn
    }

    /// Answers all waiting long polls and ends all streams. Later requests are answered without waiting.
    func stop(_ reason: StreamEnd = .endedNormally) {
        statusWatches.stop()
        let (waiters, feeds, cursor) = state.withLock { state -> ([Waiter], [EventFeed], UInt64) in
            state.stopReason = reason
            defer {
                state.waiters = []
                state.feeds = [:]
            }
            return (state.waiters, Array(state.feeds.values), state.latestSeq)
        }
        for waiter in waiters { waiter.sendResponse(makeFinalResponse(cursor, reason)) }
        for feed in feeds { feed.end(reason) }
    }
}

extension EventHub {
    /// Parses a cursor to the position after which a reader wants events. Without a cursor, the position is before the
    /// oldest entry.
    func parsePosition(_ cursor: String?) throws(ProblemDetails) -> UInt64 {
        let oldest = source.oldestSeq
        guard let cursor else { return oldest &- 1 }
        if cursor == "now" { return latestSeq }
        guard let dash = cursor.lastIndex(of: "-"), let seq = UInt64(cursor[cursor.index(after: dash)...]) else {
            throw ProblemDetails(.invalidParameter, "A cursor must be `epoch-seq`, as an event has it, or `now`.")
        }
        guard cursor[..<dash] == epoch, seq &+ 1 >= oldest, seq <= max(latestSeq, source.latestSeq) else {
            throw expiredProblem(oldest)
        }
        return seq
    }
}

extension ProblemDetails {
    fileprivate static let oldestCursorMember = "oldest"

    /// The cursor from which the reader can go on after its own cursor has expired.
    var oldestCursor: String? { extraMembers.first { $0.name == ProblemDetails.oldestCursorMember }?.value.stringValue }
}
