package import ChatAPI

extension NetworkConfig {
    /// The default configuration of the original's terminal client.
    package static let standard = NetworkConfig(
        socksMode: .always,
        hostMode: .public,
        requiredHostMode: false,
        sessionMode: .session,
        smpProxyMode: .unknown,
        smpProxyFallback: .allowProtected,
        smpWebPortServers: .preset,
        tcpConnectTimeout: NetworkTimeout(backgroundTimeout: 31_500_000, interactiveTimeout: 10_500_000),
        tcpTimeout: NetworkTimeout(backgroundTimeout: 21_000_000, interactiveTimeout: 7_000_000),
        tcpTimeoutPerKb: 5_000,
        rcvConcurrency: 8,
        tcpKeepAlive: KeepAliveOpts(keepIdle: 30, keepIntvl: 15, keepCnt: 4),
        smpPingInterval: 600_000_000,
        smpPingCount: 3,
        logTLSErrors: false
    )

    /// The default configuration of the original's apps.
    static let appDefaults: NetworkConfig = {
        var config = standard
        (config.hostMode, config.smpProxyMode, config.smpProxyFallback) = (.onionViaSocks, .never, .allow)
        config.tcpConnectTimeout = NetworkTimeout(backgroundTimeout: 45_000_000, interactiveTimeout: 15_000_000)
        config.tcpTimeout = NetworkTimeout(backgroundTimeout: 30_000_000, interactiveTimeout: 10_000_000)
        return config
    }()
}
