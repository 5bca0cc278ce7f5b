/// The settings for the servers of an operator in a terminal command, in the form `1:on:smp=storage:xftp=off`.
package struct ConsoleOperator: Hashable, Sendable {
    /// The purposes for which an operator's servers of one protocol are used: as proxies, for storage, for both (`on`),
    /// or not at all (`off`).
    package enum Roles: String, Hashable, Sendable {
        case off, proxy, storage, on

        package var allowsStorage: Bool { self == .storage || self == .on }
        package var allowsProxy: Bool { self == .proxy || self == .on }
    }

    package var operatorId: Int64
    package var isEnabled: Bool
    package var smpRoles = Roles.on
    package var xftpRoles = Roles.on

    var commandText: String {
        "\(operatorId):\(isEnabled ? "on" : "off")" + (smpRoles == .on ? "" : ":smp=\(smpRoles.rawValue)")
            + (xftpRoles == .on ? "" : ":xftp=\(xftpRoles.rawValue)")
    }
}

/// A chat relay in the terminal command `/relays`.
package struct ConsoleRelay: Hashable, Sendable {
    package var name: String
    package var address: String
}

/// The settings in the terminal command `/network`. If `smpProxyMode`, `smpProxyFallback` or `timeoutSeconds` is nil,
/// the setting does not change. If `socksProxy` is nil, the proxy is switched off. Any other setting that the command
/// does not contain gets its default.
package struct ConsoleNetwork: Hashable, Sendable {
    /// The address of the SOCKS proxy: `[user:password@ | @][address][:port]`; nil for no proxy.
    package var socksProxy: String?
    package var socksMode = SocksMode.always
    package var hostMode: HostMode
    package var requiredHostMode = false
    package var smpProxyMode: SMPProxyMode?
    package var smpProxyFallback: SMPProxyFallback?
    package var smpWebPortServers = SMPWebPortServers.preset
    /// Timeout in seconds for interactive requests to a server.
    package var timeoutSeconds: Int64?
    package var logTLSErrors = false

    /// The address of the SOCKS proxy for the option `socks=on`, which contains no address.
    static let standardProxy = "127.0.0.1:9050"

    fileprivate static let proxyFallbackWords: [(word: String, value: SMPProxyFallback)] = [
        ("yes", .allow), ("protected", .allowProtected), ("no", .prohibit),
    ]

    var commandText: String {
        var words = [
            "socks=\(socksProxy ?? "off")", "socks-mode=\(socksMode.rawValue)",
            "host-mode=\(Self.chooseModeWord(of: hostMode))",
        ]
        if requiredHostMode { words.append("required-host-mode") }
        if let smpProxyMode { words.append("smp-proxy=\(smpProxyMode.rawValue)") }
        if let fallback = Self.proxyFallbackWords.first(where: { $0.value == smpProxyFallback }) {
            words.append("smp-proxy-fallback=\(fallback.word)")
        }
        words.append("smp-web-port-servers=\(smpWebPortServers.rawValue)")
        if let timeoutSeconds { words.append("timeout=\(timeoutSeconds)") }
        words.append("log=\(logTLSErrors ? "on" : "off")")
        return words.joined(separator: " ")
    }

    /// Returns the word for a host mode in the command `/network`. In this command, the word `onion` means the mode
    /// `onionViaSocks`, as in the terminal. The command has no word for the mode `onion`.
    fileprivate static func chooseModeWord(of mode: HostMode) -> String {
        mode == .onionViaSocks ? "onion" : mode.rawValue
    }
}

extension CommandScanner {
    /// Parses the addresses of servers: ` address;address`. Without addresses, the command only lists the servers.
    mutating func scanServers(_ kind: ServerProtocol) throws(CommandParseError) -> ConsoleCommand.OwnAction {
        if isAtEnd { return .listServers(kind) }
        let addresses = try scanWord().split(separator: ";", omittingEmptySubsequences: false).map(String.init)
        guard addresses.allSatisfy({ $0.hasPrefix("\(kind.rawValue)://") }) else { throw .malformed }
        return .setServers(kind, addresses: addresses)
    }

    /// Parses the names and addresses of relays: ` name=NAME ADDRESS name=NAME ADDRESS`. Without relays, the command
    /// only lists the relays.
    mutating func scanRelays() throws(CommandParseError) -> ConsoleCommand.OwnAction {
        if isAtEnd { return .listRelays }
        var relays: [ConsoleRelay] = []
        while !isAtEnd {
            let name = try scanWord()
            guard name.hasPrefix("name="), name.count > 5 else { throw .malformed }
            relays.append(ConsoleRelay(name: String(name.dropFirst(5)), address: try scanWord()))
        }
        return .setRelays(relays)
    }

    mutating func scanOperators() throws(CommandParseError) -> [ConsoleOperator] {
        var operators: [ConsoleOperator] = []
        for text in try scanWord().split(separator: ",", omittingEmptySubsequences: false) {
            var parts = text.split(separator: ":", omittingEmptySubsequences: false)[...]
            guard let id = parts.popFirst(), let isOn = parts.popFirst() else { throw .malformed }
            var one = ConsoleOperator(
                operatorId: try Self.parseNumber(id),
                isEnabled: try Self.parseOnOff(String(isOn))
            )
            if let part = parts.first, part.hasPrefix("smp=") {
                one.smpRoles = try Self.parseRoles(parts.removeFirst().dropFirst(4))
            }
            if let part = parts.first, part.hasPrefix("xftp=") {
                one.xftpRoles = try Self.parseRoles(parts.removeFirst().dropFirst(5))
            }
            guard parts.isEmpty else { throw .malformed }
            operators.append(one)
        }
        return operators
    }

    private static func parseRoles(_ word: Substring) throws(CommandParseError) -> ConsoleOperator.Roles {
        guard let roles = ConsoleOperator.Roles(rawValue: String(word)) else { throw .malformed }
        return roles
    }

    /// Parses network settings in a fixed order: ` socks=off timeout=9`.
    mutating func scanNetwork() throws(CommandParseError) -> ConsoleNetwork {
        guard let socks = try scanOption("socks") else { throw .malformed }
        let proxy = socks == "off" ? nil : socks == "on" ? ConsoleNetwork.standardProxy : socks
        var network = ConsoleNetwork(socksProxy: proxy, hostMode: proxy == nil ? .public : .onionViaSocks)
        if let mode = try scanOption("socks-mode") { network.socksMode = try Self.parseKnownValue(mode) }
        if let mode = try scanOption("host-mode") {
            guard
                let found = [HostMode.public, .onionViaSocks].first(where: {
                    ConsoleNetwork.chooseModeWord(of: $0) == mode
                })
            else { throw .malformed }
            network.hostMode = found
        }
        network.requiredHostMode = skipPrefix(" required-host-mode")
        if let mode = try scanOption("smp-proxy") { network.smpProxyMode = try Self.parseKnownValue(mode) }
        if let word = try scanOption("smp-proxy-fallback") {
            guard let fallback = ConsoleNetwork.proxyFallbackWords.first(where: { $0.word == word }) else {
                throw .malformed
            }
            network.smpProxyFallback = fallback.value
        }
        if let servers = try scanOption("smp-web-port-servers") {
            network.smpWebPortServers = try Self.parseKnownValue(servers)
        } else if skipPrefix(" smp-web-port") {
            network.smpWebPortServers = .all
        }
        if let seconds = try scanOption("timeout") { network.timeoutSeconds = try Self.parseNumber(seconds) }
        network.logTLSErrors = try scanFlag("log") ?? false
        return network
    }

    private static func parseKnownValue<Value: OpenEnum>(_ word: String) throws(CommandParseError) -> Value {
        let value = Value(rawValue: word)
        guard Value.knownValues.contains(value) else { throw .malformed }
        return value
    }
}
