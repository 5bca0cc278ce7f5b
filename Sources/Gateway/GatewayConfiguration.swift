internal import Descriptors

/// Where a gateway listens, whom it lets in, and how much it does at a time.
public struct GatewayConfiguration: Sendable {
    public var http = HTTPServerConfiguration()
    /// Where `keys.json` and `admin.key` are.
    public var folder: String
    /// Names that clients may use for this server, in addition to loopback names and the bound address.
    public var allowedHosts: [String] = []
    /// Origins of web pages that may call: `scheme://host[:port]`.
    public var allowedOrigins: [String] = []
    /// Lets a client of `/` (the protocol of the terminal client) in without a key, as the original does. Only for loopback.
    public var openSocket = false
    /// An additional port on 127.0.0.1 that serves only `/`, without a key; 0 lets the system choose. Nil for none.
    public var terminalPort: Int?
    /// Allows an address other than loopback without TLS.
    public var allowsPlainRemote = false

    /// Requests in each second that one key may make, and one address other than loopback; nil for no limit. Ten seconds' worth may come at once.
    public var requestsPerKey: Int?
    public var requestsPerAddress: Int?

    /// Seconds between signs of life on a silent event stream.
    public var heartbeatSeconds: Int64 = 15
    /// Seconds without progress after which a WebSocket is closed whose client does not read what is sent to it.
    public var socketStallSeconds: Int64 = 60

    /// Seconds after which an idle client's session ends.
    public var sessionLifetime: Int64 = 1800
    /// The most sessions of one profile.
    public var sessionLimit = 1_024
    /// Items and members with which the sessions of one profile load no more: each is some 3 KB of memory, and a key that may only read can open sessions.
    public var sessionContents = 200_000
    /// Files of ``folder`` that others write to, for copies of the folder.
    public var growingFiles: [GrowingFile] = []
    /// What finds faults of a copy of the data folder beside its stores, by the path of the copy: sentences without a full stop. They block.
    public var copyChecks: [@Sendable (_ folder: String) -> [String]] = []
    /// Metrics of what else is in the process, in the text form of Prometheus.
    public var otherMetrics: [@Sendable () -> String] = []
    /// By which the level of the log is changed while the gateway runs; nil where it cannot be.
    public var logLevel: LogLevelControl?
    /// How events are sent to webhooks.
    public var deliveries = DeliverySettings()
    /// How pages are read for the cards of links; nil where they are not.
    public var linkPreviews: LinkPreviewSettings?
    /// Changes that may wait to be applied to a profile's state. Beyond this the state is read again from the core.
    var modelInbox = 50_000
    /// For the keys of the first store, and wrong keys.
    var clock = KeyClock.system

    public init(folder: String) {
        self.folder = folder
    }

    /// Whether only this machine can reach the server.
    public var bindsLoopback: Bool { SourceAddress.isLoopback(host: HostPolicy.name(http.host)) }
}
