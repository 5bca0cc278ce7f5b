internal import Agent
internal import ChatAPI
internal import Concurrency
internal import Logging
internal import SimpleXCrypto
internal import SQLCipher

/// A command that is being executed. Its extensions implement the commands.
///
/// A command reads and writes through its own ``store``, so that its changes, its answer and its place among the
/// changes belong to the command. A command has no access to the store of the core, which is for the core's own work.
/// Functions that commands and the core call have the store as a parameter.
struct RunningCommand: Sendable {
    private let core: ChatController
    private let context: CommandContext
    private let isByAdministrator: Bool

    init(_ context: CommandContext, of core: ChatController, isByAdministrator: Bool = false) {
        self.context = context
        self.isByAdministrator = isByAdministrator
        self.core = core
    }

    var store: CommandStore { CommandStore(core.store, for: context) }

    /// The request of the command, if it may be repeated.
    var claim: RequestClaim? { context.claim }

    /// Refuses a command for which the store has no room, before the command has any effect.
    /// - Throws: `QuotaExceeded`.
    func checkRoom(for needs: QuotaNeeds) async throws {
        try await core.store.quota.checkRoom(for: needs, core.agent) { try await core.store.read($0) }
    }

    /// Replaces a terminal command by the command with ids that has the same effect.
    func means(_ command: ChatCommand) { context.means(command) }

    /// Records that the answer is stored, although not by ``store``.
    func noteAnswerKept() { context.noteAnswerKept() }

    /// Records that the command changes something outside the database, so that its response is published too.
    func noteChange() { context.note(published: false) }
}

// MARK: Access to the core

extension RunningCommand {
    var configuration: ChatConfiguration { core.configuration }
    var agent: Agent { core.agent }
    var folders: LocalFolders { core.folders }
    var foreignReading: ForeignReading { core.work.reading }
    var objects: FileObjects { core.objects }
    var remoteControl: RemoteControl { core.remoteControl }
    var remoteHosts: RemoteHosts { core.remoteHosts }
    var joinings: CompletionWaiters<Int64> { core.joinings }
    var relayTests: RelayTests { core.relayTests }
    /// The tries of passwords of hidden users. Administrators have a separate count, so that other users cannot lock
    /// them out.
    var viewPasswords: ViewPasswordTries { isByAdministrator ? core.administratorsViewPasswords : core.viewPasswords }

    func withAgent<T: Sendable>(_ body: @Sendable (Agent) async throws -> T) async throws -> T {
        try await core.withAgent(body)
    }

    var isClosed: Bool { core.running.withLock { $0.isClosed } }
    var isRunning: Bool { core.isRunning }
    var isStoreChanged: Bool { core.isStoreChanged }

    func start(receives: Bool) async throws -> Bool { try await core.start(receives: receives) }
    func stop() async { await core.stop() }
    func suspend(microseconds: Int64) async -> ChatResponse { await core.suspend(microseconds: microseconds) }
    func activate() async throws -> ChatResponse { try await core.activate() }

    /// Records that this command joins a connection.
    /// - Returns: false when another command is joining it.
    func beginJoining(_ connectionId: Int64) -> Bool { core.joining.withLock { $0.insert(connectionId).inserted } }
    func endJoining(_ connectionId: Int64) { core.joining.withLock { _ = $0.remove(connectionId) } }

    @discardableResult
    func accept(_ requestId: Int64, incognito: Bool, user: UserRecord) async throws -> ContactRequestRecord {
        try await core.accept(requestId, incognito: incognito, user: user, automatically: false, in: store)
    }

    func noteNetworkInfo(_ info: UserNetworkInfo) { core.networkInformation.withLock { $0 = info } }

    var newServers: [NewServer] { core.newServers() }
    func agentServers(_ new: [NewServer]) async throws -> (relays: [AgentServer], files: [AgentServer]) {
        try await core.agentServers(new, in: store)
    }
    func useServers() async throws { try await core.useServers(in: store) }

    func databaseDiffs() async throws -> (users: DatabaseDiff, connections: DatabaseDiff) {
        try await core.databaseDiffs(in: store)
    }

    var databaseKey: DatabaseKey { core.databaseKey }
    var databasePaths: [String] { core.databasePaths }
    var replacement: StoreReplacement { core.replacement }

    func maintaining<T: Sendable>(_ body: () async throws -> T) async throws -> T { try await core.maintaining(body) }
    func inTurn<T: Sendable>(_ body: () async throws -> T) async throws -> T { try await core.inTurn(body) }
    func copyDatabases(to targets: [String]) async throws { try await core.copyDatabases(to: targets) }
    /// A function that returns whether long work may continue. The result is false while the store is being closed.
    var mayContinue: @Sendable () -> Bool { core.mayContinue }
    func replaceStore(_ what: StoreReplacement.Files, key: DatabaseKey?, leavesObjects: Bool = false) async throws {
        try await core.replaceStore(what, key: key, leavesObjects: leavesObjects)
    }

    func withDatabase<T: Sendable>(
        _ path: String,
        key: DatabaseKey,
        _ name: (SQLiteError) -> ChatDatabaseError,
        _ body: (Database) async throws -> T
    ) async throws -> T {
        try await core.withDatabase(path, key: key, name, body)
    }
}
