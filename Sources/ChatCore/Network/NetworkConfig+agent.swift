internal import Agent
internal import ChatAPI
internal import NIOCore
internal import SMP
internal import Transport

extension NetworkConfig {
    /// A description of the configuration's error; nil when the configuration is valid.
    var errorText: String? {
        func findFault<Value: OpenEnum>(_ name: String, _ value: Value) -> String? {
            Value.knownValues.contains(value) ? nil : "\(name) cannot be \(value.rawValue)"
        }
        let unknown =
            findFault("socksMode", socksMode) ?? findFault("hostMode", hostMode) ?? findFault(
                "sessionMode",
                sessionMode
            )
            ?? findFault("smpProxyMode", smpProxyMode) ?? findFault("smpProxyFallback", smpProxyFallback)
            ?? findFault("smpWebPortServers", smpWebPortServers)
        if let unknown { return unknown }
        if let socksProxy, SOCKSAddress(socksProxy) == nil {
            return "socksProxy does not have the form [user:password@|@][address][:port]"
        }
        return numberErrorText
    }

    /// The configuration with the complete address of the proxy.
    var normalizedConfig: NetworkConfig {
        var config = self
        config.socksProxy = socksProxy.flatMap(SOCKSAddress.init)?.text
        return config
    }

    /// Returns the settings in the form of the agent.
    /// - Parameters:
    ///   - base: the settings that are not part of the API.
    ///   - webDomains: suffixes of host names of relays that also listen at the web port.
    func agentSettings(_ base: SMPClientConfiguration, webDomains: [String]) -> NetworkSettings {
        var client = base
        client.transport.connectTimeout = .microseconds(clamping: Int64(tcpConnectTimeout.backgroundTimeout))
        client.transport.interactiveConnectTimeout = .microseconds(
            clamping: Int64(tcpConnectTimeout.interactiveTimeout)
        )
        client.transport.responseTimeout = .microseconds(clamping: Int64(tcpTimeout.backgroundTimeout))
        client.transport.interactiveResponseTimeout = .microseconds(clamping: Int64(tcpTimeout.interactiveTimeout))
        client.transport.timeoutPerKilobyte = .microseconds(clamping: tcpTimeoutPerKb)
        client.transport.keepAlive = tcpKeepAlive.map {
            TCPKeepAlive(idle: $0.keepIdle, interval: $0.keepIntvl, count: $0.keepCnt)
        }
        client.pingInterval = .microseconds(clamping: smpPingInterval)
        client.maxSilentTimeouts = smpPingCount
        client.transport.hostChoice = HostChoice(
            mode: HostChoice.Mode(rawValue: hostMode.rawValue) ?? .public,
            isRequired: requiredHostMode
        )
        client.transport.webPortUse =
            switch smpWebPortServers {
            case .all: .allRelays
            case .preset: .domains(webDomains)
            default: .noRelays
            }
        let address = socksProxy.flatMap(SOCKSAddress.init)
        client.transport.socks = address.map { address in
            var proxy = SOCKSProxy(
                host: address.host,
                port: address.port,
                usage: SOCKSProxy.Usage(rawValue: socksMode.rawValue) ?? .always
            )
            if case .password(let username, let password) = address.authentication {
                proxy.credentials = SOCKSProxy.Credentials(username: username, password: password)
            }
            return proxy
        }
        var settings = NetworkSettings(
            client: client,
            proxy: ProxyPolicy(
                mode: ProxyPolicy.Mode(rawValue: smpProxyMode.rawValue) ?? .onlyUnknownRelays,
                fallback: ProxyPolicy.Fallback(rawValue: smpProxyFallback.rawValue) ?? .prohibit
            )
        )
        settings.sessionMode = NetworkSettings.SessionMode(rawValue: sessionMode.rawValue) ?? .session
        settings.usesSOCKSCredentialsPerSession = address?.authentication == .isolate
        settings.logsTLSErrors = logTLSErrors
        return settings
    }
}

extension TimeAmount {
    /// Limits a time in microseconds to the range from 0 to one week. A timeout of one week has the effect of no limit.
    fileprivate static func microseconds(clamping time: Int64) -> TimeAmount {
        .microseconds(min(max(time, 0), 7 * 86_400 * 1_000_000))
    }
}
