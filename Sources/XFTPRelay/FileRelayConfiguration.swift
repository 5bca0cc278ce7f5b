internal import RelayBase
package import SMP
package import SimpleXCrypto
package import Transport
import XFTP

/// The configuration of a file relay.
package struct FileRelayConfiguration: RelaySettings {
    /// The folder of the relay's identity (`ca.key`, `ca.crt`, `server.key`, `server.crt`, `fingerprint`), its log and
    /// the stored files. A missing folder is created.
    package var directory: String
    /// The IP address or host name on which the relay listens.
    package var host: String
    /// The port on which the relay listens; 0 for any free port.
    package var port: Int
    /// The host in the relay's address, if clients use a name different from ``host``.
    package var publicHost: String?
    /// The XFTP versions for clients that name the protocol in the TLS handshake (ALPN). Other clients get version 1.
    package var versions = XFTPVersion.supported
    /// The certificate that browsers get instead of the relay's own certificate; nil when browsers are not served.
    package var webCertificate: WebCertificate?
    /// Maximal number of handshakes that web pages may begin on one connection of a browser. A further attempt closes
    /// the connection, and the browser opens a new one.
    package var maxWebHellos = 1000
    /// The password that clients need to create files; nil for no password.
    package var createPassword: String?
    /// The port on which statistics are served as plain HTTP in the text form of Prometheus; nil for no statistics, 0
    /// for any free port.
    package var metricsPort: Int?
    package var metricsHost = "127.0.0.1"
    /// Maximal total size of all files in bytes. An upload that would exceed this size is refused with ERR QUOTA.
    package var maxTotalBytes: Int64 = 10 << 30
    /// The sizes in bytes that a file of the relay may have. Clients split their data into files of these sizes.
    package var allowedFileSizes: Set<UInt32> = [64 << 10, 256 << 10, 1 << 20, 4 << 20]
    /// Maximal number of files. At this number, FNEW is refused with ERR QUOTA. A file takes about 500 bytes of memory.
    package var maxFiles = 1_000_000
    /// Maximal number of recipients of all files together. FNEW and FADD are refused with ERR QUOTA if they would
    /// exceed this number.
    package var maxTotalRecipients = 4_000_000
    /// Seconds after which a file is deleted, counted from the hour in which it was created.
    package var fileLifetimeSeconds: Int64 = 48 * 3600
    /// Seconds between searches for expired files.
    package var expiryIntervalSeconds: Int64 = 1800
    /// Maximal number of concurrent uploads. Further uploads wait. Each upload takes at most about one mebibyte of
    /// memory.
    package var maxUploads = 64
    /// Seconds that a client has to upload a file.
    package var uploadTimeoutSeconds: Int64 = 300
    /// Seconds that a client has to download a file. The download also ends if the client reads nothing for
    /// ``requestTimeoutSeconds``.
    package var downloadTimeoutSeconds: Int64 = 1800
    /// Seconds that a client has to send the first block of a request.
    package var requestTimeoutSeconds: Int64 = 60
    /// Seconds without a request after which a session is ended.
    package var idleTimeoutSeconds: Int64 = 6 * 3600
    /// Seconds that a client has for each of the two handshakes, TLS and XFTP.
    package var handshakeTimeoutSeconds: Int64 = 30
    /// Seconds that a client has to send the first byte of a new connection.
    package var firstByteTimeoutSeconds: Int64 = 15
    /// Maximal number of concurrent sessions. Further connections are refused.
    package var maxConnections = 2000
    /// Maximal number of concurrent sessions from one address that is not loopback.
    package var maxConnectionsPerAddress = 500
    /// Maximal number of concurrent requests of one session.
    package var maxRequests = 64
    /// The size in bytes up to which the log is not compacted. A larger log is compacted when less than half of it is
    /// needed.
    package var compactionThresholdBytes: Int64 = 16 << 20
    /// The signature algorithm of a new identity.
    package var keyAlgorithm = SignatureAlgorithm.ed448

    /// The path of the log, which records the files and their recipients, but not the contents.
    package var logPath: String { directory + "/files.log" }

    package init(directory: String, host: String = "127.0.0.1", port: Int = 0, createPassword: String? = nil) {
        self.directory = directory
        self.host = host
        self.port = port
        self.createPassword = createPassword
    }
}
