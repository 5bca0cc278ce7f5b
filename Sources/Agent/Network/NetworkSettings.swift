public import SMP

/// Network settings of an agent. They may be changed while the agent runs.
public struct NetworkSettings: Sendable {
    /// Unit that has a separate TCP connection, and a separate identity at a SOCKS proxy
    /// that isolates clients by their credentials.
    public enum SessionMode: String, Sendable, CaseIterable {
        /// A session for each user and relay. A user is always the same client of the SOCKS proxy.
        case user
        /// A session for each user and relay. After each start and each change of proxy,
        /// the user is another client of the SOCKS proxy.
        case session
        /// Each relay sees another client of the SOCKS proxy.
        case server
        /// A session for each connection.
        case entity
    }

    public var client: SMPClientConfiguration
    /// Policy for sending messages to other relays through a relay of the user.
    public var proxy: ProxyPolicy
    public var sessionMode = SessionMode.session
    /// Whether the SOCKS proxy gets credentials that distinguish sessions, instead of those in ``client``.
    public var isolatesSOCKS = false
    /// Whether failed handshakes are logged.
    public var logsTLSErrors = false

    public init(client: SMPClientConfiguration = SMPClientConfiguration(), proxy: ProxyPolicy = ProxyPolicy()) {
        self.client = client
        self.proxy = proxy
    }
}
