internal import ChatCore
package import NIOCore
internal import OutgoingHTTP

/// Decides to which addresses a tenant's store may connect for relays, SOCKS proxies and desktops, and to which relays
/// an embedded relay may forward. The policy permits public addresses, the addresses that are also permitted for
/// webhooks, and the addresses of the operator's relays.
package struct RelayAddressPolicy: Sendable {
    private let addressPolicy: AddressPolicy
    private let namedRelays: Set<String>

    /// - Parameters:
    ///   - allowed: ranges of addresses in inner networks. A text that is not a range of addresses is ignored.
    ///   - named: hosts and ports of the operator's relays.
    package init(allowed: [String], named: [(host: String, port: Int)]) {
        addressPolicy = AddressPolicy(allowed: allowed.compactMap { AddressRange($0) })
        self.namedRelays = Set(named.map { "\($0.host):\($0.port)" })
    }

    package func permits(_ host: String, _ port: Int, _ address: SocketAddress) -> Bool {
        if isOperatorRelay(host, port) { return true }
        guard let address = address.ipAddress.flatMap({ IPAddress($0) }) else { return false }
        return addressPolicy.permits(address, isEncrypted: true)
    }

    /// Returns the hosts of a relay that a tenant's store may name to a proxy, which then connects to one of them. A
    /// proxy in an inner network could connect to any address of this network. So the result contains only permitted
    /// addresses, or the host of a relay of the operator.
    /// - Returns: nil for a proxy with a public address or name, which may connect to all hosts of the relay. Such a
    ///   proxy is a relay of the operator, which checks addresses itself, or is outside of the operator's network.
    func resolveHosts(
        of relay: (host: String, port: Int),
        behind proxy: (host: String, port: Int),
        lookUp: (String) async -> [IPAddress] = { await SystemLookup.findAddresses(of: $0) }
    ) async -> [String]? {
        guard Self.isInInnerNetwork(host: proxy.host) else { return nil }
        if isOperatorRelay(relay.host, relay.port) { return [relay.host] }
        let found: [IPAddress] =
            if let address = IPAddress(relay.host) {
                [address]
            } else if relay.host.hasSuffix(".onion") {
                []
            } else {
                await lookUp(relay.host)
            }
        let permitted = found.filter { addressPolicy.permits($0, isEncrypted: true) }.map(\.description).sorted()
        // The proxy tries the addresses in this order. IPv4 comes first, so that an IPv6 address that does not answer
        // delays nothing. The order is always the same, so that all commands use one session with the relay.
        return permitted.filter { !$0.contains(":") } + permitted.filter { $0.contains(":") }
    }

    /// Whether a host and a port belong to a relay of the operator.
    private func isOperatorRelay(_ host: String, _ port: Int) -> Bool { namedRelays.contains("\(host):\(port)") }

    /// Whether a text is an address or a range of addresses that ``init(allowed:named:)`` accepts.
    package static func isAddressRange(_ text: String) -> Bool { AddressRange(text) != nil }

    /// Returns whether only an inner network can reach a relay with this host. This is the case if the address is not
    /// public, or the name is not in the public DNS (RFC 6761, RFC 6762, RFC 8375, ICANN's `internal`). Such a relay
    /// may forward to other relays in the same network.
    package static func isInInnerNetwork(host: String) -> Bool {
        let name = host.lowercased().drop { $0 == "[" }
        var text = String(name)
        while let last = text.last, last == "." || last == "]" { text.removeLast() }
        if let address = IPAddress(text) { return !address.isPublic }
        guard let dot = text.lastIndex(of: ".") else { return true }
        let ending = text[text.index(after: dot)...]
        return ["localhost", "local", "lan", "internal"].contains(ending) || text.hasSuffix(".home.arpa")
    }
}
