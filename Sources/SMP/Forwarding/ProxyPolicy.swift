/// Policy for the forwarding of senders' commands by another relay, which hides the sender's address from the
/// recipient's relay. The policy also says whether commands may be sent directly if forwarding is impossible. The names
/// come from the API's network configuration.
package struct ProxyPolicy: Hashable, Sendable {
    /// The choice of the relays to which commands are sent through a proxy. The raw values are the texts of the API's
    /// network configuration.
    package enum Mode: String, Sendable, CaseIterable {
        case alwaysProxied = "always"
        /// Forwards commands to relays that are not the user's own.
        case onlyUnknownRelays = "unknown"
        /// Forwards commands to relays that are not the user's own, unless a SOCKS proxy or an onion host hides the
        /// sender's address.
        case unprotected
        case neverProxied = "never"
    }

    /// Whether commands are sent directly when the proxy, or the relay behind it, does not support forwarding.
    package enum Fallback: String, Sendable, CaseIterable {
        case allow
        /// Allows direct commands only if a SOCKS proxy or an onion host hides the sender's address.
        case allowProtected
        case prohibit
    }

    package var mode: Mode
    package var fallback: Fallback

    package init(mode: Mode = .onlyUnknownRelays, fallback: Fallback = .allowProtected) {
        self.mode = mode
        self.fallback = fallback
    }

    /// Returns whether a command is forwarded.
    /// - Parameters:
    ///   - isKnown: whether the destination is one of the user's own relays.
    ///   - isProtected: whether the sender's address is hidden from the destination by other means: a SOCKS proxy, or
    ///     an onion host.
    package func usesProxy(isKnown: Bool, isProtected: Bool) -> Bool {
        switch mode {
        case .alwaysProxied: true
        case .onlyUnknownRelays: !isKnown
        case .unprotected: !isKnown && !isProtected
        case .neverProxied: false
        }
    }

    package func allowsDirectSending(isProtected: Bool) -> Bool {
        switch fallback {
        case .allow: true
        case .allowProtected: isProtected
        case .prohibit: false
        }
    }
}

/// The policy and the facts that decide how a sender's commands reach a relay.
package struct SenderRoute: Sendable {
    package var policy: ProxyPolicy
    package var isKnownRelay: Bool
    package var isAddressProtected: Bool

    package init(policy: ProxyPolicy, isKnown: Bool, isProtected: Bool = false) {
        self.policy = policy
        self.isKnownRelay = isKnown
        self.isAddressProtected = isProtected
    }

    /// Sends a command (SEND, SKEY, LKEY, LGET or RSLV) directly or through a proxy, as the policy decides. Throws
    /// `.smp` for an ERR of the destination, both directly and through a proxy.
    ///
    /// - Parameters:
    ///   - direct: returns the client of the destination; called only if needed.
    ///   - proxy: returns the client of the forwarding relay; nil when the user has none.
    package func sendCommand(
        _ request: SMPRequest,
        to destination: ProtocolServer,
        patience: Patience = .background,
        direct: () throws(SMPClientError) -> SMPClient,
        proxy: () throws(SMPClientError) -> SMPClient?
    ) async throws(SMPClientError) -> BrokerMessage {
        // A direct RSLV needs a destination with names, because a relay of an older version must not learn the name.
        let version: SMPVersion = if case .rslv = request.command { .firstWithNames } else { .legacy }
        guard policy.usesProxy(isKnown: isKnownRelay, isProtected: isAddressProtected) else {
            return try await direct().sendRequest(request, from: version, patience: patience)
        }
        do throws(SMPClientError) {
            guard let proxy = try proxy() else { throw .smp(.proxy(.broker(.host))) }
            return try await proxy.sendThroughProxy(request, to: destination, patience: patience)
        } catch {
            guard error.isHostFault, policy.allowsDirectSending(isProtected: isAddressProtected) else { throw error }
        }
        return try await direct().sendRequest(request, from: version, patience: patience)
    }
}
