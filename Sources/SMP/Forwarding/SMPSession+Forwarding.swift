import NIOCore
import SimpleXCrypto
import Transport

extension SMPSession {
    /// Forwards a client's encrypted command to the relay of this session (RFWD), for a proxy. Returns the answer,
    /// which only the client can read.
    package func forwardTransmission(_ transmission: ForwardedTransmission) async throws(SMPClientError) -> [UInt8] {
        guard let sessionSecret else { throw .transport(.noServerAuth) }
        let nonce = BoxNonce.random()
        guard let plain = try? transmission.smpEncoded(),
            let encForward = try? CryptoBox.seal(plain, secret: sessionSecret, nonce: nonce)
        else { throw .smp(.crypto) }
        let answer = try await sendRequest(SMPRequest(.rfwd(encForward: encForward), corrID: nonce.rawRepresentation))
        guard case .rres(let encResponse) = answer else { throw .unexpected(answer.tag) }
        guard
            let response = try? CryptoBox.open(encResponse, secret: sessionSecret, nonce: nonce.reversed, padded: false)
        else {
            throw .smp(.crypto)
        }
        guard let forwarded = try? ForwardedResponse(smpEncoded: response) else {
            throw .response(SMPErrorType.block.text)
        }
        return forwarded.encResponse
    }

    /// Asks the relay of this session to forward commands of this client to `relay` (PRXY).
    ///
    /// - Parameter password: the password of this session's relay, if the relay requires one.
    package func requestForwarding(
        to relay: ProtocolServer,
        password: String?,
        patience: Patience = .background
    ) async throws(SMPClientError) -> ProxiedRelay {
        guard parameters.version >= .firstWithSendingProxy else { throw .transport(.version) }
        var destination = relay
        destination.password = nil
        let permittedRelay = try await applyForwardingRule(destination)
        // The proxy first connects to the relay behind it, so the time limit includes that connection.
        let answer = try await sendRequest(
            SMPRequest(.prxy(permittedRelay, password: password)),
            timeout: configuration.connectTimeout(patience) + configuration.responseTimeout(patience)
        )
        guard case .pkey(let sessionID, let versions, let key) = answer else { throw .unexpected(answer.tag) }
        guard let agreed = configuration.versions.commonVersions(with: versions) else {
            throw .smp(.proxy(.broker(.transport(.version))))
        }
        guard let relayKey = key.verifiedKey(fingerprint: relay.keyHash) else {
            throw .smp(.proxy(.broker(.transport(.handshake(.identity)))))
        }
        return ProxiedRelay(
            destination: destination,
            session: SessionParameters(version: SMPVersion(agreed.max), sessionID: sessionID),
            key: relayKey
        )
    }

    /// Maximal number of hosts of a relay that are checked against the forwarding rule. A proxy gets at most this
    /// number of permitted hosts.
    private static let maxCheckedHosts = 8

    /// Applies the configured rule for relays behind a proxy, and returns the relay with its permitted hosts. Without a
    /// rule, or if the rule returns nil, the relay is unchanged. If no host is permitted, or the port is not a number,
    /// throws the error of a proxy that cannot connect.
    private func applyForwardingRule(_ relay: ProtocolServer) async throws(SMPClientError) -> ProtocolServer {
        guard let rule = configuration.transport.forwardingRule else { return relay }
        // A text that is not a port number is refused, because a proxy may read it as the name of a service.
        guard let port = relay.portNumber else { throw .smp(.proxy(.broker(.network(.failed)))) }
        let proxy = peerAddress
        var permitted = relay
        permitted.hosts = []
        for host in relay.hosts.prefix(Self.maxCheckedHosts) {
            guard let hosts = await rule((host.description, Int(port)), proxy) else { return relay }
            permitted.hosts += hosts.compactMap { try? TransportHost(parsing: $0) }
        }
        guard !permitted.hosts.isEmpty else { throw .smp(.proxy(.broker(.network(.failed)))) }
        permitted.hosts = Array(permitted.hosts.prefix(Self.maxCheckedHosts))
        return permitted
    }

    /// Sends a sender's command through the relay of this session to the relay behind it (PFWD). Throws `.smp` for an
    /// ERR of the relay behind the proxy, and `.proxy` for errors that the proxy reports. Other errors happened between
    /// this client and the proxy, or come from an unusable answer of the relay.
    package func sendThroughProxy(
        _ request: SMPRequest,
        to relay: ProxiedRelay,
        patience: Patience = .background
    ) async throws(SMPClientError) -> BrokerMessage {
        let sealed = try relay.sealCommand(request)
        let answer: BrokerMessage
        do throws(SMPClientError) {
            answer = try await sendRequest(
                SMPRequest(sealed.command, entityID: relay.session.sessionID, corrID: sealed.nonce.rawRepresentation),
                timeout: configuration.responseTimeout(patience) * 2
            )
        } catch {
            throw ProxyFailure.Reason(error).map {
                .proxy(ProxyFailure(proxy: server, relay: relay.destination, reason: $0))
            } ?? error
        }
        guard case .pres(let encResponse) = answer else {
            throw .proxy(ProxyFailure(proxy: server, relay: relay.destination, reason: .unexpectedResponse(answer.tag)))
        }
        return try relay.openAnswer(encResponse, sealed)
    }
}

extension CertificateChainKey {
    /// Returns the session key, if the certificate chain belongs to the server with this fingerprint and the leaf
    /// certificate has signed the session key. Otherwise returns nil.
    func verifiedKey(fingerprint: [UInt8]) -> X25519.PublicKey? {
        guard (try? PeerIdentity.verifyChain(certificates, fingerprint: fingerprint)) != nil,
            let leaf = certificates.first,
            let signer = try? SignaturePublicKey(certificate: leaf)
        else { return nil }
        return signedKey.verifiedKey(signedBy: signer)
    }
}
