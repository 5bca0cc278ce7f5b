internal import JSON
internal import Synchronization

/// The changes of several documents on one stream.
///
/// Each document has a feed of its own. The end of a document is reported on the stream, and the other documents go on.
/// One more feed takes no events. This feed gives the stream its heartbeats, and ends the stream when the key, the
/// store or the server ends.
///
/// All documents share the output. While the output is full, no feed reads further changes. If changes of a document
/// are deleted before the feed has read them, the stream reports the end of this document.
final class DocumentStream: EventSink {
    /// Number of bytes of all documents together that may wait for the client. A single change may be larger.
    static let maxWaitingBytes = 256 * 1024

    /// A function that finds the hub that publishes the changes of a document.
    typealias FindHub = @Sendable (_ name: String) async throws(ProblemDetails) -> EventHub

    /// The destination of a stream.
    enum Output: Sendable {
        case http(HTTPEventSink)
        case socket(WebSocketConnection)
    }

    /// A document of the stream.
    private struct Entry {
        let documentName: String
        /// A number that distinguishes this use of a document from earlier uses on the stream.
        let useNumber: UInt64
        /// The cursor after the last change that was sent.
        var cursor: String
        var follower: Follower?
        var isEnded = false
    }

    private struct Follower {
        let feed: EventFeed
        let hub: EventHub

        func end() {
            hub.removeFeed(feed)
            feed.end()
        }
    }

    private struct State {
        var entries: [Entry] = []
        var lastNumber: UInt64 = 0
        var heartbeatFeed: EventFeed?
        var ticketLink: StreamTicketLink?
        var isClosed = false
        /// Whether the output is full. Then no events are written until the client has read enough.
        var isFull = false
        /// Bytes that were passed to the socket and not written yet.
        var waitingBytes = 0
        /// Number of times that the output had room again after it was full.
        var drainCount = 0

        func findIndex(_ number: UInt64) -> Int? { entries.firstIndex { $0.useNumber == number && !$0.isEnded } }

        /// Adds a document.
        /// - Returns: the number of this use of the document.
        mutating func addDocument(_ document: FollowedDocument) -> UInt64 {
            lastNumber += 1
            if !isClosed {
                entries.append(Entry(documentName: document.name, useNumber: lastNumber, cursor: document.cursor))
            }
            return lastNumber
        }
    }

    private let context: RouteContext
    private let output: Output
    private let maxDocumentsPerStream: Int
    private let findHub: FindHub?
    private let state = Mutex(State())

    /// - Parameter findHub: finds the hub that publishes the changes of a document; nil to find the hub by the route of
    ///   the document.
    init(_ context: RouteContext, _ output: Output, findHub: FindHub? = nil) {
        self.context = context
        self.output = output
        self.findHub = findHub
        maxDocumentsPerStream = context.services.configuration.maxDocumentsPerStream
    }

    /// Starts the stream.
    /// - Returns: false when the server is stopping.
    func start(with documents: [FollowedDocument]) -> Bool {
        let hub = context.services.eventHub
        let life = EventFeed(
            after: hub.latestSeq,
            filter: EventFilter(types: []),
            credential: context.principal?.credential,
            source: hub.source,
            sink: self
        )
        let numbers = state.withLock { state -> [UInt64]? in
            guard !state.isClosed else { return nil }
            state.heartbeatFeed = life
            return documents.map { state.addDocument($0) }
        }
        // If `numbers` is nil, the client has already disconnected.
        guard let numbers else { return true }
        guard hub.addFeed(life) else { return false }
        let hold = context.linkStreamToTicket { life.end() }
        let isOpen = state.withLock { state in
            if !state.isClosed { state.ticketLink = hold }
            return !state.isClosed
        }
        guard isOpen else {
            hub.removeFeed(life)
            hold?.release()
            return true
        }
        // The secret may have become invalid while the stream was added to the hub, so it is checked again.
        if !context.hasValidSecret { life.end(.keyEnded) }
        for (document, number) in zip(documents, numbers) { Task { await openDocument(document, number) } }
        return true
    }

    /// Follows a further document, or a known document from another cursor.
    /// - Parameters:
    ///   - problem: the reason for which the document is refused; nil for a permitted request.
    ///   - done: called when the document is followed or refused.
    func followDocument(
        _ document: FollowedDocument,
        unless problem: ProblemDetails?,
        done: @escaping @Sendable () -> Void
    ) {
        unfollowDocument(document.name)
        let (number, isTooMany) = state.withLock { state in
            // The limit counts all known documents, also those that are still being opened.
            (state.addDocument(document), state.entries.count > maxDocumentsPerStream)
        }
        // The caller may be the event loop of the connection, so the output is written in a task.
        Task {
            if let problem = problem ?? (isTooMany ? .tooManyDocumentsProblem(maxDocumentsPerStream) : nil) {
                endDocument(number, problem)
            } else {
                await openDocument(document, number)
            }
            done()
        }
    }

    func unfollowDocument(_ name: String) {
        let follower = state.withLock { state -> Follower? in
            guard let index = state.entries.firstIndex(where: { $0.documentName == name }) else { return nil }
            return state.entries.remove(at: index).follower
        }
        follower?.end()
    }

    private func resolveHub(of name: String) async throws(ProblemDetails) -> EventHub {
        guard let findHub else { return try await context.findHub(ofDocument: name) }
        return try await findHub(name)
    }

    private func openDocument(_ document: FollowedDocument, _ number: UInt64) async {
        do throws(ProblemDetails) {
            let hub = try await resolveHub(of: document.name)
            let position = try hub.parsePosition(document.cursor)
            let sink = DocumentSink(documentStream: self, useNumber: number, hub: hub)
            let feed = EventFeed(
                after: position,
                filter: EventFilter(),
                credential: context.principal?.credential,
                source: hub.source,
                sink: sink
            )
            let follower = Follower(feed: feed, hub: hub)
            let isWanted = state.withLock { state -> Bool in
                guard let index = state.findIndex(number) else { return false }
                state.entries[index].cursor = EventForm.makeCursor(hub.epoch, position)
                state.entries[index].follower = follower
                let (name, cursor) = (document.name, state.entries[index].cursor)
                write(EventForm.encodeFollowedEvent(name, cursor: cursor), as: "followed", &state)
                return true
            }
            guard isWanted else { return }
            guard hub.addFeed(feed) else { throw .endedDocumentProblem }
            // If the client has left the document while the feed was added, the feed is ended.
            if state.withLock({ $0.findIndex(number) == nil }) { follower.end() }
        } catch {
            endDocument(number, error)
        }
    }

    // MARK: Documents

    fileprivate func writeFittingEvents(
        _ events: [Event],
        _ number: UInt64,
        epoch: String
    ) -> (count: Int, hasRoom: Bool) {
        state.withLock { state in
            guard let index = state.findIndex(number) else { return (events.count, true) }
            let name = state.entries[index].documentName
            var count = 0
            for event in events where !state.isFull {
                state.entries[index].cursor = EventForm.makeCursor(epoch, event.seq)
                write(EventForm.encodeEntry(event, epoch: epoch, document: name), as: nil, &state)
                count += 1
            }
            return (count, !state.isFull)
        }
    }

    /// Reports the end of a document to the client, and ends the feed of the document.
    fileprivate func endDocument(_ number: UInt64, _ problem: ProblemDetails) {
        var problem = problem
        problem.requestId = context.request.id
        let follower = state.withLock { [problem] state -> Follower? in
            guard let index = state.findIndex(number) else { return nil }
            let entry = state.entries[index]
            write(EventForm.encodeEndedEvent(entry.documentName, problem), as: "ended", &state)
            switch output {
            case .socket: state.entries.remove(at: index)
            // The entry stays, because a browser that connects again sends the cursors of all documents of its first
            // request.
            case .http:
                state.entries[index].follower = nil
                state.entries[index].isEnded = true
            }
            return entry.follower
        }
        // The feed is ended in a task, because the caller may hold the lock of the feed.
        if let follower { Task { follower.end() } }
    }

    /// Writes a frame. A Server-Sent Event has the cursors of all documents as its id. The caller must hold the lock of
    /// `state`, so that the frames are in the order of the cursors.
    /// - Parameter name: the name of a Server-Sent Event; nil for a change.
    private func write(_ frame: [UInt8], as name: String?, _ state: inout State) {
        let hasRoom: Bool
        switch output {
        case .http(let sink):
            hasRoom = sink.writeEntry(frame, as: name, id: state.entries.map(\.cursor).joined(separator: ","))
        case .socket(let connection):
            state.waitingBytes += frame.count
            connection.sendText(frame) { [weak self, count = frame.count] in self?.countWrittenBytes(count) }
            hasRoom = state.waitingBytes <= Self.maxWaitingBytes
        }
        if !hasRoom { state.isFull = true }
    }

    /// Counts bytes that the socket has written, and resumes sending when few bytes wait.
    private func countWrittenBytes(_ count: Int) {
        let isDrained = state.withLock { state in
            state.waitingBytes -= count
            return state.isFull && state.waitingBytes <= Self.maxWaitingBytes / 8
        }
        if isDrained { resumeSending() }
    }

    // MARK: The stream

    /// Resumes sending the changes of all documents after the output was full.
    func resumeSending() {
        let feeds = state.withLock { state -> [EventFeed] in
            state.isFull = false
            state.drainCount &+= 1
            let feeds = state.entries.compactMap(\.follower?.feed)
            // Each time, sending begins with another document, so that no document waits forever for the others.
            let first = feeds.isEmpty ? 0 : state.drainCount % feeds.count
            return Array(feeds[first...] + feeds[..<first])
        }
        for feed in feeds { feed.resumeSending() }
    }

    func close() {
        let (life, hold, followers) = state.withLock { state -> (EventFeed?, StreamTicketLink?, [Follower]) in
            state.isClosed = true
            defer { state = State(isClosed: true) }
            return (state.heartbeatFeed, state.ticketLink, state.entries.compactMap(\.follower))
        }
        hold?.release()
        if let life {
            context.services.eventHub.removeFeed(life)
            life.end()
        }
        for follower in followers { follower.end() }
    }

    func deliverEvents(_ events: [Event]) -> Bool { true }

    func reportGap(oldest: UInt64) {}

    func sendHeartbeat(passed: UInt64?) {
        switch output {
        case .http(let sink): sink.sendHeartbeat(passed: nil)
        case .socket(let connection): connection.pingIfIdle()
        }
    }

    func end(_ reason: StreamEnd) {
        switch output {
        case .http(let sink): sink.end(reason)
        case .socket(let connection):
            if let type = reason.eventType { connection.sendText(EventForm.encodeStreamEnd(type)) }
            connection.beginClosing(reason.closeCode, reason: reason.eventType ?? "")
        }
    }
}

/// Passes the changes of one document to its stream.
private struct DocumentSink: EventSink {
    let documentStream: DocumentStream
    let useNumber: UInt64
    let hub: EventHub

    func deliverEvents(_ events: [Event]) -> Bool { writeFittingEvents(events).hasRoom }

    func writeFittingEvents(_ events: [Event]) -> (count: Int, hasRoom: Bool) {
        documentStream.writeFittingEvents(events, useNumber, epoch: hub.epoch)
    }

    /// Ends the document, because the client has missed changes and can no longer apply later changes.
    func reportGap(oldest: UInt64) { documentStream.endDocument(useNumber, hub.expiredProblem(oldest)) }

    func sendHeartbeat(passed: UInt64?) {}

    /// Reports the end of the document if its feed ends normally. For any other reason, the whole stream ends, so this
    /// function reports nothing.
    func end(_ reason: StreamEnd) {
        if reason == .endedNormally { documentStream.endDocument(useNumber, .endedDocumentProblem) }
    }
}

/// A document that a client requests, with the cursor after which the client needs the changes.
struct FollowedDocument: Sendable, Hashable {
    /// The path of the document, as the client has written it.
    let name: String
    let cursor: String

    /// Maximal numbers of bytes in a name and in a cursor. Each frame repeats the name and the cursor.
    private static let maxLengths = (name: 256, cursor: 64)

    /// Checks the form of the name and the cursor. Returns nil if no document can have this name or this cursor.
    init?(name: String, cursor: String) {
        guard name.hasPrefix("/"), name.utf8.count <= Self.maxLengths.name,
            !cursor.isEmpty, cursor.utf8.count <= Self.maxLengths.cursor,
            cursor.utf8.allSatisfy({ $0 == UInt8(ascii: "-") || Self.isLetterOrDigit($0) })
        else { return nil }
        self.name = name
        self.cursor = cursor
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        default: false
        }
    }
}

extension ProblemDetails {
    /// The problem of a document that is no longer kept, for example because its session was closed.
    fileprivate static var endedDocumentProblem: ProblemDetails {
        ProblemDetails(.cursorExpired, "The document has ended: read it again.")
    }

    fileprivate static func tooManyDocumentsProblem(_ limit: Int) -> ProblemDetails {
        ProblemDetails(.conflict, "The stream has \(limit) documents, which is the limit: leave one first.")
    }
}
