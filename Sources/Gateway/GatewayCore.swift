public import ChatAPI
public import ChatCore
internal import JSON

/// The functions of the core that the gateway needs.
public protocol GatewayCore: Sendable {
    /// Whether the databases are open, so that commands are answered.
    var isReady: Bool { get }
    /// Whether the chat is started, so that messages are sent and received.
    var isRunning: Bool { get }
    /// Figures about the connections to relays.
    var networkFigures: NetworkFigures { get }
    /// Figures about the channels that the store's chat relays serve; nil while the databases are not open.
    var channelFigures: ChannelFigures? { get async }
    var eventSource: any EventSource { get }
    /// The state of the network that a client has set last.
    var networkInfo: UserNetworkInfo { get }
    /// Whether the databases are encrypted; false while they are not open.
    var isEncrypted: Bool { get }
    /// A number that changes whenever the results of reading commands may have changed.
    var revision: UInt64 { get }
    /// Committed transactions; zero while the databases are not open.
    var commits: DatabaseCommits { get }
    /// The number of receive queues on relays that have moved to another port; zero while the databases are not open.
    var movedQueues: Int { get }
    /// Runs a command as the given user, or as the active user, if the rights permit it. The answer to a claimed
    /// request is stored.
    func send(
        _ command: ChatCommand,
        as userId: Int64?,
        with rights: CommandRights,
        claim: RequestClaim?
    ) async -> APIResult<ChatResponse>
    /// Makes the hidden user with this password the active user, if the rights permit it.
    func activateHiddenUser(viewPwd: String, with rights: CommandRights) async -> APIResult<ChatResponse>
    /// Returns the stored state of a request with an idempotency key.
    func storedRequest(_ key: [UInt8]) async throws -> StoredRequest?
    /// The limits and the use of the store; nil while the databases are not open.
    var storeFigures: StoreFigures? { get async }
    /// Sets the limits of the store.
    func set(_ limits: StoreLimits)
    /// The contents of files; nil while the databases are not open.
    var storedFiles: ChatFiles? { get }
    /// The archives that clients send and fetch; nil when they are unavailable.
    var archives: ChatArchives? { get }
    /// The databases, for backups; nil while they are not open.
    var databases: ChatDatabases? { get }
    /// The subscriptions for deliveries; nil while the databases are not open, and for a core without subscriptions.
    var eventSubscriptions: EventSubscriptions? { get }
    /// Adds a handler that is called for every change, in order. The handler must not block.
    func onChange(_ handler: @escaping @Sendable (ChatChange) -> Void)
    /// Runs a reading command in the order of the changes: its response is passed to the change handlers with `origin`.
    func read(
        _ command: ChatCommand,
        as userId: Int64?,
        with rights: CommandRights,
        origin: UInt64
    ) async -> APIResult<ChatResponse>
    /// The session with a desktop; nil while the databases are not open.
    var remoteCtrlSession: RemoteCtrlStatus? { get async }
    /// Returns the session with a phone, or the session that was offered to a new phone; nil while the databases are
    /// not open.
    func remoteHostSession(_ id: Int64?) async -> RemoteHostStatus?
    /// Returns the core and the session of a connected phone; nil when the phone is not connected.
    func connectedHost(_ id: Int64) -> (core: ChatController, host: ConnectedHost)?
}

/// The durable journal of events.
public protocol EventSource: Sendable {
    var epoch: String { get }
    /// For the journal of a copy: the journal that it continues.
    var origin: JournalOrigin? { get }
    /// The number of the oldest entry; `latest + 1` when the journal has no entries.
    var oldest: UInt64 { get }
    var latest: UInt64 { get }
    /// Hidden users that are not active. Only keys that are bound to such a user get its events.
    var inactiveHiddenUsers: Set<Int64> { get }
    /// Returns up to `limit` entries with numbers greater than `seq`, in order. The result is also empty when all
    /// entries up to `latest` were deleted. Then the reader continues from the `latest` that it saw before the call.
    func entries(after seq: UInt64, limit: Int) async throws -> [Event]
    /// Adds a handler that is called after each commit, in order, once for each entry. The handler must not block.
    func onPublish(_ handler: @escaping @Sendable ([Event]) -> Void)
    /// Adds a handler that is called when the journal of another store has replaced this journal, or when the journal
    /// was opened again.
    func onReplaced(_ handler: @escaping @Sendable () -> Void)
}

extension EventSource {
    public var inactiveHiddenUsers: Set<Int64> { [] }
    public var origin: JournalOrigin? { nil }
    public func onReplaced(_ handler: @escaping @Sendable () -> Void) {}
}

/// An entry of the journal.
public struct Event: Sendable, Hashable {
    public let seq: UInt64
    /// The time in ISO 8601, UTC.
    public let time: String
    public let userId: Int64?
    /// The phone on which the event happened; nil for an event of this gateway.
    public var remoteHostId: Int64?
    /// The keys that get the event.
    public let audience: EventAudience
    /// The JSON object of the event.
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

    /// Returns the event with other JSON.
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
    /// By default, a core has no hidden users.
    public func activateHiddenUser(viewPwd: String, with rights: CommandRights) async -> APIResult<ChatResponse> {
        .error(.error(errorType: .userUnknown))
    }
    public func connectedHost(_ id: Int64) -> (core: ChatController, host: ConnectedHost)? { nil }
    public func remoteHostSession(_ id: Int64?) async -> RemoteHostStatus? { nil }
    public var remoteCtrlSession: RemoteCtrlStatus? { get async { nil } }

    func remoteHost(_ id: Int64) -> RemoteHostCore? {
        connectedHost(id).map { RemoteHostCore(id, $0.host, of: $0.core) }
    }

    /// Runs a command as the user to whom the rights are bound, otherwise as the active user.
    /// - Returns: the JSON of the response in the form of the terminal client.
    func execute(_ command: ChatCommand, with rights: CommandRights, _ encoder: JSONEncoder) async -> [UInt8] {
        switch await send(command, as: rights.userId, with: rights, claim: nil) {
        case .result(let response): (try? encoder.encode(response)) ?? SocketAnswer.invalidRequest
        case .error(let error): SocketAnswer.refused(error)
        }
    }
}
