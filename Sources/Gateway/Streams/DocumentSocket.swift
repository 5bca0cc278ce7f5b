internal import JSON
internal import NIOCore
internal import NIOWebSocket
internal import Synchronization

/// The WebSocket on which a client follows the changes of several documents. Messages of the client add and remove
/// documents.
final class DocumentSocket: WebSocketDelegate {
    private enum Command {
        case follow(FollowedDocument)
        case unfollow(String)

        /// Reads `{"follow":…,"cursor":…}` or `{"unfollow":…}`; nil for any other message.
        init?(_ text: String) {
            guard let message = (try? JSONValue(parsing: text))?.objectValue else { return nil }
            if message.count == 1, let name = message["unfollow"]?.stringValue {
                self = .unfollow(name)
            } else if message.count == 2, let name = message["follow"]?.stringValue,
                let cursor = message["cursor"]?.stringValue,
                let document = FollowedDocument(name: name, cursor: cursor)
            {
                self = .follow(document)
            } else {
                return nil
            }
        }
    }

    private struct State {
        var stream: DocumentStream?
        /// The number of documents that are being opened.
        var openingCount = 0
        var hasRefusedReading = false
        var isClosed = false
    }

    private let context: RouteContext
    private let state = Mutex(State())

    init(_ context: RouteContext) { self.context = context }

    func start(_ connection: WebSocketConnection, with documents: [FollowedDocument]) {
        let stream = DocumentStream(context, .socket(connection))
        let isOpen = state.withLock { state in
            if !state.isClosed { state.stream = stream }
            return !state.isClosed
        }
        guard isOpen else { return }
        if !stream.start(with: documents) { connection.beginClosing(.goingAway) }
    }

    func didReceive(_ text: String, on connection: WebSocketConnection) {
        guard let command = Command(text) else {
            return connection.beginClosing(.policyViolation, reason: "A message must be a follow or an unfollow.")
        }
        guard let stream = state.withLock({ $0.stream }) else { return }
        // Each message counts as a request in the limits on request rates.
        let seconds =
            context.services.clientRates.countRequest(context.request.address)
            ?? context.services.clientRates.countRequest(context.principal)
        switch command {
        case .unfollow(let name): stream.unfollowDocument(name)
        case .follow(let document):
            state.withLock { $0.openingCount += 1 }
            let problem = seconds.map { ProblemDetails(.tooManyRequests, "Send this again in \($0) s.") }
            stream.followDocument(document, unless: problem) { [self] in didOpenDocument(on: connection) }
        }
    }

    func didAnswer(_ ping: [UInt8]) {}

    private func didOpenDocument(on connection: WebSocketConnection) {
        let resumes = state.withLock { state in
            state.openingCount -= 1
            defer { state.hasRefusedReading = false }
            return state.hasRefusedReading
        }
        if resumes { connection.resumeReading() }
    }

    /// Returns whether the next message of the client may be read. Returns false while many documents are being opened,
    /// because opening a document may read the databases.
    func canReadMore() -> Bool {
        state.withLock { state in
            state.hasRefusedReading = state.openingCount >= context.services.configuration.maxDocumentsPerStream
            return !state.hasRefusedReading
        }
    }

    func reserveMemory(_ bytes: Int) -> UnreadAnswers.Share? {
        context.services.unreadAnswers.reserve(bytes, of: context.principal?.keyID ?? "")
    }

    /// Does nothing, because the stream counts its output itself.
    func didBecomeWritable() {}

    func didClose() {
        let stream = state.withLock { state in
            state.isClosed = true
            defer { state.stream = nil }
            return state.stream
        }
        stream?.close()
    }
}
