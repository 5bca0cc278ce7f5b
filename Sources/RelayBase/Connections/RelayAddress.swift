package import Transport

/// Chooses the host in the address of a relay.
package enum RelayAddress {
    /// Returns the host for the address of a relay.
    /// - Parameters:
    ///   - publicHost: the name that clients use for the relay, if it differs from `host`.
    ///   - host: the host on which the relay listens.
    /// - Throws: ``RelayError/noPublicHost(_:)`` when the relay listens on all addresses and has no name,
    ///   ``RelayError/invalidHost(_:)`` for a host that is not valid in an address.
    package static func chooseHost(publicHost: String?, host: String) throws(RelayError) -> TransportHost {
        let named = publicHost ?? host
        guard let host = try? TransportHost(parsing: named) else { throw .invalidHost(named) }
        switch host {
        case .ipv4(let bytes), .ipv6(let bytes): if bytes.allSatisfy({ $0 == 0 }) { throw .noPublicHost(named) }
        case .onion, .domain: break
        }
        return host
    }
}
