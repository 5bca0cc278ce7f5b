/// The setting that chooses among the hosts of a relay. The names of the cases of ``Mode`` are the values of `hostMode`
/// in the API's network configuration.
package struct HostChoice: Hashable, Sendable {
    package enum Mode: String, Sendable, CaseIterable {
        /// Uses onion hosts if there is a SOCKS proxy, otherwise public hosts.
        case onionViaSocks
        case onion
        case `public`
    }

    package var mode: Mode
    /// Whether only hosts of the kind in ``mode`` may be used. Otherwise, a relay that has no host of this kind is
    /// reached at any of its hosts.
    package var isModeRequired: Bool

    package init(mode: Mode = .onionViaSocks, isRequired: Bool = false) {
        self.mode = mode
        self.isModeRequired = isRequired
    }

    /// Returns the hosts to try, in order. If the relay has hosts of the wanted kind, no other hosts are tried. If an
    /// onion host failed and the client then tried a public host, the relay would learn the client's address, which
    /// should stay hidden.
    func selectHosts(_ hosts: [TransportHost], socks: SOCKSProxy?) throws(RouteError) -> [TransportHost] {
        let wantsOnion =
            switch mode {
            case .onionViaSocks: socks != nil
            case .onion: true
            case .public: false
            }
        let wanted = hosts.filter { $0.isOnion == wantsOnion }
        guard wanted.isEmpty else { return wanted }
        guard !isModeRequired else { throw .incompatibleHosts }
        return hosts
    }
}

extension TransportHost {
    package var isOnion: Bool { if case .onion = self { true } else { false } }
}

/// The relays that are reached at the web port (443) if their address has no port. Some networks allow only this port.
package enum WebPortUse: Hashable, Sendable {
    case noRelays
    /// Relays whose first host is a name with one of these endings.
    case domains([String])
    case allRelays

    /// Returns whether a server with these hosts, whose address has no port, is reached at the web port.
    func appliesTo(_ hosts: [TransportHost]) -> Bool {
        switch self {
        case .noRelays: return false
        case .allRelays: return true
        case .domains(let endings):
            guard case .domain(let name)? = hosts.first else { return false }
            return endings.contains { name.hasSuffix($0) }
        }
    }
}
