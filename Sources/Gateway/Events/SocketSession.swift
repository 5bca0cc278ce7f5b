internal import JSON
internal import NIOCore
internal import Synchronization

/// One client of a WebSocket: events out, commands in and their answers out.
final class SocketSession: WebSocketDelegate, EventSink {
    enum Form: Sendable {
        /// `/v1/events/ws`: events as on the other transports.
        case entries
        /// The changes of a document, as on the other transports; it takes no commands.
        case changes
        /// `/`: as the terminal client tells them, `{"resp":…}`.
        case terminal
    }

    private struct State {
        var connection: WebSocketConnection?
        var feed: EventFeed?
        var commands = SocketCommands()
        var closed = false
    }

    private let form: Form
    private let principal: Principal?
    private let services: GatewayServices
    private let hub: EventHub
    private let state = Mutex(State())

    /// - Parameter hub: whose events it tells.
    init(form: Form, principal: Principal?, services: GatewayServices, hub: EventHub) {
        self.hub = hub
        self.form = form
        self.principal = principal
        self.services = services
    }

    func start(_ connection: WebSocketConnection, after position: UInt64) {
        let feed = EventFeed(
            after: position, filter: EventFilter(userId: form == .changes ? nil : principal?.userId), keyID: principal?.keyID ?? "",
            source: hub.source, sink: self)
        let alive = state.withLock { state -> Bool in
            guard !state.closed else { return false }
            state.connection = connection
            state.feed = feed
            return true
        }
        if alive, !hub.add(feed) { connection.close(.goingAway) }
    }

    // MARK: Events

    func deliver(_ events: [Event]) -> Bool {
        guard let connection = state.withLock({ $0.connection }) else { return true }
        var room = true
        for event in events {
            switch form {
            case .entries, .changes: room = connection.send(EventForm.entry(event, epoch: hub.epoch))
            case .terminal: room = connection.send(Array("{\"resp\":".utf8) + event.json + [UInt8(ascii: "}")])
            }
        }
        return room
    }

    func gap(oldest: UInt64) {
        guard let connection = state.withLock({ $0.connection }) else { return }
        switch form {
        case .entries, .changes: connection.send(EventForm.gap(oldest: oldest, epoch: hub.epoch))
        // The terminal protocol has no word for it: whoever lost events must know, so the connection ends.
        case .terminal: connection.close(.policyViolation)
        }
    }

    func takesMore() -> Bool { state.withLock { $0.commands.takesMore() } }

    func heartbeat() { state.withLock { $0.connection }?.ping() }

    func end(_ reason: StreamEnd) {
        guard let connection = state.withLock({ $0.connection }) else { return }
        if form == .entries, let type = reason.eventType { connection.send(EventForm.end(type)) }
        connection.close(.goingAway, reason: reason.eventType ?? "")
    }

    func writable() { state.withLock { $0.feed }?.drained() }

    func closed() {
        let feed = state.withLock { state -> EventFeed? in
            state.closed = true
            state.connection = nil
            state.commands.drop()
            defer { state.feed = nil }
            return state.feed
        }
        guard let feed else { return }
        hub.remove(feed)
        feed.end()
    }

    // MARK: Commands

    func received(_ text: String, on connection: WebSocketConnection) {
        guard form != .changes else { return connection.close(.policyViolation) }
        var request = SocketCommands.Request.invalid
        if let message = try? JSONValue(parsing: text), let id = message["corrId"]?.stringValue, let command = message["cmd"]?.stringValue {
            request = .command(id: id, text: command)
        }
        state.withLock { $0.commands.add(request) }
        startCommands(on: connection)
    }

    /// Starts the commands for which there is room.
    private func startCommands(on connection: WebSocketConnection) {
        guard state.withLock({ $0.commands.beginStarting() }) else { return }
        while let request = state.withLock({ $0.commands.next() }) {
            switch request {
            case .invalid: answer(nil, SocketAnswer.invalidRequest, on: connection)
            case .command(let id, let text):
                let (core, rights) = (services.core, principal?.rights ?? .none)
                Task { answer(id, await core.execute(text: text, with: rights), on: connection) }
            }
        }
        if state.withLock({ $0.commands.resumes() }) { connection.read() }
    }

    private func answer(_ id: String?, _ response: [UInt8], on connection: WebSocketConnection) {
        var out = Array("{".utf8)
        if let id { out += Array("\"corrId\":".utf8) + JSONValue.string(id).encoded() + [UInt8(ascii: ",")] }
        out += Array("\"resp\":".utf8) + response + [UInt8(ascii: "}")]
        let bytes = out.count
        state.withLock { $0.commands.answered(bytes) }
        connection.send(out) { [self] in
            state.withLock { $0.commands.left(bytes) }
            startCommands(on: connection)
        }
    }
}

enum SocketAnswer {
    /// What the terminal client says of a frame that is no request.
    static let invalidRequest = Array(
        #"{"type":"chatCmdError","chatError":{"type":"error","errorType":{"type":"commandError","message":"invalid request"}}}"#.utf8)
}

extension Events {
    static func eventSocket(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let after = try position(context.request.parameter("cursor"), context.services.events)
        return try open(.entries, after: after, context.services.events, context)
    }

    /// Whoever speaks the protocol of the terminal client has no cursor, and follows from now on.
    static func cliSocket(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let after = try position(context.request.parameter("cursor") ?? "now", context.services.events)
        return try open(.terminal, after: after, context.services.events, context)
    }

    /// The changes of a document.
    static func changesSocket(_ hub: EventHub, _ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        try open(.changes, after: position(context.request.parameter("cursor"), hub), hub, context)
    }

    private static func open(
        _ form: SocketSession.Form, after: UInt64, _ hub: EventHub, _ context: RouteContext
    ) throws(ProblemDetails) -> HTTPReply {
        let session = SocketSession(form: form, principal: context.principal, services: context.services, hub: hub)
        let (group, stall) = (context.services.group, TimeAmount.seconds(context.services.configuration.socketStallSeconds))
        return .now(
            try WebSocketHandshake.accept(context.request) { socket in
                WebSocketConnection.adopt(socket, group: group, stall: stall, delegate: session) { session.start($0, after: after) }
            })
    }
}
