internal import Agent
public import ChatAPI
public import Files
public import ForeignData
public import SimpleXCrypto
public import SMP
public import SQLCipher

/// The settings for opening the core.
public struct ChatConfiguration: Sendable {
    /// The folder of the databases; it must exist.
    public var dataDirectory: String
    /// The common prefix of the databases' paths, to which `_chat.db` and `_agent.db` are appended: `simplex_v1` in
    /// `dataDirectory`.
    public var databasePrefix: String
    /// The key of both databases.
    public var databaseKey: DatabaseKey
    /// The storage of the key, so that the key can be changed.
    public var keyring: any DatabaseKeyring = NoKeyring()
    /// Whether databases of an older version are migrated to this version's schema, or refused.
    public var upgradesSchema = true
    /// The handling of missing databases.
    public var makesDatabases = MissingDatabasePolicy.made
    /// Whether the databases are a copy that is opened for the first time.
    public var isCopy = false
    /// The check before each write to the databases, if another process may take them over; nil otherwise.
    public var fence: WriteFence?
    /// The relays for new queues and uploaded files, unless a user sets others or there are presets.
    public var servers: [ProtocolServer]
    public var serverPresets = ServerPresets.relay
    /// The servers at which the token of a device can be registered; nil for those of the presets.
    public var notificationServers: [ProtocolServer]?
    /// Settings for connections to relays that `networkConfig` does not include.
    public var network = SMPClientConfiguration()
    /// The network settings until a client sets others.
    public var networkConfig = NetworkConfig.standard
    /// Whether events report the hosts of sessions.
    public var emitsHosts = false
    /// The interval at which the databases' logs are written back into their files.
    public var writeBackInterval: Duration = .seconds(600)
    /// The maximum number of requests to an address that wait for an answer; further requests are dropped.
    public var maxContactRequests = 1_000
    /// The address at which the phones controlled by this machine connect.
    public var remoteHostAddress = "0.0.0.0"
    /// The limits of the work that relays of channels accept.
    public var channelRelay = ChannelRelayLimits()
    /// The interval at which relays check whether the links of their channels name them.
    public var relayCheckInterval: Duration = .seconds(900)
    /// The limits of the event journal.
    public var journalRetention: JournalRetention
    /// The limits of the store.
    public var limits = StoreLimits()
    /// The program that reads the databases in archives.
    public var reader = ReaderProgram.beside
    /// The object storage for unused files; nil if all files stay on the disk.
    public var objects: ObjectSettings?
    /// The time for which closing waits for running statements of the databases.
    var statementPatience = Duration.seconds(5)
    var outboxHooks = OutboxHooks()
    /// The limit for the answer of a chat relay that is tested.
    var relayTestPatience = Duration.seconds(40)
    var agentCommitDelays = CommitDelays()
    /// The time for which results of sent messages wait to join another commit. They are not visible before it, and the
    /// agent keeps its own record until it.
    var statusDelay = Duration.milliseconds(50)

    public init(
        dataDirectory: String,
        databaseKey: DatabaseKey,
        servers: [ProtocolServer],
        journalRetention: JournalRetention = JournalRetention()
    ) {
        self.dataDirectory = dataDirectory
        databasePrefix = dataDirectory + "/simplex_v1"
        self.databaseKey = databaseKey
        self.servers = servers
        self.journalRetention = journalRetention
    }

    /// The handling of missing databases. An empty file counts as missing: a full disk or a power failure may leave
    /// one.
    public enum MissingDatabasePolicy: Sendable {
        case made
        /// They are created if the mark ``emptyMark(prefix:)`` says that there are no databases on purpose. Otherwise
        /// they count as lost.
        case madeIfEmptied
        /// They count as lost: a new database would accept any key.
        case lost
    }

    /// The path of an empty file that marks a store without databases on purpose.
    public static func emptyMark(prefix: String) -> String { prefix + "_empty" }
}

/// The reason why the core cannot be opened.
public enum ChatOpenError: StorageError {
    /// The database exists, and the key is not its key. Nothing was changed.
    case wrongKey(database: String)
    /// The database cannot be opened, or migrated to the current schema.
    case database(DatabaseError)
    /// A database that existed is missing: the one at the path, or both of a folder. No new one is created.
    case lost(path: String)
    /// The databases are a copy that cannot be taken over. Nothing was changed.
    case copy(String)
    case other(String)

    public var isFull: Bool { if case .database(let error) = self { error.isFull } else { false } }
}

extension ChatOpenError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .wrongKey(let database): "the key does not open \(database)"
        case .database(let error): "a database cannot be opened: \(error)"
        case .lost(let path): "databases are missing: \(path)"
        case .copy(let reason): "the copy cannot be used: \(reason)"
        case .other(let reason): reason
        }
    }
}
