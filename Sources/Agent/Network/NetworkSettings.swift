public import SMP

/// How an agent uses the network. May be changed while it runs.
public struct NetworkSettings: Sendable {
    /// What gets a TCP connection of its own, and an identity of its own at a SOCKS proxy that isolates clients by their credentials.
    public enum SessionMode: String, Sendable, CaseIterable {
        /// A session for each user and relay. A user is always the same client of the SOCKS proxy.
        case user
        /// The same, and another client of the SOCKS proxy after each start and change of proxy.
        case session
        /// Each relay sees another client of the SOCKS proxy.
        case server
        /// A session for each connection.
        case entity
    }

    public var client: SMPClientConfiguration
    /// When messages to relays that are not the user's own go through one that is.
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
