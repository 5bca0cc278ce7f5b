internal import RelayBase
package import SMP
package import SimpleXCrypto
package import Transport

/// A function that returns the record of a name: the JSON that the SMP answer RNAME contains, at most 16,000 bytes. The
/// function must end in a limited time.
package typealias ResolveName = @Sendable (NameDomain) async throws(SMPNameError) -> [UInt8]

/// The configuration of a relay.
package struct RelayConfiguration: RelaySettings {
    /// The folder of the relay's identity (`ca.key`, `ca.crt`, `server.key`, `server.crt`, `fingerprint`) and of its
    /// log. A missing folder is created.
    package var directory: String
    /// The IP address or host name on which the relay listens.
    package var host: String
    /// The port on which the relay listens; 0 for any free port.
    package var port: Int
    /// The host in the relay's address, if clients use a name different from ``host``.
    package var publicHost: String?
    /// The SMP versions for clients that name the protocol in the TLS handshake (ALPN).
    package var versions = SupportedVersions.relay
    /// The password that clients need to create queues; nil for no password.
    package var createPassword: String?
    /// The port on which statistics are served as plain HTTP in the text form of Prometheus; nil for no statistics, 0
    /// for any free port.
    package var metricsPort: Int?
    package var metricsHost = "127.0.0.1"
    /// Whether clients may send to other relays through this relay. If creating queues needs a password, sending to
    /// other relays needs it too.
    package var allowsProxying = true
    /// The rule for addresses of the relays to which clients may send through this relay; nil allows any address. The
    /// address of this relay is always allowed. For a refused address, clients get the same error as for an address
    /// without a server.
    package var addressRule: TransportConfiguration.AddressRule?
    /// Maximal number of other relays with an open session for forwarding. Above this number, the least recently used
    /// session is ended.
    package var maxProxiedRelays = 512
    /// The records of names, each as the JSON that the SMP answer RNAME contains, at most 16,000 bytes; nil for no
    /// records. Without records and without ``nameResolver``, clients get ERR NAME NO_RESOLVER.
    package var nameRecords: [NameDomain: [UInt8]]?
    /// A function that resolves the names that are missing in ``nameRecords``; nil for no resolver. If there are
    /// records and no resolver, clients get ERR NAME NOT_FOUND for a missing name.
    package var nameResolver: ResolveName?
    /// Maximal number of unanswered requests to ``nameResolver``. One session may have at most half of this number.
    /// Further requests are answered with ERR NAME RESOLVER.
    package var maxNameRequests = 64
    /// Maximal number of messages in a queue.
    package var maxMessagesPerQueue = 128
    /// Maximal total size of all message bodies in bytes. The relay keeps all bodies in memory. At this size, SEND is
    /// refused with ERR STORE.
    package var maxMessageBytes = 1 << 30
    /// Maximal number of queues. At this number, NEW is refused with ERR STORE. A queue takes about 500 bytes of memory
    /// and of the log.
    package var maxQueues = 1_000_000
    /// Maximal total size of the data of all short links, in bytes. The relay keeps these data in memory. NEW and LSET
    /// that would exceed this size are refused with ERR STORE. The data of one link have at most 16 KB. The link data
    /// of a contact address without a picture have a few hundred bytes.
    package var maxLinkBytes = 256 << 20
    /// Seconds after which a message is dropped if nobody has received it.
    package var messageLifetimeSeconds: Int64 = 21 * 86400
    /// Seconds between searches of all queues for expired messages.
    package var expiryIntervalSeconds: Int64 = 3600
    /// Seconds of silence after which a session without subscriptions is ended.
    package var idleTimeoutSeconds: Int64 = 6 * 3600
    /// Seconds that a client has for each of the two handshakes, TLS and SMP.
    package var handshakeTimeoutSeconds: Int64 = 30
    /// Seconds that a client has to send the first byte of a new connection.
    package var firstByteTimeoutSeconds: Int64 = 15
    /// Maximal number of concurrent sessions. Further connections are refused.
    package var maxConnections = 20_000
    /// Maximal number of concurrent sessions from one address that is not loopback.
    package var maxConnectionsPerAddress = 5_000
    /// The size in bytes up to which the log is not compacted. A larger log is compacted when less than half of it is
    /// needed.
    package var compactionThresholdBytes: Int64 = 64 << 20
    /// The signature algorithm of a new identity.
    package var keyAlgorithm = SignatureAlgorithm.ed448
    /// Whether an answer waits until its change is on the disk. With true, an answered change survives a crash of the
    /// machine. With false, an answer waits only until the operating system has the change, which then survives a crash
    /// of the process. Changes that wait at the same time share one sync.
    package var syncsToDisk = true

    /// The path of the file with the queues and messages.
    package var logPath: String { directory + "/queues.log" }

    package init(directory: String, host: String = "127.0.0.1", port: Int = 0, createPassword: String? = nil) {
        self.directory = directory
        self.host = host
        self.port = port
        self.createPassword = createPassword
    }
}
