/// A SOCKS5 proxy through which relays are reached (RFC 1928), for example the proxy of a Tor client. The proxy
/// resolves the names of hosts.
package struct SOCKSProxy: Hashable, Sendable {
    /// User name and password (RFC 1929). A proxy that isolates clients by their credentials (Tor's `IsolateSOCKSAuth`)
    /// uses a separate circuit for each user name and password.
    package struct Credentials: Hashable, Sendable {
        /// The user name, 1 to 255 bytes.
        package var username: String
        /// The password, at most 255 bytes.
        package var password: String

        package init(username: String, password: String) {
            self.username = username
            self.password = password
        }
    }

    package enum Usage: String, Sendable, CaseIterable {
        case always
        /// The proxy is used only for onion hosts.
        case onion
    }

    /// The address or name of the proxy.
    package var host: String
    package var port: UInt16
    package var usage: Usage
    package var credentials: Credentials?

    package init(
        host: String = "127.0.0.1",
        port: UInt16 = 9050,
        usage: Usage = .always,
        credentials: Credentials? = nil
    ) {
        self.host = host
        self.port = port
        self.usage = usage
        self.credentials = credentials
    }

    package func isUsedFor(_ host: TransportHost) -> Bool {
        switch (usage, host) {
        case (.always, _), (.onion, .onion): true
        case (.onion, _): false
        }
    }
}

/// The reason why a SOCKS5 proxy does not connect.
package enum SOCKSError: Error, Hashable, Sendable {
    /// The proxy's reply is not SOCKS5.
    case malformedReply
    /// The proxy requires an authentication method that this client does not support, or refuses the credentials.
    case authenticationFailed
    /// The proxy refused the connection, with this code in the reply field (RFC 1928, section 6).
    case connectRefused(code: UInt8)
    /// A host name or credential that is too long to be sent.
    case invalidRequest

    package var text: String {
        switch self {
        case .malformedReply: "SOCKS: malformed reply"
        case .authenticationFailed: "SOCKS: authentication refused"
        case .connectRefused(let code):
            switch code {
            case 1: "SOCKS: general failure"
            case 2: "SOCKS: not allowed by ruleset"
            case 3: "SOCKS: network unreachable"
            case 4: "SOCKS: host unreachable"
            case 5: "SOCKS: connection refused"
            case 6: "SOCKS: TTL expired"
            case 7: "SOCKS: command not supported"
            case 8: "SOCKS: address type not supported"
            default: "SOCKS: error \(code)"
            }
        case .invalidRequest: "SOCKS: invalid request"
        }
    }
}
