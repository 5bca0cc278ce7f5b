internal import ChatCore
internal import NIOCore
internal import OutgoingHTTP

/// The addresses that relays, SOCKS proxies and desktops of a tenant's store may have: public addresses, the addresses
/// that webhooks may have too, and the addresses of the operator's relays.
public struct RelayReach: Sendable {
    private let policy: AddressPolicy
    private let named: Set<String>

    /// - Parameters:
    ///   - allowed: ranges of addresses in internal networks. A text in another form is ignored.
    ///   - named: hosts and ports of the operator's relays.
    public init(allowed: [String], named: [(host: String, port: Int)]) {
        policy = AddressPolicy(allowed: allowed.compactMap { AddressRange($0) })
        self.named = Set(named.map { "\($0.host):\($0.port)" })
    }

    func permits(_ host: String, _ port: Int, _ address: SocketAddress) -> Bool {
        if named.contains("\(host):\(port)") { return true }
        guard let address = address.ipAddress.flatMap({ IPAddress($0) }) else { return false }
        return policy.permits(address, isEncrypted: true)
    }
}
