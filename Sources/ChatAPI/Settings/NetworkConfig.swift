/// The settings for connections to servers. Times are in microseconds, but times of keep-alive are in seconds.
public struct NetworkConfig: Codable, Hashable, Sendable {
    public var socksProxy: String?
    public var socksMode: SocksMode
    public var hostMode: HostMode
    public var requiredHostMode: Bool
    public var sessionMode: TransportSessionMode
    public var smpProxyMode: SMPProxyMode
    public var smpProxyFallback: SMPProxyFallback
    public var smpWebPortServers: SMPWebPortServers
    public var tcpConnectTimeout: NetworkTimeout
    public var tcpTimeout: NetworkTimeout
    public var tcpTimeoutPerKb: Int64
    public var rcvConcurrency: Int
    public var tcpKeepAlive: KeepAliveOpts?
    public var smpPingInterval: Int64
    public var smpPingCount: Int
    public var logTLSErrors: Bool

    public init(
        socksProxy: String? = nil,
        socksMode: SocksMode,
        hostMode: HostMode,
        requiredHostMode: Bool,
        sessionMode: TransportSessionMode,
        smpProxyMode: SMPProxyMode,
        smpProxyFallback: SMPProxyFallback,
        smpWebPortServers: SMPWebPortServers,
        tcpConnectTimeout: NetworkTimeout,
        tcpTimeout: NetworkTimeout,
        tcpTimeoutPerKb: Int64,
        rcvConcurrency: Int,
        tcpKeepAlive: KeepAliveOpts? = nil,
        smpPingInterval: Int64,
        smpPingCount: Int,
        logTLSErrors: Bool
    ) {
        self.socksProxy = socksProxy
        self.socksMode = socksMode
        self.hostMode = hostMode
        self.requiredHostMode = requiredHostMode
        self.sessionMode = sessionMode
        self.smpProxyMode = smpProxyMode
        self.smpProxyFallback = smpProxyFallback
        self.smpWebPortServers = smpWebPortServers
        self.tcpConnectTimeout = tcpConnectTimeout
        self.tcpTimeout = tcpTimeout
        self.tcpTimeoutPerKb = tcpTimeoutPerKb
        self.rcvConcurrency = rcvConcurrency
        self.tcpKeepAlive = tcpKeepAlive
        self.smpPingInterval = smpPingInterval
        self.smpPingCount = smpPingCount
        self.logTLSErrors = logTLSErrors
    }
}
