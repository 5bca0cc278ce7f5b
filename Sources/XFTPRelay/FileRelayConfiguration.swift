import Descriptors
public import SMP
public import SimpleXCrypto
public import Transport
import XFTP

/// The configuration of a relay of files.
public struct FileRelayConfiguration: Sendable {
    /// Folder of the identity (`ca.key`, `ca.crt`, `server.key`, `server.crt`, `fingerprint`), of the log and of the
    /// files. Created if missing.
    public var directory: String
    /// The IP address or name to listen on.
    public var host: String
    /// The port to listen on; 0 for any free port.
    public var port: Int
    /// The host in the relay's address, when clients reach it by another name than ``host``.
    public var publicHost: String?
    /// The versions offered to clients that name the protocol in TLS (ALPN). Others get version 1.
    public var versions = XFTPVersion.supported
    /// The certificate for browsers in place of the identity; nil when browsers are not served.
    public var webCertificate: WebCertificate?
    /// Hellos of pages on one connection of a browser. Further ones end it, and the browser makes a new one.
    public var maxWebHellos = 1000
    /// The password needed to create files; nil when none is needed.
    public var createPassword: String?
    /// The port on which statistics are served as plain HTTP in the text form of Prometheus; nil for no statistics, 0
    /// for any free port.
    public var metricsPort: Int?
    public var metricsHost = "127.0.0.1"
    /// Maximal total size of all files in bytes; uploads are refused with ERR QUOTA beyond it.
    public var quota: Int64 = 10 << 30
    /// Sizes of files in bytes that may be created. Clients split what they send into such parts.
    public var sizes: Set<UInt32> = [64 << 10, 256 << 10, 1 << 20, 4 << 20]
    /// Maximal number of files; FNEW is refused with ERR QUOTA beyond it. A file takes about 500 bytes of memory.
    public var maxFiles = 1_000_000
    /// Maximal number of recipients of all files together; FNEW and FADD are refused with ERR QUOTA beyond it.
    public var maxRecipients = 4_000_000
    /// Seconds after which a file is deleted, counted from the hour in which it was created.
    public var fileTTL: Int64 = 48 * 3600
    /// Seconds between searches for expired files.
    public var expiryInterval: Int64 = 1800
    /// Uploads that are received at the same time; further ones wait. Each takes about a mebibyte of memory at most.
    public var maxUploads = 64
    /// Seconds that a client has to upload a file.
    public var uploadTimeout: Int64 = 300
    /// Seconds that a client has to download a file. It is also given up when it reads nothing for ``requestTimeout``.
    public var downloadTimeout: Int64 = 1800
    /// Seconds until the first block of a request has come.
    public var requestTimeout: Int64 = 60
    /// Seconds without a request after which a session is ended.
    public var idleTimeout: Int64 = 6 * 3600
    /// Seconds that a client has for the handshake of TLS, and again for that of XFTP.
    public var handshakeTimeout: Int64 = 30
    /// Seconds until the first byte of a new connection.
    public var firstByteTimeout: Int64 = 15
    /// Maximal number of concurrent sessions; more are refused.
    public var maxConnections = 2000
    /// Maximal number of concurrent sessions from one address that is not loopback.
    public var maxConnectionsPerAddress = 500
    /// Requests of one session that are answered at the same time.
    public var maxRequests = 64
    /// Bytes below which the log is not compacted. Above, it is compacted when less than half of it is needed.
    public var compactionThreshold: Int64 = 16 << 20
    /// The algorithm of a new identity.
    public var keyAlgorithm = SignatureAlgorithm.ed448

    /// The record of the files.
    var log: String { directory + "/files.log" }

    /// Whether anybody can create files from another machine.
    var isOpenToOthers: Bool { createPassword == nil && !SourceAddress.isLoopback(host: host) }

    public init(directory: String, host: String = "127.0.0.1", port: Int = 0, createPassword: String? = nil) {
        self.directory = directory
        self.host = host
        self.port = port
        self.createPassword = createPassword
    }
}
