internal import Agent
package import ChatAPI
internal import ChatProtocol
package import ChatStore
package import Concurrency
package import Files
package import ForeignData
package import SimpleXCrypto
package import SMP
package import SQLCipher

/// The settings for opening the core.
package struct ChatConfiguration: Sendable {
    /// The folder of the databases, which must exist.
    package var dataDirectory: String
    /// The common beginning of the paths of the databases, without `_chat.db` and `_agent.db`: `simplex_v1` in
    /// `dataDirectory`.
    package var databasePrefix: String
    /// The key of both databases.
    package var databaseKey: DatabaseKey
    /// The storage of the key for the next start. A command that changes the key writes to this storage.
    package var keyring: any DatabaseKeyring = NoKeyring()
    /// Whether databases of an older version are migrated to the schema of this version; otherwise they are refused.
    package var upgradesSchema = true
    /// The handling of missing databases.
    package var missingDatabasePolicy = MissingDatabasePolicy.create
    /// Whether the databases are a copy that is opened for the first time.
    package var isCopy = false
    /// The check before each write to the databases; nil if no other process can take over the databases.
    package var writeFence: WriteFence?
    /// The pool that limits how many stores have their databases open; nil for no limit.
    package var openPool: OpenPool?
    /// The id of the store in log lines; nil to leave it out.
    package var storeID: String?
    /// A function that is called when the sessions with a relay are lost. Its arguments are the relay, the number of
    /// queues, and the number of messages that wait for the relay. If the function is set, no log line reports the
    /// loss.
    package var onRelayLost: (@Sendable (_ relay: String, _ queues: Int, _ messages: Int) -> Void)?
    /// A function that gets the steps of messages, such as encryption, for traces; nil when messages are not traced.
    /// The function is called after the commit of a step, must be quick, and must not wait.
    package var onMessageSteps: MessageStepReport.Handler?
    /// The configured relays and file servers. New profiles get these servers if `serverPresets` contains no servers. A
    /// profile without a server for new queues or files uses these servers too.
    package var defaultServers: [ProtocolServer]
    package var serverPresets = ServerPresets.relay
    /// Whether new profiles with the servers of the public network get contact cards of its operators.
    package var addsContactCards = false
    /// The notification servers at which the token of a device can be registered; nil for the notification servers of
    /// ``serverPresets``.
    package var notificationServers: [ProtocolServer]?
    /// Settings of connections to relays. `networkConfig` does not include these settings.
    package var clientConfiguration = SMPClientConfiguration()
    /// The network settings that are used until a client sets other settings.
    package var networkConfig = NetworkConfig.standard
    /// Whether an event is emitted when a session with a relay begins or ends.
    package var emitsHostSessionEvents = false
    /// Whether the names of received and forwarded files get a random part on the disk. A client with access to a part
    /// of the store then learns no names of other files. If false, a file whose name is in use gets a number in its
    /// name, as in the original.
    package var hidesFileNames = false
    /// The interval at which the logs of the databases are written back into the database files.
    package var logWriteBackInterval: Duration = .seconds(600)
    /// The maximum number of unanswered requests to one address. Further requests are dropped.
    package var maxContactRequests = 1_000
    /// The address at which the phones controlled by this machine connect.
    package var remoteHostAddress = "0.0.0.0"
    /// The limits of the work that relays of channels accept.
    package var channelRelayLimits = ChannelRelayLimits()
    /// The interval at which a relay checks whether the links of its channels still name the relay.
    package var relayCheckInterval: Duration = .seconds(900)
    /// The limits of the event journal.
    package var journalRetention: JournalRetention
    /// The limits of the store.
    package var storeLimits = StoreLimits()
    /// The program that reads the databases in archives.
    package var readerProgram = ReaderProgram.installedProgram
    /// The object storage for unused files; nil if all files stay on the disk.
    package var objectSettings: ObjectSettings?
    /// The longest time for which a migration from or to another device may make no progress.
    package var migrationTimeout = Duration.seconds(600)
    /// The time after which the running statements of the databases are ended when the core closes.
    var statementTimeout = Duration.seconds(5)
    var outboxHooks = OutboxHooks()
    /// The time for which the test of a chat relay waits for the answer.
    var relayTestTimeout = Duration.seconds(40)
    var agentCommitDelays = CommitDelays()
    /// The longest time for which results of sent messages wait to join another commit. Until this commit, the results
    /// are not visible, and the agent keeps its record of the messages.
    var maxSendResultDelay = Duration.milliseconds(50)
    /// The keys that verify badges.
    var badgeKeys = BadgeKeys.publicNetwork
    /// The clock for scheduled messages and broadcasts.
    var plannedMessageClock: @Sendable () -> Timestamp = { .now }

    package init(
        dataDirectory: String,
        databaseKey: DatabaseKey,
        servers: [ProtocolServer],
        journalRetention: JournalRetention = JournalRetention()
    ) {
        self.dataDirectory = dataDirectory
        databasePrefix = dataDirectory + "/simplex_v1"
        self.databaseKey = databaseKey
        self.defaultServers = servers
        self.journalRetention = journalRetention
    }

    /// The handling of missing databases. An empty file counts as missing, since a full disk or a power failure may
    /// leave an empty file.
    package enum MissingDatabasePolicy: Sendable {
        case create
        /// Missing databases are created if the mark ``emptyStoreMarkPath(prefix:)`` exists. Otherwise they count as
        /// lost.
        case createIfEmptied
        /// Missing databases count as lost, since a new database would accept any key.
        case refuse
    }

    /// Returns the path of an empty file that marks a store as intentionally without databases.
    package static func emptyStoreMarkPath(prefix: String) -> String { prefix + "_empty" }
}

/// The reason why the core cannot be opened.
package enum ChatOpenError: StorageError {
    /// The database exists, but has another key. Nothing was changed.
    case wrongKey(database: String)
    /// The database cannot be opened, or cannot be migrated to the current schema.
    case database(DatabaseError)
    /// A database is lost: the file at the path, or both databases if the path is a folder. No new database is created.
    case databaseLost(path: String)
    /// The databases are a copy that cannot be taken over. Nothing was changed.
    case unusableCopy(String)
    case otherError(String)

    package var isStorageFull: Bool { if case .database(let error) = self { error.isStorageFull } else { false } }
    package var isOverload: Bool { if case .database(let error) = self { error.isOverload } else { false } }
}

extension ChatOpenError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .wrongKey(let database): "the key does not open \(database)"
        case .database(let error): "a database cannot be opened: \(error)"
        case .databaseLost(let path): "databases are missing: \(path)"
        case .unusableCopy(let reason): "the copy cannot be used: \(reason)"
        case .otherError(let reason): reason
        }
    }
}
