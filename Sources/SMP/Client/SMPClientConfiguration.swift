public import Descriptors
public import NIOCore

/// Times and limits of a client.
public struct SMPClientConfiguration: Sendable {
    /// For name resolution, TCP, TLS and the handshake together.
    public var connectTimeout: TimeAmount = .seconds(20)
    /// From the sending of a command to its answer.
    public var responseTimeout: TimeAmount = .seconds(15)
    /// The same two where somebody waits (``Patience/isInteractive``); nil when there is no difference.
    public var interactiveConnectTimeout: TimeAmount?
    public var interactiveResponseTimeout: TimeAmount?
    /// So much longer for each kilobyte that is sent.
    public var timeoutPerKilobyte: TimeAmount = .zero
    /// A session on which nothing came for so long is asked for a sign of life; zero: never.
    public var pingInterval: TimeAmount = .seconds(60)
    /// So many commands in sequence without an answer, or any other byte, end the session; 0: never.
    public var pingCount = 2
    public var keepAlive: TCPKeepAlive?
    public var hostChoice = HostChoice()
    public var socks: SOCKSProxy?
    public var webPorts = WebPorts.off
    /// Reconnecting waits for it.
    public var gate: NetworkGate?
    /// The connections that all clients of the process may have; nil: any number.
    public var connections: Allowance?
    /// Queues subscribed to in one go.
    public var subscriptionBatch = 900
    public var reconnect = ReconnectDelays()
    public var versions = SupportedVersions.client
    /// Whether TLS names the protocol `smp/1`. Without, relays speak version 6.
    public var offersProtocol = true
    /// Set by a relay that forwards the commands of its clients: blocks are then not encrypted inside TLS.
    public var isProxy = false
    /// The certificate of a client that is a service; relays before version 16 do not get to see it.
    public var service: ServiceCredentials?

    public init() {}

    var currentConnectTimeout: TimeAmount { Patience.isInteractive ? interactiveConnectTimeout ?? connectTimeout : connectTimeout }
    var currentResponseTimeout: TimeAmount { Patience.isInteractive ? interactiveResponseTimeout ?? responseTimeout : responseTimeout }

    /// Whether an address hides its owner from the relay by other means than another relay: with a SOCKS proxy, or as an onion service.
    public func protects(_ server: ProtocolServer) -> Bool {
        socks != nil || hostChoice.mode == .onion && server.hosts.contains(where: \.isOnion)
    }
}

/// The times between attempts to reconnect: each longer than the one before, and no two clients' the same.
public struct ReconnectDelays: Sendable {
    public var initial: Duration = .milliseconds(500)
    public var factor = 1.7
    public var max: Duration = .seconds(120)
    /// Part of a delay by which it is made longer or shorter at random.
    public var jitter = 0.25

    public init() {}

    /// The delay before attempt `attempt` (0 is the first after a session was lost), between the jitter's bounds.
    public func delay(attempt: Int, using random: inout some RandomNumberGenerator) -> Duration {
        var delay = initial / .seconds(1)
        let limit = max / .seconds(1)
        for _ in 0..<Swift.max(0, attempt) where delay < limit { delay *= factor }
        let spread = Swift.min(Swift.max(jitter, 0), 1)
        return .seconds(Swift.min(delay, limit) * Double.random(in: (1 - spread)...(1 + spread), using: &random))
    }
}
