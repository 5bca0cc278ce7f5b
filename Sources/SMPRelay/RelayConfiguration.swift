internal import RelayBase
package import SMP
package import SimpleXCrypto
package import Transport

/// A function that returns the record of a name: the JSON that the SMP answer RNAME contains, of at most 16,000 bytes.
/// The function ends in a limited time.
package typealias ResolveName = @Sendable (NameDomain) async throws(SMPNameError) -> [UInt8]

/// The configuration of a relay.
package struct RelayConfiguration: RelaySettings {
    /// Folder of the identity (`ca.key`, `ca.crt`, `server.key`, `server.crt`, `fingerprint`) and of the log. A missing
    /// folder is created.
    package var directory: String
    /// The IP address or host name on which the relay listens.
    package var host: String
    /// The port on which the relay listens; 0 for any free port.
    package var port: Int
    /// The host in the relay's address, if clients use another name than ``host``.
    package var publicHost: String?
    /// The versions for clients that offer the protocol in TLS (ALPN).
    package var versions = SupportedVersions.relay
    /// The password for the creation of queues; nil for no password.
    package var createPassword: String?
    /// The port on which statistics are served as plain HTTP in the text form of Prometheus; nil for no statistics, 0
    /// for any free port.
    package var metricsPort: Int?
    package var metricsHost = "127.0.0.1"
    /// Whether clients may send to other relays through this relay. They need the password for creating queues, if
    /// there is one.
    package var allowsProxying = true
    /// The rule for addresses of the relays to which clients may send through this relay; nil allows any address. The
    /// address of this relay is always allowed. A refused address gets the same error as an address without a server.
    package var addressRule: TransportConfiguration.AddressRule?
    /// Maximal number of relays with a session for forwarding. Above this number, the least recently used session is
    /// ended.
    package var maxProxiedRelays = 512
    /// The records of names, each as the JSON that the SMP answer RNAME contains, of at most 16,000 bytes; nil for no
    /// names. Without names and without ``nameResolver``, clients get ERR NAME NO_RESOLVER.
    package var nameRecords: [NameDomain: [UInt8]]?
    /// A function that resolves the names that ``nameRecords`` does not have; nil for no resolver. If there are
    /// ``nameRecords`` and no resolver, a name that they do not have gets ERR NAME NOT_FOUND.
    package var nameResolver: ResolveName?
    /// Maximal number of requests to ``nameResolver`` that have no answer yet. A session has at most half of them.
    /// Above these numbers, clients get ERR NAME RESOLVER.
    package var maxNameRequests = 64
    /// Maximal number of messages in a queue.
    package var maxMessagesPerQueue = 128
    /// Maximal total size of message bodies in bytes, which are also in memory. Above this size, SEND is refused with
    /// ERR STORE.
    package var maxMessageBytes = 1 << 30
    /// Maximal number of queues. At this number, NEW is refused with ERR STORE. A queue takes about 500 bytes of memory
    /// and of the log.
    package var maxQueues = 1_000_000
    /// Maximal total size of link data in bytes, which are also in memory. NEW and LSET that exceed this size are
    /// refused with ERR STORE. The data of one link has at most 16 KB. The link data of a contact address without a
    /// picture has a few hundred bytes.
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
    /// Size of the log in bytes below which it is not compacted. A larger log is compacted when less than half of it is
    /// needed.
    package var compactionThresholdBytes: Int64 = 64 << 20
    /// The algorithm of a new identity.
    package var keyAlgorithm = SignatureAlgorithm.ed448
    /// Whether an answer waits until its change is on the disk, and so survives a crash of the machine. Otherwise an
    /// answer waits only until the operating system has the change, which then survives a crash of the process. Changes
    /// that wait at the same time share one sync.
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
