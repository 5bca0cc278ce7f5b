internal import ChatAPI
internal import Descriptors
internal import JSON
internal import NIOCore
internal import NIOWebSocket
internal import Synchronization

/// The connection of one client over a WebSocket: sends events and answers, and receives commands.
final class SocketSession: WebSocketDelegate, EventSink {
    enum Form: Sendable {
        /// `/v1/events/ws`: events in the form that all transports use.
        case entries
        /// The changes of a document, in the form that all transports use. The client can send no commands.
        case changes
        /// `/`: events in the form of the terminal client, `{"resp":…}`.
        case terminal
    }

    private struct State {
        var connection: WebSocketConnection?
        var feed: EventFeed?
        var ticketLink: StreamTicketLink?
        /// The position of a terminal client in the journal. The next client with the key begins at this position.
        var terminalPosition: TerminalPosition?
        var commands = SocketCommands()
        var isClosed = false
    }

    /// A client's position in a journal: the last event that the client has read. The client's answer to a ping shows
    /// that the client has read all events before the ping. Sent events do not count as read, because events in a
    /// buffer are lost when the client is killed.
    private struct TerminalPosition {
        let epoch: String
        /// The number of the last event that the client has read.
        var lastRead: UInt64
        /// The number of the last event that was sent.
        var lastSent: UInt64
        /// Whether the client has not answered the last ping yet.
        var isPingPending = false

        /// Returns the payload of a ping after the last sent event; nil when the client has read that event, or has not
        /// answered the last ping.
        mutating func takePingPayload() -> [UInt8]? {
            guard !isPingPending, lastSent > lastRead else { return nil }
            isPingPending = true
            return Array("\(lastSent)".utf8)
        }
    }

    private let sessionForm: Form
    private let principal: Principal?
    private let services: GatewayServices
    private let hub: EventHub
    private let address: SourceAddress?
    private let state = Mutex(State())

    /// - Parameters:
    ///   - hub: the source of the events that are sent.
    ///   - address: the client's address.
    init(form: Form, principal: Principal?, services: GatewayServices, hub: EventHub, address: SourceAddress?) {
        self.hub = hub
        self.address = address
        self.sessionForm = form
        self.principal = principal
        self.services = services
    }

    /// Starts the stream of events on a connection.
    /// - Parameters:
    ///   - position: the number of the event after which the client begins; nil for the position that the terminal
    ///     protocol keeps for the key.
    ///   - hold: ties the stream to its ticket.
    func start(
        _ connection: WebSocketConnection,
        after position: UInt64?,
        filter: EventFilter,
        hold: (EventFeed) -> StreamTicketLink?
    ) {
        let place = position == nil ? openPosition() : nil
        let feed = EventFeed(
            after: position ?? place?.lastRead ?? hub.latestSeq,
            filter: filter,
            credential: principal?.credential,
            source: hub.source,
            sink: self
        )
        let ticket = hold(feed)
        let alive = state.withLock { state -> Bool in
            guard !state.isClosed else { return false }
            state.connection = connection
            state.feed = feed
            state.ticketLink = ticket
            state.terminalPosition = place
            return true
        }
        guard alive else {
            ticket?.release()
            closePosition(place)
            return
        }
        guard hub.addFeed(feed) else { return connection.beginClosing(.goingAway) }
        // The secret may have become invalid while the stream was added to the hub, so it is checked again.
        if let principal, !services.keys.isStillValid(principal) { feed.end(.keyEnded) }
    }

    /// Sends the event `gap`, and closes the connection.
    /// - Parameter oldest: the cursor from which the client can go on; `nil` when the followed journal no longer
    ///   exists.
    func refuseClient(_ connection: WebSocketConnection, oldest: String?) {
        connection.sendText(EventForm.encodeGap(oldest: oldest))
        connection.beginClosing(.cursorExpiredCode, reason: "gap")
    }

    // MARK: Events

    func deliverEvents(_ events: [Event]) -> Bool {
        let (open, ping) = state.withLock { state -> (WebSocketConnection?, [UInt8]?) in
            if let last = events.last, state.connection != nil { state.terminalPosition?.lastSent = last.seq }
            return (state.connection, state.terminalPosition?.takePingPayload())
        }
        guard let connection = open else { return true }
        defer { if let ping { connection.sendPing(ping) } }
        var room = true
        for event in events {
            switch sessionForm {
            case .entries, .changes: room = connection.sendText(EventForm.encodeEntry(event, epoch: hub.epoch))
            case .terminal: room = connection.sendText(Array("{\"resp\":".utf8) + event.json + [UInt8(ascii: "}")])
            }
        }
        return room
    }

    func didAnswer(_ ping: [UInt8]) {
        guard let seq = UInt64(String(decoding: ping, as: UTF8.self)) else { return }
        let (place, connection, next) = state.withLock { state -> (TerminalPosition?, WebSocketConnection?, [UInt8]?) in
            guard let place = state.terminalPosition, seq <= place.lastSent else { return (nil, nil, nil) }
            state.terminalPosition?.lastRead = max(place.lastRead, seq)
            state.terminalPosition?.isPingPending = false
            return (state.terminalPosition, state.connection, state.terminalPosition?.takePingPayload())
        }
        guard let place else { return }
        hub.terminalPositions.recordReceived(client, epoch: place.epoch, at: place.lastRead)
        if let next { connection?.sendPing(next) }
    }

    func reportGap(oldest: UInt64) {
        guard let connection = state.withLock({ $0.connection }) else { return }
        switch sessionForm {
        case .entries, .changes: connection.sendText(EventForm.encodeGap(oldest: oldest, epoch: hub.epoch))
        // The terminal protocol cannot report a gap. The client must notice that it lost events, so the connection is
        // closed.
        case .terminal: connection.beginClosing(.policyViolation)
        }
    }

    func canReadMore() -> Bool { state.withLock { $0.commands.canReadMore() } }

    func sendHeartbeat(passed: UInt64?) {
        guard let connection = state.withLock({ $0.connection }) else { return }
        if let passed, sessionForm == .entries {
            connection.sendText(EventForm.encodePassedEvent(passed, epoch: hub.epoch))
        } else {
            connection.pingIfIdle()
        }
    }

    func end(_ reason: StreamEnd) {
        guard let connection = state.withLock({ $0.connection }) else { return }
        if sessionForm == .entries, let type = reason.eventType { connection.sendText(EventForm.encodeStreamEnd(type)) }
        connection.beginClosing(chooseCloseCode(reason), reason: reason.eventType ?? "")
    }

    private func chooseCloseCode(_ reason: StreamEnd) -> WebSocketErrorCode {
        // Clients of the terminal protocol know only the standard close codes.
        sessionForm == .terminal && reason == .keyEnded ? .policyViolation : reason.closeCode
    }

    func didBecomeWritable() { state.withLock { $0.feed }?.resumeSending() }

    func didClose() {
        let (feed, hold, place) = state.withLock { state -> (EventFeed?, StreamTicketLink?, TerminalPosition?) in
            state.isClosed = true
            state.connection = nil
            state.commands.dropWaitingRequests()
            defer {
                state.feed = nil
                state.ticketLink = nil
                state.terminalPosition = nil
            }
            return (state.feed, state.ticketLink, state.terminalPosition)
        }
        hold?.release()
        closePosition(place)
        guard let feed else { return }
        hub.removeFeed(feed)
        feed.end()
    }

    private func openPosition() -> TerminalPosition {
        let epoch = hub.epoch
        let begin = hub.terminalPositions.recordConnect(client, epoch: epoch, kept: hub.validPositions)
        return TerminalPosition(epoch: epoch, lastRead: begin, lastSent: begin)
    }

    private func closePosition(_ place: TerminalPosition?) {
        guard let place else { return }
        hub.terminalPositions.recordDisconnect(client, epoch: place.epoch, at: place.lastRead)
    }

    // MARK: Commands

    func didReceive(_ text: String, on connection: WebSocketConnection) {
        guard sessionForm != .changes else { return connection.beginClosing(.policyViolation) }
        let request = parseRequest(text)
        state.withLock { $0.commands.addRequest(request) }
        startCommands(on: connection)
    }

    private func parseRequest(_ text: String) -> SocketCommands.Request {
        let message = try? JSONValue(parsing: text)
        // Every message counts as a request, as over HTTP, even a message that is no valid command.
        let id = message == nil ? Self.correlationID(in: text) : message?["corrId"]?.stringValue
        if let seconds = services.clientRates.countRequest(address) ?? services.clientRates.countRequest(principal) {
            return .refusedMessage(id: id, answer: SocketAnswer.encodeRateLimitAnswer(seconds))
        }
        guard let id, let command = message?["cmd"]?.stringValue else {
            return .refusedMessage(id: id, answer: SocketAnswer.invalidRequestAnswer)
        }
        do throws(CommandParseError) { return .command(id: id, try ChatCommand(parsing: command)) } catch {
            return .refusedMessage(id: id, answer: SocketAnswer.encodeRefusal(error.chatError))
        }
    }

    /// Finds the correlation id in a text that is not valid JSON, so that the client recognizes the answer.
    static func correlationID(in text: String) -> String? {
        text.firstMatch(of: /"corrId"\s*:\s*"([^"\\]{1,100})"/).map { String($0.1) }
    }

    /// Starts waiting commands up to the limits of the client.
    private func startCommands(on connection: WebSocketConnection) {
        guard state.withLock({ $0.commands.beginStarting() }) else { return }
        while let request = state.withLock({ $0.commands.takeNext() }) {
            switch request {
            case .refusedMessage(let id, let answer): sendAnswer(answer, to: id, isRead: false, on: connection)
            case .command(let id, let command):
                Task { [services] in
                    await services.runInProcessorShare { await runCommand(command, id, on: connection) }
                }
            }
        }
        if state.withLock({ $0.commands.canResumeReading() }) { connection.resumeReading() }
    }

    private func runCommand(_ command: ChatCommand, _ id: String, on connection: WebSocketConnection) async {
        let (core, encoder, rights) = (services.core, services.modelHost.encoder, principal?.commandRights ?? .none)
        // Bots that were written for the original read received files themselves, so the files are stored unencrypted.
        let isPlain = sessionForm == .terminal && core.controller.map { $0.requestedFileEncryption == nil } ?? false
        let command = isPlain ? command.storingPlainFiles : command
        let isRead = command.isReadOnly
        let answered: Void? = await services.makeAnswer(command, for: client) {
            sendAnswer(await core.executeToJSON(command, with: rights, encoder), to: id, isRead: isRead, on: connection)
        }
        if answered == nil { sendAnswer(SocketAnswer.tooMuchUnreadAnswer, to: id, isRead: isRead, on: connection) }
    }

    func reserveMemory(_ bytes: Int) -> UnreadAnswers.Share? { services.unreadAnswers.reserve(bytes, of: client) }

    private var client: String { principal?.keyID ?? "" }

    private func sendAnswer(_ response: [UInt8], to id: String?, isRead: Bool, on connection: WebSocketConnection) {
        var out = Array("{".utf8)
        if let id { out += Array("\"corrId\":".utf8) + JSONValue.string(id).encodeText() + [UInt8(ascii: ",")] }
        out += Array("\"resp\":".utf8) + response + [UInt8(ascii: "}")]
        let bytes = out.count
        let share = services.unreadAnswers.countBytes(bytes, of: client)
        state.withLock { $0.commands.recordAnswer(bytes, isRead: isRead) }
        connection.sendText(out) { [self] in
            withExtendedLifetime(share) { state.withLock { $0.commands.recordWrittenAnswer(bytes) } }
            startCommands(on: connection)
        }
    }
}

extension WebSocketErrorCode {
    /// The close code for a client whose cursor has expired, or whose journal no longer exists. Corresponds to HTTP
    /// status 410.
    fileprivate static let cursorExpiredCode = WebSocketErrorCode(codeNumber: 4410)

    /// The close code for a client whose key is no longer valid. Corresponds to HTTP status 401.
    fileprivate static let unauthorized = WebSocketErrorCode(codeNumber: 4401)
}

extension StreamEnd {
    var closeCode: WebSocketErrorCode { self == .keyEnded ? .unauthorized : .goingAway }
}

extension RouteContext {
    /// Makes the answer that accepts the WebSocket handshake of the request. Then the delegate handles the connection.
    func makeSocketAnswer(
        over delegate: any WebSocketDelegate,
        ready: @escaping @Sendable (WebSocketConnection) -> Void
    ) throws(ProblemDetails) -> HTTPResponse {
        let (group, stall) = (services.eventLoopGroup, TimeAmount.seconds(services.configuration.socketStallSeconds))
        return try WebSocketHandshake.acceptUpgrade(request) { socket in
            WebSocketConnection.adoptSocket(socket, group: group, stall: stall, delegate: delegate, ready: ready)
        }
    }
}

extension SocketSession {
    /// Makes the answer to a client whose cursor has expired. The answer accepts the handshake, because a script cannot
    /// see the status of a refused handshake.
    static func makeGapResponse(_ context: RouteContext, oldest: String?) throws(ProblemDetails) -> HTTPResponse {
        let session = SocketSession(
            form: .changes,
            principal: context.principal,
            services: context.services,
            hub: context.services.eventHub,
            address: context.request.address
        )
        return try context.makeSocketAnswer(over: session) { session.refuseClient($0, oldest: oldest) }
    }
}
