internal import SMP
internal import Transport

/// A SOCKS proxy in the form of the API: `[user:password@ | @][host][:port]`. The default host is 127.0.0.1, and the
/// default port is 9050.
struct SOCKSAddress: Equatable {
    enum Authentication: Equatable {
        /// Each session authenticates as a different client, so that the proxy isolates the sessions.
        case isolate
        case none
        case password(username: String, password: String)
    }

    var authentication: Authentication
    /// An IPv4 or IPv6 address, without brackets.
    var host: String
    var port: UInt16

    /// Parses an address; nil for a text in another form.
    init?(_ text: String) {
        var rest = text[...]
        if let at = rest.lastIndex(of: "@") {
            let credentials = rest[..<at]
            rest = rest[rest.index(after: at)...]
            if credentials.isEmpty {
                authentication = .none
            } else {
                guard let colon = credentials.firstIndex(of: ":") else { return nil }
                let (username, password) = (credentials[..<colon], credentials[credentials.index(after: colon)...])
                guard (1...255).contains(username.utf8.count), password.utf8.count <= 255 else { return nil }
                authentication = .password(username: String(username), password: String(password))
            }
        } else {
            authentication = .isolate
        }
        host = "127.0.0.1"
        port = 9050
        if let colon = rest.lastIndex(of: ":"), !rest.contains("[") || rest[..<colon].hasSuffix("]"),
            !Self.isAddress(rest)
        {
            guard let number = UInt16(rest[rest.index(after: colon)...]), number > 0 else { return nil }
            port = number
            rest = rest[..<colon]
        }
        if rest.hasPrefix("["), rest.hasSuffix("]") { rest = rest.dropFirst().dropLast() }
        guard !rest.isEmpty else { return }
        guard Self.isAddress(rest) else { return nil }
        host = String(rest)
    }

    private static func isAddress(_ text: Substring) -> Bool {
        switch try? TransportHost(parsing: String(text)) {
        case .ipv4?, .ipv6?: true
        default: false
        }
    }

    var text: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return switch authentication {
        case .isolate: "\(name):\(port)"
        case .none: "@\(name):\(port)"
        case .password(let username, let password): "\(username):\(password)@\(name):\(port)"
        }
    }
}
