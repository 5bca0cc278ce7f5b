internal import Agent
internal import ChatAPI
internal import NIOCore
internal import SMP

extension NetworkConfig {
    /// What is wrong with a configuration that somebody has put together, in words; nil when nothing is.
    var fault: String? {
        func fault<Value: OpenEnum>(_ name: String, _ value: Value) -> String? {
            Value.known.contains(value) ? nil : "\(name) cannot be \(value.rawValue)"
        }
        let unknown =
            fault("socksMode", socksMode) ?? fault("hostMode", hostMode) ?? fault("sessionMode", sessionMode)
            ?? fault("smpProxyMode", smpProxyMode) ?? fault("smpProxyFallback", smpProxyFallback) ?? fault("smpWebPortServers", smpWebPortServers)
        if let unknown { return unknown }
        if let socksProxy, SOCKSAddress(socksProxy) == nil { return "socksProxy is not [user:password@|@][address][:port]" }
        for (name, time) in [("tcpConnectTimeout", tcpConnectTimeout), ("tcpTimeout", tcpTimeout)]
        where time.backgroundTimeout <= 0 || time.interactiveTimeout <= 0 { return "\(name) must be positive" }
        if tcpTimeoutPerKb < 0 || smpPingInterval < 0 || smpPingCount < 0 || rcvConcurrency < 0 { return "times and counts must not be negative" }
        return nil
    }

    /// With the proxy's address written out.
    var normalized: NetworkConfig {
        var config = self
        config.socksProxy = socksProxy.flatMap(SOCKSAddress.init)?.text
        return config
    }

    /// - Parameters:
    ///   - base: what the API has no names for.
    ///   - webDomains: endings of names of relays that are known to listen at the web's port.
    func settings(_ base: SMPClientConfiguration, webDomains: [String]) -> NetworkSettings {
        var client = base
        client.connectTimeout = .microseconds(clamping: Int64(tcpConnectTimeout.backgroundTimeout))
        client.interactiveConnectTimeout = .microseconds(clamping: Int64(tcpConnectTimeout.interactiveTimeout))
        client.responseTimeout = .microseconds(clamping: Int64(tcpTimeout.backgroundTimeout))
        client.interactiveResponseTimeout = .microseconds(clamping: Int64(tcpTimeout.interactiveTimeout))
        client.timeoutPerKilobyte = .microseconds(clamping: tcpTimeoutPerKb)
        client.keepAlive = tcpKeepAlive.map { TCPKeepAlive(idle: $0.keepIdle, interval: $0.keepIntvl, count: $0.keepCnt) }
        client.pingInterval = .microseconds(clamping: smpPingInterval)
        client.pingCount = smpPingCount
        client.hostChoice = HostChoice(mode: HostChoice.Mode(rawValue: hostMode.rawValue) ?? .public, isRequired: requiredHostMode)
        client.webPorts =
            switch smpWebPortServers {
            case .all: .all
            case .preset: .domains(webDomains)
            default: .off
            }
        let address = socksProxy.flatMap(SOCKSAddress.init)
        client.socks = address.map { address in
            var proxy = SOCKSProxy(host: address.host, port: address.port, usage: SOCKSProxy.Usage(rawValue: socksMode.rawValue) ?? .always)
            if case .password(let username, let password) = address.authentication {
                proxy.credentials = SOCKSProxy.Credentials(username: username, password: password)
            }
            return proxy
        }
        var settings = NetworkSettings(
            client: client,
            proxy: ProxyPolicy(
                mode: ProxyPolicy.Mode(rawValue: smpProxyMode.rawValue) ?? .unknown,
                fallback: ProxyPolicy.Fallback(rawValue: smpProxyFallback.rawValue) ?? .prohibit))
        settings.sessionMode = NetworkSettings.SessionMode(rawValue: sessionMode.rawValue) ?? .session
        settings.isolatesSOCKS = address?.authentication == .isolate
        settings.logsTLSErrors = logTLSErrors
        return settings
    }
}

extension TimeAmount {
    /// Up to a week, which is as good as for ever.
    fileprivate static func microseconds(clamping time: Int64) -> TimeAmount {
        .microseconds(min(max(time, 0), 7 * 86_400 * 1_000_000))
    }
}
