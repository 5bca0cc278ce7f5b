/// The choice among the hosts of a relay. The names of the cases are those of the API's network configuration.
public struct HostChoice: Hashable, Sendable {
    public enum Mode: String, Sendable, CaseIterable {
        /// Onion hosts when there is a SOCKS proxy, else public ones.
        case onionViaSocks
        case onion
        case `public`
    }

    public var mode: Mode
    /// Whether a relay without such a host cannot be reached at all; else any of its hosts will do.
    public var isRequired: Bool

    public init(mode: Mode = .onionViaSocks, isRequired: Bool = false) {
        self.mode = mode
        self.isRequired = isRequired
    }

    /// The hosts to try, in order. If the relay has hosts of the wanted kind, no others are tried: a relay that is only
    /// unreachable for a while must not learn an address that was to be hidden.
    func candidates(_ hosts: [TransportHost], socks: SOCKSProxy?) throws(RouteError) -> [TransportHost] {
        let wantsOnion =
            switch mode {
            case .onionViaSocks: socks != nil
            case .onion: true
            case .public: false
            }
        let wanted = hosts.filter { $0.isOnion == wantsOnion }
        guard wanted.isEmpty else { return wanted }
        guard !isRequired else { throw .incompatibleHosts }
        return hosts
    }
}

extension TransportHost {
    public var isOnion: Bool { if case .onion = self { true } else { false } }
}

/// The relays for which the web port is used when their address has no port: some networks allow only this port.
public enum WebPorts: Hashable, Sendable {
    case off
    /// To relays whose first host is a name with one of these endings.
    case domains([String])
    case all

    /// Whether a server without a port of its own, with these hosts, is reached at the port of the web.
    func serve(_ hosts: [TransportHost]) -> Bool {
        switch self {
        case .off: return false
        case .all: return true
        case .domains(let endings):
            guard case .domain(let name)? = hosts.first else { return false }
            return endings.contains { name.hasSuffix($0) }
        }
    }
}
