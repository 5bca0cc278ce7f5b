public import ChatAPI
public import ChatCore
internal import JSON

/// What the gateway needs of the core.
public protocol GatewayCore: Sendable {
    /// The databases are open: commands are answered.
    var isReady: Bool { get }
    /// The chat is started: messages go out and come in.
    var isRunning: Bool { get }
    /// How it stands with the relays.
    var networkFigures: NetworkFigures { get }
    /// The channels that its relays serve; nil while no databases are open.
    var channelFigures: ChannelFigures? { get async }
    var eventSource: any EventSource { get }
    /// The network state that was set last.
    var networkInfo: UserNetworkInfo { get }
    /// Whether the databases are encrypted; false while none are open.
    var isEncrypted: Bool { get }
    /// Another number after anything has changed that commands read.
    var revision: UInt64 { get }
    /// Committed transactions; zero while no databases are open.
    var commits: DatabaseCommits { get }
    /// Receive queues on a relay that has moved to another port; zero while no databases are open.
    var movedQueues: Int { get }
    /// Runs a command, as the given user or else as the active one, if the rights allow it. For a claimed request the answer is stored.
    func send(_ command: ChatCommand, as userId: Int64?, with rights: CommandRights, claim: RequestClaim?) async -> APIResult<ChatResponse>
    /// Makes the hidden user with this password the active one, if the rights allow it.
    func activateHiddenUser(viewPwd: String, with rights: CommandRights) async -> APIResult<ChatResponse>
    /// The stored state of a request with an idempotency key.
    func storedRequest(_ key: [UInt8]) async throws -> StoredRequest?
    /// What the store may hold, and what it holds; nil while no databases are open.
    var storeFigures: StoreFigures? { get async }
    /// How much the store may hold, from here on.
    func set(_ limits: StoreLimits)
    /// The bytes of files; nil while no databases are open.
    var storedFiles: ChatFiles? { get }
    /// The archives that clients send and fetch; nil where there are none.
    var archives: ChatArchives? { get }
    /// The databases, to copy them; nil while none are open.
    var databases: ChatDatabases? { get }
    /// Who outside is sent events; nil while no databases are open, and where nobody is.
    var eventSubscriptions: EventSubscriptions? { get }
    /// The handler is called for every change, in order, and must not block.
    func onChange(_ handler: @escaping @Sendable (ChatChange) -> Void)
    /// Runs a reading command in order with the changes: its response is passed to the change handler with `origin`.
    func read(_ command: ChatCommand, as userId: Int64?, with rights: CommandRights, origin: UInt64) async -> APIResult<ChatResponse>
    /// The session with a desktop; nil while no databases are open.
    var remoteCtrlSession: RemoteCtrlStatus? { get async }
    /// The session with a phone, or the one that was offered to a new phone; nil while no databases are open.
    func remoteHostSession(_ id: Int64?) async -> RemoteHostStatus?
    /// The core and the session of a phone that is connected; nil when it is not.
    func connectedHost(_ id: Int64) -> (core: ChatController, host: ConnectedHost)?
}

/// The durable journal of events, seen from here.
public protocol EventSource: Sendable {
    var epoch: String { get }
    /// Where a journal of a copy has come from.
    var origin: JournalOrigin? { get }
    /// The number of the oldest entry kept; `latest + 1` when there is none.
    var oldest: UInt64 { get }
    var latest: UInt64 { get }
    /// Users whose events are only for keys that are bound to them.
    var unseenUsers: Set<Int64> { get }
    /// Up to `limit` entries with sequence numbers greater than `seq`, in order. Empty also when the entries up to `latest` were deleted: the
    /// reader then continues from the `latest` that it saw before the call.
    func entries(after seq: UInt64, limit: Int) async throws -> [Event]
    /// The handler is called after each commit, in order, once for each entry, and must not block.
    func onPublish(_ handler: @escaping @Sendable ([Event]) -> Void)
    /// The handler is called when the journal was replaced by that of another store, or was reopened.
    func onReplaced(_ handler: @escaping @Sendable () -> Void)
}

extension EventSource {
    public var unseenUsers: Set<Int64> { [] }
    public var origin: JournalOrigin? { nil }
    public func onReplaced(_ handler: @escaping @Sendable () -> Void) {}
}

/// An entry of the journal.
public struct Event: Sendable, Hashable {
    public let seq: UInt64
    /// ISO 8601, UTC.
    public let time: String
    public let userId: Int64?
    /// The phone that it is of; nil for an event of this gateway.
    public var remoteHostId: Int64?
    /// Whose keys get it.
    public let audience: EventAudience
    /// The event's own JSON object.
    public let json: [UInt8]
    let traits: LazyEventTraits

    /// - Parameter audience: nil for the keys of the user, or for all keys if there is no user.
    public init(seq: UInt64, time: String, userId: Int64?, audience: EventAudience? = nil, json: [UInt8]) {
        self.seq = seq
        self.time = time
        self.userId = userId
        self.audience = audience ?? userId.map(EventAudience.user) ?? .everybody
        self.json = json
        traits = LazyEventTraits(json)
    }

    /// The same with other JSON.
    func with(json: [UInt8]) -> Event {
        var event = Event(seq: seq, time: time, userId: userId, audience: audience, json: json)
        event.remoteHostId = remoteHostId
        return event
    }
}

extension GatewayCore {
    public var isRunning: Bool { isReady }
    public var networkFigures: NetworkFigures { NetworkFigures() }
    public var channelFigures: ChannelFigures? { get async { nil } }
    public var storeFigures: StoreFigures? { get async { nil } }
    public func set(_ limits: StoreLimits) {}
    public var commits: DatabaseCommits { DatabaseCommits() }
    public var storedFiles: ChatFiles? { nil }
    public var archives: ChatArchives? { nil }
    public var databases: ChatDatabases? { nil }
    public var movedQueues: Int { 0 }
    public var eventSubscriptions: EventSubscriptions? { nil }
    /// Without hidden users.
    public func activateHiddenUser(viewPwd: String, with rights: CommandRights) async -> APIResult<ChatResponse> { .error(.error(errorType: .userUnknown)) }
    public func connectedHost(_ id: Int64) -> (core: ChatController, host: ConnectedHost)? { nil }
    public func remoteHostSession(_ id: Int64?) async -> RemoteHostStatus? { nil }
    public var remoteCtrlSession: RemoteCtrlStatus? { get async { nil } }

    func remoteHost(_ id: Int64) -> RemoteHostCore? {
        connectedHost(id).map { RemoteHostCore(id, $0.host, of: $0.core) }
    }

    /// Runs a command for the user to whom the rights are bound, else for the active one.
    /// - Returns: the JSON of the response, as the terminal client writes it.
    func execute(_ command: ChatCommand, with rights: CommandRights) async -> [UInt8] {
        switch await send(command, as: rights.userId, with: rights, claim: nil) {
        case .result(let response): (try? JSONEncoder().encode(response)) ?? SocketAnswer.invalidRequest
        case .error(let error): SocketAnswer.refused(error)
        }
    }
}
