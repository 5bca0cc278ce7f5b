package import Concurrency
package import Files
package import SimpleXCrypto
package import SMP

/// Paths, limits and timing of an agent.
package struct AgentConfiguration: Sendable {
    /// Path of `simplex_v1_agent.db`.
    package var databasePath: String
    package var databaseKey: DatabaseKey
    /// Whether a database of an older version is upgraded to the schema of this version. Otherwise the agent refuses
    /// such a database.
    package var upgradesSchema = true
    /// The fence that refuses writes after another process has taken over the store; nil for no fence.
    package var writeFence: WriteFence?
    /// The agent's place in the pool that limits the number of open databases; nil for no limit.
    package var poolMember: OpenPool.PoolMember?
    /// The id of the agent's store in log lines; nil to leave it out.
    package var storeID: String?
    /// A function that reports the loss of the sessions with a relay; nil to log the loss instead. Its parameters are
    /// the relay, the number of queues, and the number of messages that wait for the relay.
    package var onRelayLost: (@Sendable (_ relay: String, _ queues: Int, _ messages: Int) -> Void)?
    package var clientConfiguration = SMPClientConfiguration()
    /// Policy that decides when messages go to the recipient's relay through a forwarding relay.
    package var proxyPolicy = ProxyPolicy()
    /// Notification servers. The token of the device is registered at one of these servers.
    package var notificationServers: [ProtocolServer] = []
    /// Preset relays. A short link to a preset relay contains only the first host of the relay.
    package var presetRelays: [ProtocolServer] = []
    /// Delays between attempts to send a message to a relay that cannot be reached.
    package var sendRetry = Backoff.makeRetryBackoff(.milliseconds(500), limit: .seconds(60))
    /// Delays between attempts to send to a full queue. An attempt is made earlier when the peer reports that the queue
    /// has space again (A_QCONT).
    package var quotaRetry = Backoff.makeRetryBackoff(.seconds(10), limit: .seconds(3_600))
    /// Seconds after which the agent gives up a message that could not be sent.
    package var messageTimeoutSeconds: Int64 = 2 * 86_400
    /// Seconds after which the agent gives up a message to a full queue.
    package var quotaTimeoutSeconds: Int64 = 7 * 86_400
    /// Seconds after which a message that no relay has accepted counts as late. The agent logs late messages.
    package var lateMessageAgeSeconds: Int64 = 60
    /// Seconds after which the agent gives up the deletion of queues at an unreachable relay. The queues of deleted
    /// connections then stay on the relay.
    package var deletionTimeoutSeconds: Int64 = 2 * 86_400
    /// A function that returns the folders of the store. A path of a file in the database is valid only beneath these
    /// folders, or with a valid seal (``StoredPath/seal``). By default there are no folders.
    package var fileRoots: @Sendable () -> FileRoots
    /// Folder for files during their transfer. It must contain nothing else.
    package var filesFolder: String
    /// Seconds after which the agent gives up a file that it could not send. The original's servers keep a file for two
    /// days, so a longer time would be useless.
    package var sentFileTimeoutSeconds: Int64 = 86_400
    package var receivedFileTimeoutSeconds: Int64 = 2 * 86_400
    /// Delays before an event is delivered again. They apply if the process has ended during at least two deliveries of
    /// the event. If another cause kills the process soon after each start, it does so during the delay, and no
    /// delivery is counted.
    package var redeliveryBackoff = Backoff(initial: .seconds(2), factor: 3, limit: .seconds(60))
    /// Delays of commits that no caller waits for.
    package var commitDelays = CommitDelays()

    /// Interval between deletions of old data. Each start also deletes old data.
    var oldDataDeletionInterval = Duration.seconds(86_400)
    /// Mode of new queues. The sender secures a `.messaging` queue (the fast procedure). The owner secures any other
    /// queue (KEY and HELLO).
    var queueMode = QueueMode.messaging
    /// A function that runs before the outbox reads messages. Tests use it to inject failures.
    var willReadOutbox: @Sendable () throws -> Void = {}

    package init(databasePath: String, databaseKey: DatabaseKey) {
        self.databasePath = databasePath
        self.databaseKey = databaseKey
        filesFolder = databasePath + "_files"
        fileRoots = { FileRoots(files: "") }
    }
}

extension Backoff {
    /// Makes a backoff whose delay grows by half each time. Each delay is up to a quarter longer at random.
    static func makeRetryBackoff(_ initial: Duration, limit: Duration) -> Backoff {
        Backoff(initial: initial, factor: 1.5, limit: limit, jitter: 1...1.25)
    }
}

/// Versions of the protocols that this agent supports (agent-protocol.md).
enum AgentVersions {
    /// Supported versions of the agent protocol. Version 2 has the duplex handshake. Since version 6, the sender
    /// secures the queue. Since version 7, the ratchet begins with the confirmation.
    static let supported = ProtocolVersionRange(SMPVersion(2), SMPVersion(7))
    /// Supported versions of SMP client messages. Versions 3 and 4 include the queue mode.
    static let supportedClientVersions = ProtocolVersionRange(SMPVersion(1), SMPVersion(4))
    /// The first version in which a ratchet can be renegotiated.
    static let firstWithRatchetSync: UInt16 = 3
    /// The first version in which messages have receipts.
    static let firstWithReceipts: UInt16 = 4
    /// The first version in which the ratchet begins with the confirmation. If each sender also secures its queue
    /// itself, the agents exchange no HELLO.
    static let firstWithRatchetOnConfirmation: UInt16 = 7
}
