/// The network status of a connection: whether the connection receives messages.
package struct ConnNetworkStatus: Codable, Hashable, Sendable {
    package var agentConnId: String
    package var networkStatus: NetworkStatus

    package init(agentConnId: String, networkStatus: NetworkStatus) {
        self.agentConnId = agentConnId
        self.networkStatus = networkStatus
    }
}

/// The settings of TCP keep-alive: idle time and interval in seconds, and number of probes.
package struct KeepAliveOpts: Codable, Hashable, Sendable {
    package var keepIdle: Int
    package var keepIntvl: Int
    package var keepCnt: Int

    package init(keepIdle: Int, keepIntvl: Int, keepCnt: Int) {
        self.keepIdle = keepIdle
        self.keepIntvl = keepIntvl
        self.keepCnt = keepCnt
    }
}

/// The network settings that a migration to another device contains.
package struct MigrationNetworkConfig: Codable, Hashable, Sendable {
    package var socksProxy: String?
    package var networkProxy: NetworkProxy?
    package var hostMode: HostMode?
    package var requiredHostMode: Bool?
}

/// A SOCKS proxy in the form of the app's settings.
package struct NetworkProxy: Codable, Hashable, Sendable {
    package var host: String
    package var port: Int
    package var auth: NetworkProxyAuth
    package var username: String
    package var password: String
}

/// Timeouts for work in the background and for actions of the user, in microseconds.
package struct NetworkTimeout: Codable, Hashable, Sendable {
    package var backgroundTimeout: Int
    package var interactiveTimeout: Int

    package init(backgroundTimeout: Int, interactiveTimeout: Int) {
        self.backgroundTimeout = backgroundTimeout
        self.interactiveTimeout = interactiveTimeout
    }
}

/// The network of the device, and whether it can be used.
package struct UserNetworkInfo: Codable, Hashable, Sendable {
    package var networkType: UserNetworkType
    package var online: Bool

    /// The state of the network that is assumed until a client reports the state.
    package static let assumedOnline = UserNetworkInfo(networkType: .other, online: true)

    package init(networkType: UserNetworkType, online: Bool) {
        self.networkType = networkType
        self.online = online
    }
}
