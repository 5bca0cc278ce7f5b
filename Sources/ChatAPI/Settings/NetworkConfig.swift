/// The settings for connections to servers. Times are in microseconds, but times of keep-alive are in seconds.
package struct NetworkConfig: Codable, Hashable, Sendable {
    package var socksProxy: String?
    package var socksMode: SocksMode
    package var hostMode: HostMode
    package var requiredHostMode: Bool
    package var sessionMode: TransportSessionMode
    package var smpProxyMode: SMPProxyMode
    package var smpProxyFallback: SMPProxyFallback
    package var smpWebPortServers: SMPWebPortServers
    package var tcpConnectTimeout: NetworkTimeout
    package var tcpTimeout: NetworkTimeout
    package var tcpTimeoutPerKb: Int64
    package var rcvConcurrency: Int
    package var tcpKeepAlive: KeepAliveOpts?
    package var smpPingInterval: Int64
    package var smpPingCount: Int
    package var logTLSErrors: Bool

    package init(
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
