internal import Descriptors

/// The addresses, access rules and limits of a gateway.
package struct GatewayConfiguration: Sendable {
    package var http = HTTPServerConfiguration()
    /// The data folder, with `keys.json` and `admin.key`.
    package var dataFolder: String
    /// Names that clients may use for this server, besides the loopback names and the bound address.
    package var allowedHosts: [String] = []
    /// Origins of web pages that may call the gateway: `scheme://host[:port]`.
    package var allowedOrigins: [String] = []
    /// Whether clients need no key for the path `/`, which has the protocol of the terminal client, as in the original.
    /// Only permitted on loopback.
    package var allowsKeylessSocket = false
    /// An additional port on 127.0.0.1 that serves only the path `/`, without a key; nil for no such port. With 0, the
    /// system chooses the port.
    package var terminalPort: Int?
    /// The initial servers of a new profile if the client names no servers: `relay` (the embedded relay) or `network`
    /// (the preset servers of the original). ``offeredServerPresets`` has the values that clients can name.
    package var defaultServerPreset = "relay"
    package var offeredServerPresets = ["relay", "network"]
    /// Whether the server may use an address other than loopback without TLS.
    package var allowsRemoteWithoutTLS = false

    /// Maximal number of requests per second for one key, and for one address other than loopback; nil for no limit. A
    /// client may send the requests of ten seconds at once.
    package var keyRequestsPerSecond: Int?
    package var addressRequestsPerSecond: Int?

    /// Seconds between heartbeats on a silent event stream.
    package var heartbeatSeconds: Int64 = 15
    /// Seconds after which a WebSocket is closed if its client reads nothing of the waiting output.
    package var socketStallSeconds: Int64 = 60

    /// Maximal number of documents that one stream follows.
    package var maxDocumentsPerStream = 32

    /// Seconds after which the session of an inactive client ends.
    package var sessionLifetimeSeconds: Int64 = 1800
    /// Maximal number of sessions of one profile.
    package var maxSessionsPerProfile = 1_024
    /// Maximal number of items and members in all sessions of one profile together. Above the limit, the sessions load
    /// nothing further. Each item takes about 3 KB of memory, and a key with only the scope `read` can open sessions.
    package var maxSessionItemsAndMembers = 200_000
    /// Files in ``dataFolder`` to which other parts of the process append, such as the log of a relay. Backups copy
    /// such files only up to a recorded end.
    package var growingFiles: [GrowingFile] = []
    /// Additional checks of a copy of the data folder. Each check gets the path of the copy, and returns its faults as
    /// sentences without a full stop. The checks leave out the stores, and block the thread.
    package var copyChecks: [@Sendable (_ folder: String) -> [String]] = []
    /// The schedule of the backups that the gateway makes by itself; nil for no such backups.
    package var backupSchedule: BackupSchedule?
    /// Metrics of other parts of the process, in the text form of Prometheus.
    package var metricsSources: [@Sendable () -> String] = []
    /// Sends spans of requests and messages to a collector; nil without a collector.
    package var spanExporter: SpanExporter?
    /// Whether the span of a request names the messages that the request has sent.
    var tracesMessages: Bool { spanExporter != nil }
    /// Maximal number of open stores whose figures the metrics show one by one. With more open stores, the metrics show
    /// only the sums.
    package var maxStoresInMetrics = 50
    /// Access to the log level, for changes while the gateway runs; nil if the level is fixed.
    package var logLevelControl: LogLevelControl?
    /// Settings for deliveries to webhooks and push services.
    package var deliverySettings = DeliverySettings()
    /// Settings for reading linked web pages, from which previews are made; nil to read no pages.
    package var linkPreviews: LinkPreviewSettings?
    /// Maximal number of changes that wait until they are applied to the state of a profile. When more changes wait,
    /// the state is read again from the core.
    var maxPendingModelChanges = 50_000
    /// Seconds for which a request for long work waits for the result. After this time, the answer is an operation,
    /// which the client can follow.
    var longWorkWaitSeconds = LongOperations.defaultWaitSeconds
    /// Settings of ``DiskWatch``, which reads the free bytes of the disks.
    var diskSettings = DiskWatch.Settings()
    /// The clock of the gateway, for example for the expiry of keys and of long operations. Tests set another clock.
    var clock = GatewayClock.system

    package init(folder: String) {
        self.dataFolder = folder
    }

    /// Whether only this machine can connect to the server.
    package var bindsLoopback: Bool { SourceAddress.isLoopbackHost(HostPolicy.hostName(http.host)) }
}
