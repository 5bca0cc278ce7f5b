internal import ChatAPI
internal import SimpleXCrypto

/// The states of a chat and its databases, and the functions with which commands change these states.
/// ``ChatController`` conforms to this protocol.
protocol StoreLifecycle: AnyObject, Sendable {
    var isClosed: Bool { get }
    /// Whether the chat is started. A started chat sends and receives messages, unless it is suspended.
    var isRunning: Bool { get }
    /// Whether events of the network are handled: while the chat is running, and already during its start.
    var isOnline: Bool { get }
    /// Whether the chat is suspended, or its suspension has begun. A suspended chat starts nothing new until it is
    /// activated.
    var isSuspending: Bool { get }

    /// Whether the profiles are migrating from or to another device. The chat does not start during a migration.
    var isMigrating: Bool { get async throws }

    /// Starts the chat, and returns whether this call has started the chat.
    func start(receives: Bool) async throws -> Bool
    func stop() async
    func suspend(microseconds: Int64) async -> ChatResponse
    func activate() async throws -> ChatResponse

    /// Whether the databases were closed for a replacement.
    var isStoreChanged: Bool { get }
    /// The current key of the databases.
    var databaseKey: DatabaseKey { get }

    /// Runs `body` while the chat is stopped and no other operation uses the databases.
    /// - Throws: `chatNotStopped`.
    func runMaintenance<T: Sendable>(_ body: () async throws -> T) async throws -> T
    /// Runs `body` while no maintenance of the databases runs. The chat may run.
    func runOutsideMaintenance<T: Sendable>(_ body: () async throws -> T) async throws -> T
    /// Copies both databases with their state at one moment, even while they are in use.
    func copyDatabases(to targets: [String]) async throws
    /// Closes the databases, and replaces them with the prepared databases.
    func replaceStore(_ treatment: FileTreatment, key: DatabaseKey?, leavesObjects: Bool) async throws
}

/// The treatment of the files of messages when the databases are replaced.
enum FileTreatment: String {
    /// Existing files are kept, and the files in the replacement's folder are added to the existing files.
    case kept = "added"
    /// The files are deleted.
    case removed
}
