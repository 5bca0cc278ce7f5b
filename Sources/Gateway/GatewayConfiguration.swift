internal import Descriptors

/// The addresses, access rules and limits of a gateway.
public struct GatewayConfiguration: Sendable {
    public var http = HTTPServerConfiguration()
    /// The data folder, with `keys.json` and `admin.key`.
    public var folder: String
    /// Names that clients may use for this server, in addition to loopback names and the bound address.
    public var allowedHosts: [String] = []
    /// Origins of web pages that may call: `scheme://host[:port]`.
    public var allowedOrigins: [String] = []
    /// Whether a client of `/` (the protocol of the terminal client) needs no key, as in the original. It is allowed
    /// only on loopback.
    public var openSocket = false
    /// An additional port on 127.0.0.1 that serves only `/`, without a key; 0 lets the system choose. Nil for none.
    public var terminalPort: Int?
    /// Allows an address other than loopback without TLS.
    public var allowsPlainRemote = false

    /// Maximal requests in each second of one key, and of one address other than loopback; nil for no limit. Ten
    /// seconds' worth may come at once.
    public var requestsPerKey: Int?
    public var requestsPerAddress: Int?

    /// Seconds between heartbeats on a silent event stream.
    public var heartbeatSeconds: Int64 = 15
    /// Seconds without progress after which a WebSocket is closed whose client does not read its output.
    public var socketStallSeconds: Int64 = 60

    /// Seconds after which an idle client's session ends.
    public var sessionLifetime: Int64 = 1800
    /// Maximal number of sessions of one profile.
    public var sessionLimit = 1_024
    /// Number of items and members above which the sessions of one profile load no more. Each takes about 3 KB of
    /// memory, and a key with only the scope `read` can open sessions.
    public var sessionContents = 200_000
    /// Files of ``folder`` that other parts of the process write to, for copies of the folder.
    public var growingFiles: [GrowingFile] = []
    /// Additional checks of a copy of the data folder, which get the path of the copy and return its faults as
    /// sentences without a full stop. They do not check the stores. They block.
    public var copyChecks: [@Sendable (_ folder: String) -> [String]] = []
    /// Metrics of other parts of the process, in the text form of Prometheus.
    public var otherMetrics: [@Sendable () -> String] = []
    /// Access to the level of the log, for changes while the gateway runs; nil if the level is fixed.
    public var logLevel: LogLevelControl?
    /// Settings for sending events to webhooks and push services.
    public var deliveries = DeliverySettings()
    /// Settings for reading pages for the cards of links; nil to read no pages.
    public var linkPreviews: LinkPreviewSettings?
    /// Maximal number of changes that wait to be applied to a profile's state. Beyond it, the state is read again from
    /// the core.
    var modelInbox = 50_000
    /// The clock for the keys of the first store, and for wrong keys.
    var clock = KeyClock.system

    public init(folder: String) {
        self.folder = folder
    }

    /// Whether only this machine can reach the server.
    public var bindsLoopback: Bool { SourceAddress.isLoopback(host: HostPolicy.name(http.host)) }
}
