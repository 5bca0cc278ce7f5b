public struct GatewayConfiguration: Sendable {
    public var http = HTTPServerConfiguration()
    /// Where `keys.json` and `admin.key` are.
    public var folder: String
    /// Names that clients may use for this server, besides loopback names and the address bound to.
    public var allowedHosts: [String] = []
    /// Origins of web pages that may call: `scheme://host[:port]`.
    public var allowedOrigins: [String] = []
    /// Lets a client of `/` (the protocol of the terminal client) in without a key, as the original does. Only for loopback.
    public var openSocket = false
    /// A port on 127.0.0.1 besides, on which `/` is all there is, and clients need no key; 0 lets the system choose. Nil for none.
    public var terminalPort: Int?
    /// An address that is not loopback, without TLS: only when this was said.
    public var allowsPlainRemote = false

    /// Seconds between signs of life on a silent event stream.
    public var heartbeatSeconds: Int64 = 15
    /// Seconds after which a WebSocket is cut off whose client takes nothing of what waits for it.
    public var socketStallSeconds: Int64 = 60

    /// Seconds after which a session of a client that does nothing ends.
    public var sessionLifetime: Int64 = 1800
    /// The most sessions of one profile.
    public var sessionLimit = 1_024
    /// Changes that may wait to be taken over into a profile's state; when there are more, it is read anew.
    var modelInbox = 50_000

    public init(folder: String) {
        self.folder = folder
    }

    var bindsLoopback: Bool {
        let name = HostPolicy.name(http.host)
        return name == "localhost" || name == "::1" || name.hasPrefix("127.")
    }
}
