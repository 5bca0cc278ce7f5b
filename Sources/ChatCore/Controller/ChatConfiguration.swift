public import SMP
public import SQLCipher

/// How the core is opened.
public struct ChatConfiguration: Sendable {
    /// The folder of the databases `simplex_v1_chat.db` and `simplex_v1_agent.db`; it must exist.
    public var dataDirectory: String
    /// The key of both databases.
    public var databaseKey: DatabaseKey
    /// The relays on which new queues are made.
    public var servers: [ProtocolServer]
    /// How relays are talked to.
    public var network = SMPClientConfiguration()
    /// When messages to relays that are not the user's own go through one that is.
    public var proxy = ProxyPolicy()
    /// How much of the event journal is kept.
    public var journalRetention: JournalRetention

    public init(
        dataDirectory: String, databaseKey: DatabaseKey, servers: [ProtocolServer], journalRetention: JournalRetention = JournalRetention()
    ) {
        self.dataDirectory = dataDirectory
        self.databaseKey = databaseKey
        self.servers = servers
        self.journalRetention = journalRetention
    }
}

/// Why the core cannot be opened.
public enum ChatOpenError: Error, Sendable {
    /// The database exists, and the key is not its key. Nothing was changed.
    case wrongKey(database: String)
    /// The database cannot be opened, or brought to the present schema.
    case database(DatabaseError)
    case other(String)
}
