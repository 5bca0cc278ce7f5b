package import SMP

/// Network settings of an agent, which can be changed while the agent runs.
package struct NetworkSettings: Sendable {
    /// Rule that decides which operations share a TCP connection, and which credentials a SOCKS proxy gets. The proxy
    /// can keep clients with different credentials apart.
    package enum SessionMode: String, Sendable, CaseIterable {
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

    package var clientConfiguration: SMPClientConfiguration
    /// Policy that decides when messages go to the recipient's relay through a forwarding relay.
    package var proxyPolicy: ProxyPolicy
    package var sessionMode = SessionMode.session
    /// Whether the SOCKS proxy gets credentials that distinguish sessions, instead of the credentials in
    /// ``clientConfiguration``.
    package var usesSOCKSCredentialsPerSession = false
    /// Whether failed TLS handshakes are logged.
    package var logsTLSErrors = false

    package init(client: SMPClientConfiguration = SMPClientConfiguration(), proxy: ProxyPolicy = ProxyPolicy()) {
        self.clientConfiguration = client
        self.proxyPolicy = proxy
    }
}
