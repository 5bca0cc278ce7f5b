/// The status of a connection: whether it receives messages.
public struct ConnNetworkStatus: Codable, Hashable, Sendable {
    public var agentConnId: String
    public var networkStatus: NetworkStatus

    public init(agentConnId: String, networkStatus: NetworkStatus) {
        self.agentConnId = agentConnId
        self.networkStatus = networkStatus
    }
}

/// The settings of TCP keep-alive: idle time and interval in seconds, and number of probes.
public struct KeepAliveOpts: Codable, Hashable, Sendable {
    public var keepIdle: Int
    public var keepIntvl: Int
    public var keepCnt: Int

    public init(keepIdle: Int, keepIntvl: Int, keepCnt: Int) {
        self.keepIdle = keepIdle
        self.keepIntvl = keepIntvl
        self.keepCnt = keepCnt
    }
}

/// The network settings in a migration to another device.
public struct MigrationNetworkConfig: Codable, Hashable, Sendable {
    public var socksProxy: String?
    public var networkProxy: NetworkProxy?
    public var hostMode: HostMode?
    public var requiredHostMode: Bool?
}

/// A SOCKS proxy in the form of the app.
public struct NetworkProxy: Codable, Hashable, Sendable {
    public var host: String
    public var port: Int
    public var auth: NetworkProxyAuth
    public var username: String
    public var password: String
}

/// Timeouts for work in the background and for the user's actions, in microseconds.
public struct NetworkTimeout: Codable, Hashable, Sendable {
    public var backgroundTimeout: Int
    public var interactiveTimeout: Int

    public init(backgroundTimeout: Int, interactiveTimeout: Int) {
        self.backgroundTimeout = backgroundTimeout
        self.interactiveTimeout = interactiveTimeout
    }
}

/// The network of the device, and whether it can be used.
public struct UserNetworkInfo: Codable, Hashable, Sendable {
    public var networkType: UserNetworkType
    public var online: Bool

    /// The assumed state of the network until the state is reported.
    public static let assumed = UserNetworkInfo(networkType: .other, online: true)

    public init(networkType: UserNetworkType, online: Bool) {
        self.networkType = networkType
        self.online = online
    }
}
