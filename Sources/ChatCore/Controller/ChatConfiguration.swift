internal import Agent
public import ChatAPI
public import Files
public import ForeignData
public import SimpleXCrypto
public import SMP
public import SQLCipher

/// How the core is opened.
public struct ChatConfiguration: Sendable {
    /// The folder of the databases; it must exist.
    public var dataDirectory: String
    /// What the paths of the databases begin with; `_chat.db` and `_agent.db` follow. In `dataDirectory` it is `simplex_v1`.
    public var databasePrefix: String
    /// The key of both databases.
    public var databaseKey: DatabaseKey
    /// Where that key is kept, so that it can be changed.
    public var keyring: any DatabaseKeyring = NoKeyring()
    /// Whether databases of an older version are brought to this one's schema, or refused.
    public var upgradesSchema = true
    /// Which databases are made where there are none.
    public var makesDatabases = MissingDatabases.made
    /// Whether the databases are a copy that is opened for the first time.
    public var isCopy = false
    /// What each write to the databases has to pass, where another process may take them over; nil where none can.
    public var fence: WriteFence?
    /// The relays on which new queues are made and to which files are uploaded, until somebody sets others, and unless there are presets.
    public var servers: [ProtocolServer]
    public var serverPresets = ServerPresets.relay
    /// Where the token of a device is registered, at one of them; nil for those that go with the presets.
    public var notificationServers: [ProtocolServer]?
    /// How relays are talked to, in what `networkConfig` has no names for.
    public var network = SMPClientConfiguration()
    /// How the network is used until somebody sets it otherwise.
    public var networkConfig = NetworkConfig.standard
    /// Whether events report the hosts of sessions.
    public var emitsHosts = false
    /// How often the databases' logs are moved into their files.
    public var writeBackInterval: Duration = .seconds(600)
    /// How many requests to an address wait for an answer at most; more are dropped.
    public var maxContactRequests = 1_000
    /// The address at which phones connect that this machine controls.
    public var remoteHostAddress = "0.0.0.0"
    /// How much relays of channels take on.
    public var channelRelay = ChannelRelayLimits()
    /// How often relays look whether the links of their channels name them.
    public var relayCheckInterval: Duration = .seconds(900)
    /// How much of the event journal is kept.
    public var journalRetention: JournalRetention
    /// How much the store may hold.
    public var limits = StoreLimits()
    /// Which program reads the databases in archives.
    public var reader = ReaderProgram.beside
    /// Where files go that nobody uses; nil where all stay on the disk.
    public var objects: ObjectSettings?
    /// How long an end waits for statements of the databases.
    var statementPatience = Duration.seconds(5)
    var outboxHooks = OutboxHooks()
    /// How long a chat relay that is tested has to answer.
    var relayTestPatience = Duration.seconds(40)
    var agentCommitDelays = CommitDelays()
    /// How long the news that messages were sent, or have arrived, waits for another commit, and is not visible. Until it is committed the agent
    /// keeps its own record.
    var statusDelay = Duration.milliseconds(50)

    public init(
        dataDirectory: String, databaseKey: DatabaseKey, servers: [ProtocolServer], journalRetention: JournalRetention = JournalRetention()
    ) {
        self.dataDirectory = dataDirectory
        databasePrefix = dataDirectory + "/simplex_v1"
        self.databaseKey = databaseKey
        self.servers = servers
        self.journalRetention = journalRetention
    }

    /// What happens where there are no databases. A file of no bytes is as none: it is what a disk has left that was full, or lost its power.
    public enum MissingDatabases: Sendable {
        case made
        /// They are made where the mark ``emptyMark(prefix:)`` says that there are to be none. Else they are lost.
        case madeIfEmptied
        /// They are lost: any key would be the right one.
        case lost
    }

    /// The path of an empty file. Where it is there are no databases, and there are to be none.
    public static func emptyMark(prefix: String) -> String { prefix + "_empty" }
}

/// Why the core cannot be opened.
public enum ChatOpenError: StorageError {
    /// The database exists, and the key is not its key. Nothing was changed.
    case wrongKey(database: String)
    /// The database cannot be opened, or brought to the present schema.
    case database(DatabaseError)
    /// A database that was there is not any more: at the path, or both of a folder. Nothing is made in its place.
    case lost(path: String)
    /// The databases came as a copy, and cannot be taken over. Nothing was changed.
    case copy(String)
    case other(String)

    public var isFull: Bool { if case .database(let error) = self { error.isFull } else { false } }
}

extension ChatOpenError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .wrongKey(let database): "the key does not open \(database)"
        case .database(let error): "a database cannot be opened: \(error)"
        case .lost(let path): "databases are not there any more: \(path)"
        case .copy(let reason): "the copy cannot be used: \(reason)"
        case .other(let reason): reason
        }
    }
}
