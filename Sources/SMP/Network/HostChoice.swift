/// Which of the names of a relay is used to reach it. The names of the cases are those of the API's network configuration.
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

    /// The hosts to be tried, in order. Never one of the other kind after one that was wanted: a relay that is only away for a while must
    /// not learn an address that was to be hidden.
    func candidates(_ hosts: [TransportHost], socks: SOCKSProxy?) throws(SMPClientError) -> [TransportHost] {
        let wantsOnion =
            switch mode {
            case .onionViaSocks: socks != nil
            case .onion: true
            case .public: false
            }
        let wanted = hosts.filter { $0.isOnion == wantsOnion }
        guard wanted.isEmpty else { return wanted }
        guard !isRequired else { throw .incompatibleHost }
        return hosts
    }
}

extension TransportHost {
    public var isOnion: Bool { if case .onion = self { true } else { false } }
}

/// To which relays the port of the web is taken when their address names none: networks that let nothing else out let that through.
public enum WebPorts: Hashable, Sendable {
    case off
    /// To relays whose first host is a name with one of these endings.
    case domains([String])
    case all

    func serve(_ server: ProtocolServer) -> Bool {
        guard server.port.isEmpty else { return false }
        switch self {
        case .off: return false
        case .all: return true
        case .domains(let endings):
            guard case .domain(let name)? = server.hosts.first else { return false }
            return endings.contains { name.hasSuffix($0) }
        }
    }
}
