public import SMP

/// Network settings of an agent, which can be changed while the agent runs.
public struct NetworkSettings: Sendable {
    /// Rule that selects the uses which share a TCP connection, and the credentials for a SOCKS proxy. The proxy can
    /// isolate clients with different credentials.
    public enum SessionMode: String, Sendable, CaseIterable {
        /// A session for each user and relay. The SOCKS proxy always sees the same client for a user.
        case user
        /// A session for each user and relay. The SOCKS proxy sees one client for each user. After a start or a change
        /// of proxy, it sees another client for the same user.
        case session
        /// A session for each user and relay. The SOCKS proxy sees a separate client for each user and relay.
        case server
        /// A session for each connection, and for each file.
        case entity
    }

    public var client: SMPClientConfiguration
    /// Policy for sending messages through a relay of the user to relays that the user has not configured.
    public var proxy: ProxyPolicy
    public var sessionMode = SessionMode.session
    /// Whether the SOCKS proxy gets credentials that distinguish sessions, instead of the credentials in ``client``.
    public var isolatesSOCKS = false
    /// Whether failed TLS handshakes are logged.
    public var logsTLSErrors = false

    public init(client: SMPClientConfiguration = SMPClientConfiguration(), proxy: ProxyPolicy = ProxyPolicy()) {
        self.client = client
        self.proxy = proxy
    }
}
