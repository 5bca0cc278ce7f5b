internal import Synchronization

/// Destination of a feed's events: an HTTP stream or a WebSocket.
protocol EventSink: Sendable {
    /// Writes events.
    /// - Returns: `false` when the sink is full. Then the feed waits until the sink calls `resumeSending` of the feed.
    func deliverEvents(_ events: [Event]) -> Bool
    /// Writes as many of the events as the sink has room for. The feed reads the remaining events again after
    /// `resumeSending` of the feed was called.
    /// - Returns: the number of written events, and `false` when the sink is full.
    func writeFittingEvents(_ events: [Event]) -> (count: Int, hasRoom: Bool)
    /// Reports that the journal deleted events before this reader got them.
    func reportGap(oldest: UInt64)
    /// Sends a sign that the connection is alive.
    /// - Parameter passed: the reader's position, if it has moved past events that its filter does not admit.
    func sendHeartbeat(passed: UInt64?)
    func end(_ reason: StreamEnd)
}

extension EventSink {
    /// Writes all events, because the size of a page limits the output of a single feed. A sink with several feeds has
    /// to limit the events of one call.
    func writeFittingEvents(_ events: [Event]) -> (count: Int, hasRoom: Bool) { (events.count, deliverEvents(events)) }
}

/// Reasons for the end of a stream.
enum StreamEnd: Sendable, Hashable {
    /// The stream ends for any reason without a case of its own: for example, the server stops, the journal cannot be
    /// read, or the client has opened the stream again.
    case endedNormally
    /// The key was revoked, has expired or has another secret.
    case keyEnded
    case storeLocked
    case storeDeleted

    /// The type of the event that tells the client the reason, and is the last event of the stream; nil if no event
    /// tells the reason.
    var eventType: String? {
        switch self {
        case .endedNormally: nil
        case .keyEnded: "keyEnded"
        case .storeLocked: "storeLocked"
        case .storeDeleted: "storeDeleted"
        }
    }
}

/// One streaming reader, with its position in the journal.
///
/// A reader at the end of the journal gets events as they are published. No events are pushed to a slow reader. A slow
/// reader reads pages from the journal at its own pace, so that unread events need no memory.
final class EventFeed: Sendable {
    private struct State {
        var readPosition: UInt64
        /// The last position that was sent to the reader.
        var reportedPosition: UInt64
        var isFetching = false
        var isBlocked = false
        var isEnded = false
    }

    let filter: EventFilter
    /// The secret that authorized the reader; nil when no key was required.
    let credential: Credential?
    private let source: any EventSource
    private let eventSink: any EventSink
    private let state: Mutex<State>

    init(
        after position: UInt64,
        filter: EventFilter,
        credential: Credential?,
        source: any EventSource,
        sink: any EventSink
    ) {
        self.filter = filter
        self.credential = credential
        self.source = source
        self.eventSink = sink
        self.state = Mutex(State(readPosition: position, reportedPosition: position))
    }

    /// Offers events that were just published. The feed sends them if they follow its position; otherwise it reads
    /// events from the journal.
    func offerEvents(_ events: [Event]) {
        guard let first = events.first, let last = events.last else { return }
        let behind = state.withLock { state -> Bool in
            guard !state.isEnded, !state.isFetching, !state.isBlocked else { return false }
            guard first.seq == state.readPosition &+ 1 else { return last.seq > state.readPosition }
            state.readPosition = last.seq
            deliverAdmitted(events, &state)
            return false
        }
        if behind { catchUp() }
    }

    private func deliverAdmitted(_ events: [Event], _ state: inout State) {
        let unseen = source.inactiveHiddenUsers
        let mine = events.filter { filter.admits($0, unseen: unseen) }.map(filter.visibleForm)
        guard let first = mine.first else { return }
        let (count, hasRoom) = eventSink.writeFittingEvents(mine)
        if count > 0 { state.reportedPosition = mine[count - 1].seq }
        if count < mine.count { state.readPosition = count > 0 ? state.reportedPosition : first.seq &- 1 }
        if !hasRoom { state.isBlocked = true }
    }

    /// Resumes sending after the sink was full.
    func resumeSending() {
        state.withLock { $0.isBlocked = false }
        catchUp()
    }

    /// Begins to read further events from the journal, unless a read is running or the sink is full.
    func catchUp() {
        let begin = state.withLock { state -> Bool in
            guard !state.isEnded, !state.isFetching, !state.isBlocked, state.readPosition < source.latestSeq else {
                return false
            }
            state.isFetching = true
            return true
        }
        guard begin else { return }
        Task { await fetchEvents() }
    }

    private func fetchEvents() async {
        while true {
            let position = state.withLock { $0.readPosition }
            let known = source.latestSeq
            guard let page = try? await source.readEntries(after: position, limit: 100) else {
                // The database is closed or broken, so the stream ends. The client connects again with its cursor.
                end()
                return
            }
            let goOn = state.withLock { state -> Bool in
                guard !state.isEnded else { return false }
                let oldest = source.oldestSeq
                if state.readPosition &+ 1 < oldest, page.first.map({ $0.seq > state.readPosition &+ 1 }) ?? true {
                    eventSink.reportGap(oldest: page.first?.seq ?? oldest)
                    state.readPosition = max(state.readPosition, (page.first?.seq ?? oldest) &- 1)
                }
                if let last = page.last {
                    state.readPosition = last.seq
                    deliverAdmitted(page, &state)
                } else {
                    state.readPosition = max(state.readPosition, known)
                }
                // The lock is held during this decision, so no event is missed. If the reader has reached the end of
                // the journal, later events are offered to the feed. Otherwise the feed reads further events.
                guard !state.isBlocked, state.readPosition < source.latestSeq else {
                    state.isFetching = false
                    return false
                }
                return true
            }
            guard goOn else { return }
        }
    }

    func sendHeartbeat() {
        state.withLock { state in
            guard !state.isEnded, !state.isBlocked else { return }
            let hasPassed = state.readPosition > state.reportedPosition
            state.reportedPosition = state.readPosition
            eventSink.sendHeartbeat(passed: hasPassed ? state.readPosition : nil)
        }
    }

    func end(_ reason: StreamEnd = .endedNormally) {
        let first = state.withLock { state -> Bool in
            defer { state.isEnded = true }
            return !state.isEnded
        }
        if first { eventSink.end(reason) }
    }
}
