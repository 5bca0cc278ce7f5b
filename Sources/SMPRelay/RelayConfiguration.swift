import Descriptors
public import SMP
public import SimpleXCrypto

/// The configuration of a relay.
public struct RelayConfiguration: Sendable {
    /// Folder of the identity (`ca.key`, `ca.crt`, `server.key`, `server.crt`, `fingerprint`) and of the log. Created
    /// if missing.
    public var directory: String
    /// The IP address or name to listen on.
    public var host: String
    /// The port to listen on; 0 for any free port.
    public var port: Int
    /// The host in the relay's address, when clients reach it by another name than ``host``.
    public var publicHost: String?
    /// The versions offered to clients that name the protocol in TLS (ALPN).
    public var versions = SupportedVersions.relay
    /// The password needed to create queues; nil when none is needed.
    public var createPassword: String?
    /// The port on which statistics are served as plain HTTP in the text form of Prometheus; nil for no statistics, 0
    /// for any free port.
    public var metricsPort: Int?
    public var metricsHost = "127.0.0.1"
    /// Whether clients may send to other relays through this one. They need the password for creating queues, if there
    /// is one.
    public var allowsProxying = true
    /// Maximal number of relays with a session for forwarding. Beyond it, the least recently used session is ended.
    public var maxProxiedRelays = 512
    /// Messages that a queue holds at most.
    public var queueQuota = 128
    /// Maximal total size of message bodies in bytes (they are also in memory); SEND is refused with ERR STORE beyond
    /// it.
    public var maxMessageBytes = 1 << 30
    /// Queues that the relay has at most; NEW is refused with ERR STORE when there are as many. A queue takes about 500
    /// bytes of memory and of the log.
    public var maxQueues = 1_000_000
    /// Maximal total size of link data in bytes (they are also in memory); NEW and LSET that exceed it are refused with
    /// ERR STORE. The data of one link has at most 16 KB, that of a contact address without a picture a few hundred
    /// bytes.
    public var maxLinkBytes = 256 << 20
    /// Seconds after which a message that was not received is dropped.
    public var messageTTL: Int64 = 21 * 86400
    /// Seconds between searches of all queues for expired messages.
    public var expiryInterval: Int64 = 3600
    /// Seconds of silence after which a session without subscriptions is ended.
    public var idleTimeout: Int64 = 6 * 3600
    /// Time limit in seconds for the handshake of TLS, and again for the handshake of SMP.
    public var handshakeTimeout: Int64 = 30
    /// Seconds until the first byte of a new connection.
    public var firstByteTimeout: Int64 = 15
    /// Maximal number of concurrent sessions; more are refused.
    public var maxConnections = 20_000
    /// Maximal number of concurrent sessions from one address that is not loopback.
    public var maxConnectionsPerAddress = 5_000
    /// Bytes below which the log is not compacted. Above, it is compacted when less than half of it is needed.
    public var compactionThreshold: Int64 = 64 << 20
    /// The algorithm of a new identity.
    public var keyAlgorithm = SignatureAlgorithm.ed448
    /// Whether an answer waits until its change is on the disk, and so survives a crash of the machine, or only until
    /// the operating system has it, which survives a crash of the process. Changes that wait are synced together.
    public var syncsToDisk = true

    /// The file of the queues and messages.
    var log: String { directory + "/queues.log" }

    /// Whether anybody can create queues from another machine.
    var isOpenToOthers: Bool { createPassword == nil && !SourceAddress.isLoopback(host: host) }

    public init(directory: String, host: String = "127.0.0.1", port: Int = 0, createPassword: String? = nil) {
        self.directory = directory
        self.host = host
        self.port = port
        self.createPassword = createPassword
    }
}
