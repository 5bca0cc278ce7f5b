public import ChatAPI
public import ChatCore
internal import JSON

/// What the gateway needs of the core.
public protocol GatewayCore: Sendable {
    /// The databases are open and the chat runs.
    var isReady: Bool { get }
    var eventSource: any EventSource { get }
    /// What was said of the network last.
    var networkInfo: UserNetworkInfo { get }
    /// Whether the databases are encrypted; false while none are open.
    var isEncrypted: Bool { get }
    /// Another number after anything has changed that commands read.
    var revision: UInt64 { get }
    /// Runs a command, for a user when one is named, else for the active one, if the rights allow it; of a claimed request the answer is kept.
    func send(_ command: ChatCommand, as userId: Int64?, with rights: CommandRights, claim: RequestClaim?) async -> APIResult<ChatResponse>
    /// What is known of a request with an idempotency key.
    func storedRequest(_ key: [UInt8]) async throws -> StoredRequest?
    /// The handler is called for every change, in order, and must not block.
    func onChange(_ handler: @escaping @Sendable (ChatChange) -> Void)
    /// Runs a command that reads at its place among the changes: its answer is told as one, with `origin`.
    func read(_ command: ChatCommand, as userId: Int64?, with rights: CommandRights, origin: UInt64) async -> APIResult<ChatResponse>
}

/// The durable journal of events, seen from here.
public protocol EventSource: Sendable {
    var epoch: String { get }
    /// The number of the oldest entry kept; `latest + 1` when there is none.
    var oldest: UInt64 { get }
    var latest: UInt64 { get }
    /// Users whose events are only for keys that are bound to them.
    var unseenUsers: Set<Int64> { get }
    /// Up to `limit` entries with greater numbers than `seq`, in order. None also when those up to `latest` are gone: a reader goes on from what was
    /// `latest` before it asked.
    func entries(after seq: UInt64, limit: Int) async throws -> [Event]
    /// The handler is called after each commit, in order, once for each entry, and must not block.
    func onPublish(_ handler: @escaping @Sendable ([Event]) -> Void)
    /// The handler is called when this has become the journal of another store, or of the same one opened anew.
    func onReplaced(_ handler: @escaping @Sendable () -> Void)
}

extension EventSource {
    public var unseenUsers: Set<Int64> { [] }
    public func onReplaced(_ handler: @escaping @Sendable () -> Void) {}
}

/// An entry of the journal.
public struct Event: Sendable, Hashable {
    public let seq: UInt64
    /// ISO 8601, UTC.
    public let time: String
    public let userId: Int64?
    /// Whose keys get it.
    public let audience: EventAudience
    /// The event's own JSON object.
    public let json: [UInt8]

    /// - Parameter audience: nil for the keys of the user, or of everybody where there is none.
    public init(seq: UInt64, time: String, userId: Int64?, audience: EventAudience? = nil, json: [UInt8]) {
        self.seq = seq
        self.time = time
        self.userId = userId
        self.audience = audience ?? userId.map(EventAudience.user) ?? .everybody
        self.json = json
    }
}

extension GatewayCore {
    /// Runs a command in the text form of the core, for the user to whom the rights are bound, else for the active one.
    /// - Returns: the JSON of the response; a refused command is `chatCmdError`, as the terminal client tells it.
    func execute(text: String, with rights: CommandRights) async -> [UInt8] {
        let result: APIResult<ChatResponse>
        do throws(CommandParseError) {
            result = await send(try ChatCommand(parsing: text), as: rights.userId, with: rights, claim: nil)
        } catch {
            result = .error(error.chatError)
        }
        switch result {
        case .result(let response):
            return (try? JSONEncoder().encode(response)) ?? SocketAnswer.invalidRequest
        case .error(let error):
            let json = (try? JSONEncoder().encodeValue(error)) ?? .null
            return JSONValue.object(JSONObject([("type", "chatCmdError"), ("chatError", json)])).encoded()
        }
    }
}
