public import Transport

/// The address of a relay for its clients.
public enum RelayAddress {
    /// The host that addresses name.
    /// - Parameters:
    ///   - publicHost: the name by which clients reach the relay, if it differs from `host`.
    ///   - host: the host that the relay listens on.
    /// - Throws: ``RelayError/unnamed(_:)`` when the relay listens on all addresses and has no name,
    ///   ``RelayError/invalidHost(_:)`` for a host that no address can have.
    public static func host(publicHost: String?, host: String) throws(RelayError) -> TransportHost {
        let named = publicHost ?? host
        guard let host = try? TransportHost(parsing: named) else { throw .invalidHost(named) }
        switch host {
        case .ipv4(let bytes), .ipv6(let bytes): if bytes.allSatisfy({ $0 == 0 }) { throw .unnamed(named) }
        case .onion, .domain: break
        }
        return host
    }
}
