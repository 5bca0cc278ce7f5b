/// The settings for the servers of an operator, in the form `1:on:smp=storage:xftp=off`.
package struct ConsoleOperator: Hashable, Sendable {
    /// The uses of the servers of one protocol.
    package enum Roles: String, Hashable, Sendable {
        case off, proxy, storage, on

        package var isStorage: Bool { self == .storage || self == .on }
        package var isProxy: Bool { self == .proxy || self == .on }
    }

    package var operatorId: Int64
    package var enabled: Bool
    package var smpRoles = Roles.on
    package var xftpRoles = Roles.on

    var commandText: String {
        "\(operatorId):\(enabled ? "on" : "off")" + (smpRoles == .on ? "" : ":smp=\(smpRoles.rawValue)")
            + (xftpRoles == .on ? "" : ":xftp=\(xftpRoles.rawValue)")
    }
}

/// A chat relay in the command `/relays`.
package struct ConsoleRelay: Hashable, Sendable {
    package var name: String
    package var address: String
}

/// The settings in the command `/network`. An optional setting that is nil does not change. Any other setting returns
/// to its default if the command does not contain it.
package struct ConsoleNetwork: Hashable, Sendable {
    /// SOCKS proxy: `[user:password@ | @][address][:port]`; nil for none.
    package var socksProxy: String?
    package var socksMode = SocksMode.always
    package var hostMode: HostMode
    package var requiredHostMode = false
    package var smpProxyMode: SMPProxyMode?
    package var smpProxyFallback: SMPProxyFallback?
    package var smpWebPortServers = SMPWebPortServers.preset
    /// Timeout in seconds for interactive requests to a server.
    package var timeout: Int64?
    package var logTLSErrors = false

    /// The SOCKS proxy for `socks=on`, which has no address.
    static let standardProxy = "127.0.0.1:9050"

    fileprivate static let fallbacks: [(word: String, value: SMPProxyFallback)] = [
        ("yes", .allow), ("protected", .allowProtected), ("no", .prohibit),
    ]

    var commandText: String {
        var words = [
            "socks=\(socksProxy ?? "off")", "socks-mode=\(socksMode.rawValue)", "host-mode=\(Self.word(of: hostMode))",
        ]
        if requiredHostMode { words.append("required-host-mode") }
        if let smpProxyMode { words.append("smp-proxy=\(smpProxyMode.rawValue)") }
        if let fallback = Self.fallbacks.first(where: { $0.value == smpProxyFallback }) {
            words.append("smp-proxy-fallback=\(fallback.word)")
        }
        words.append("smp-web-port-servers=\(smpWebPortServers.rawValue)")
        if let timeout { words.append("timeout=\(timeout)") }
        words.append("log=\(logTLSErrors ? "on" : "off")")
        return words.joined(separator: " ")
    }

    /// Returns the word of the terminal for a mode. The terminal has no word for hosts that are reached only through a
    /// proxy.
    fileprivate static func word(of mode: HostMode) -> String { mode == .onionViaSocks ? "onion" : mode.rawValue }
}

extension CommandScanner {
    /// Parses ` address;address`. Without addresses, the command only lists the servers.
    mutating func servers(_ kind: ServerProtocol) throws(CommandParseError) -> ConsoleCommand.OwnAction {
        if isAtEnd { return .servers(kind) }
        let addresses = try word().split(separator: ";", omittingEmptySubsequences: false).map(String.init)
        guard addresses.allSatisfy({ $0.hasPrefix("\(kind.rawValue)://") }) else { throw .malformed }
        return .setServers(kind, addresses: addresses)
    }

    /// Parses ` name=NAME ADDRESS name=NAME ADDRESS`. Without relays, the command only lists the relays.
    mutating func relays() throws(CommandParseError) -> ConsoleCommand.OwnAction {
        if isAtEnd { return .relays }
        var relays: [ConsoleRelay] = []
        while !isAtEnd {
            let name = try word()
            guard name.hasPrefix("name="), name.count > 5 else { throw .malformed }
            relays.append(ConsoleRelay(name: String(name.dropFirst(5)), address: try word()))
        }
        return .setRelays(relays)
    }

    mutating func operators() throws(CommandParseError) -> [ConsoleOperator] {
        var operators: [ConsoleOperator] = []
        for text in try word().split(separator: ",", omittingEmptySubsequences: false) {
            var parts = text.split(separator: ":", omittingEmptySubsequences: false)[...]
            guard let id = parts.popFirst(), let isOn = parts.popFirst() else { throw .malformed }
            var one = ConsoleOperator(operatorId: try Self.number(id), enabled: try Self.onOff(String(isOn)))
            if let part = parts.first, part.hasPrefix("smp=") {
                one.smpRoles = try Self.roles(parts.removeFirst().dropFirst(4))
            }
            if let part = parts.first, part.hasPrefix("xftp=") {
                one.xftpRoles = try Self.roles(parts.removeFirst().dropFirst(5))
            }
            guard parts.isEmpty else { throw .malformed }
            operators.append(one)
        }
        return operators
    }

    private static func roles(_ word: Substring) throws(CommandParseError) -> ConsoleOperator.Roles {
        guard let roles = ConsoleOperator.Roles(rawValue: String(word)) else { throw .malformed }
        return roles
    }

    /// Parses settings in a fixed order: ` socks=off timeout=9`.
    mutating func network() throws(CommandParseError) -> ConsoleNetwork {
        guard let socks = try option("socks") else { throw .malformed }
        let proxy = socks == "off" ? nil : socks == "on" ? ConsoleNetwork.standardProxy : socks
        var network = ConsoleNetwork(socksProxy: proxy, hostMode: proxy == nil ? .public : .onionViaSocks)
        if let mode = try option("socks-mode") { network.socksMode = try Self.known(mode) }
        if let mode = try option("host-mode") {
            guard let found = [HostMode.public, .onionViaSocks].first(where: { ConsoleNetwork.word(of: $0) == mode })
            else { throw .malformed }
            network.hostMode = found
        }
        network.requiredHostMode = take(" required-host-mode")
        if let mode = try option("smp-proxy") { network.smpProxyMode = try Self.known(mode) }
        if let word = try option("smp-proxy-fallback") {
            guard let fallback = ConsoleNetwork.fallbacks.first(where: { $0.word == word }) else { throw .malformed }
            network.smpProxyFallback = fallback.value
        }
        if let servers = try option("smp-web-port-servers") {
            network.smpWebPortServers = try Self.known(servers)
        } else if take(" smp-web-port") {
            network.smpWebPortServers = .all
        }
        if let seconds = try option("timeout") { network.timeout = try Self.number(seconds) }
        network.logTLSErrors = try flag("log") ?? false
        return network
    }

    private static func known<Value: OpenEnum>(_ word: String) throws(CommandParseError) -> Value {
        let value = Value(rawValue: word)
        guard Value.known.contains(value) else { throw .malformed }
        return value
    }
}
