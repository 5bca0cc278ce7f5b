internal import Agent
internal import ChatAPI
internal import ChatStore
internal import Concurrency
internal import Logging
internal import NIOCore
import Synchronization

/// The parts of the engine that commands and handlers of received events share.
///
/// The chat database is not one of these parts: a command writes only through its own ``CommandStore``, and a handler
/// of received events only through its own ``EventHandlerStore``. A function that commands and handlers use is an
/// extension of this type, and has a parameter for the store. Some services, such as ``RemoteDesktop``, have a
/// ``ChatStore`` for their own records. Commands do not use the ``ChatStore`` of a service.
final class CoreServices: Sendable {
    let configuration: ChatConfiguration
    let storeWork: StoreWork
    let agent: Agent
    let outbox: Outbox
    /// The folders for files.
    let folders: LocalFolders
    /// Access to files that may be in the object storage.
    let fileObjects: FileObjects
    let uploadsUnderway = UploadsUnderway()
    let verifiedFiles = VerifiedFiles()
    let remoteDesktop: RemoteDesktop
    let remoteHosts: RemoteHosts
    let logger: Logger
    /// The ids of the connections that a command is joining.
    let joiningConnectionIds = Mutex<Set<Int64>>([])
    /// The addresses and group links that were reported as full. A full address or link drops new requests. A full
    /// address of a chat relay gives up old undelivered answers instead. An address or link is reported again only
    /// after it had space.
    let overloadedAddressIDs = Mutex<Set<ConnectionID>>([])
    /// Commands that have accepted a contact request, and wait until the agent reports whether it has joined the
    /// connection. The keys are the ids of the requests.
    let joinWaiters = CompletionWaiters<Int64>()
    let relayTestRegistry = RelayTestRegistry()
    /// The lock for starts and stops of the chat, and for operations that close the databases. They run one after
    /// another.
    let lifecycleLock = AsyncLock()
    /// The lock under which lists of servers are passed to the agent one after another.
    let serversLock = AsyncLock()
    let viewPasswordTries = ViewPasswordTries(), administratorsViewPasswordTries = ViewPasswordTries()
    let networkInformation = Mutex(UserNetworkInfo.assumedOnline)

    init(
        configuration: ChatConfiguration,
        work: StoreWork,
        agent: Agent,
        outbox: Outbox,
        folders: LocalFolders,
        objects: FileObjects,
        store: ChatStore,
        group: any EventLoopGroup,
        logger: Logger
    ) {
        self.configuration = configuration
        self.storeWork = work
        self.agent = agent
        self.outbox = outbox
        self.folders = folders
        self.fileObjects = objects
        self.logger = logger
        remoteDesktop = RemoteDesktop(
            store: store,
            folders: folders,
            permits: configuration.clientConfiguration.transport.addressRule,
            group: group,
            logger: logger
        )
        remoteHosts = RemoteHosts(
            store: store,
            folders: folders,
            address: configuration.remoteHostAddress,
            group: group,
            logger: logger
        )
    }

    /// Runs an operation of the agent, and converts errors of the agent to chat errors.
    func withAgent<T: Sendable>(_ body: @Sendable (Agent) async throws -> T) async throws -> T {
        do {
            return try await body(agent)
        } catch let error as AgentError {
            throw ChatFailure(ChatError.agentError(error.apiError))
        }
    }

    /// A function that returns whether long work may continue; false while the store is being closed.
    var mayContinue: @Sendable () -> Bool { { [statements = storeWork.statements] in !statements.isOver } }

    /// Marks a connection as one that a command is joining.
    /// - Returns: false when another command is already joining this connection.
    func beginJoining(_ connectionId: Int64) -> Bool {
        joiningConnectionIds.withLock { $0.insert(connectionId).inserted }
    }
    func endJoining(_ connectionId: Int64) { joiningConnectionIds.withLock { _ = $0.remove(connectionId) } }
}
