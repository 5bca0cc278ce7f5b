internal import ChatAPI
internal import ChatCore
internal import ChatStore
internal import JSON

/// The functions that the gateway needs of every core. A core carries out chat commands: on this machine, or on a
/// connected phone.
protocol GatewayCore: Sendable {
    /// The controller of the databases, which has all functions of a local core. Nil for a connected phone, and while
    /// the databases do not accept commands.
    var controller: ChatController? { get }
    var status: CoreStatus { get }
    /// Whether the databases of this gateway are encrypted; false while the databases are not open.
    var areDatabasesEncrypted: Bool { get }
    /// A number that changes whenever the results of reading commands may have changed.
    var revision: UInt64 { get }
    var eventSource: any EventSource { get }
    /// Adds a handler that is called for every change, in order. The handler must not block.
    func onChange(_ handler: @escaping @Sendable (ChatChange) -> Void)
    /// Runs a command, if the rights permit it. The command runs as the given user, or as the active user if `userId`
    /// is nil. If the request has an idempotency key (`claim`), the answer is stored.
    func runCommand(
        _ command: ChatCommand,
        as userId: Int64?,
        with rights: CommandRights,
        claim: RequestClaim?
    ) async -> APIResult<ChatResponse>
    /// Returns the response to the command `reading`, which reads a resource that clients can change in part.
    func readResource(
        _ reading: ChatCommand,
        as userId: Int64?,
        with rights: CommandRights
    ) async -> APIResult<ChatResponse>
    /// Runs commands that change a resource: all of them, or none.
    /// - Parameter isExpected: returns whether the stored resource has the state that the caller expects.
    /// - Returns: the changed resource; nil if the resource has another state than expected, so that nothing was
    ///   changed.
    func changeResource(
        _ commands: [ChatCommand],
        of reading: ChatCommand,
        if isExpected: @escaping @Sendable (ChatResponse) -> Bool,
        as userId: Int64?,
        with rights: CommandRights
    ) async -> APIResult<ChatResponse?>
    /// Runs a command that replaces a resource.
    /// - Parameter isExpected: returns whether the stored resource has the state that the caller expects.
    /// - Returns: the answer to the command; nil if the resource has another state than expected, so that nothing was
    ///   changed.
    func replaceResource(
        by command: ChatCommand,
        of reading: ChatCommand,
        if isExpected: @escaping @Sendable (ChatResponse) -> Bool,
        as userId: Int64?,
        with rights: CommandRights
    ) async -> APIResult<ChatResponse?>
    /// Runs a command that reads. Its response is also passed to the change handlers, with `origin`, at its place in
    /// the order of the changes.
    func runOrderedRead(
        _ command: ChatCommand,
        as userId: Int64?,
        with rights: CommandRights,
        origin: UInt64
    ) async -> APIResult<ChatResponse>
    /// Returns the stored state of a request with an idempotency key.
    func findStoredRequest(_ key: [UInt8]) async throws -> StoredRequest?
    /// Sets the function that returns the rights of an API key when a scheduled message or a broadcast is sent.
    func setPlannedRightsLookup(_ lookUp: @escaping @Sendable (String) -> PlannedRights)
}

/// The work that a core can do now: answer commands, and send and receive messages.
enum CoreStatus: Sendable {
    /// The databases are not open, or commands are refused.
    case closed
    /// Commands are answered, but no messages are sent or received.
    case stopped
    /// Commands are answered, and messages are sent and received.
    case running

    init(_ controller: ChatController) {
        self = !controller.isReady ? .closed : controller.isRunning ? .running : .stopped
    }
}

extension GatewayCore {
    /// Runs a command as the user to whom the rights are bound. If the rights are bound to no user, runs the command as
    /// the active user.
    /// - Returns: the response or the error, as JSON for the protocol of the terminal client.
    func executeToJSON(_ command: ChatCommand, with rights: CommandRights, _ encoder: JSONEncoder) async -> [UInt8] {
        switch await runCommand(command, as: rights.userId, with: rights, claim: nil) {
        case .result(let response): (try? encoder.encode(response)) ?? SocketAnswer.invalidRequestAnswer
        case .error(let error): SocketAnswer.encodeRefusal(error)
        }
    }
}
