package import SimpleXCrypto

/// A relay that a client reaches through a proxy. The proxy has a session with the relay, and the client authorizes its
/// commands for this session.
package struct ProxiedRelay: Sendable {
    /// The address of the relay, without a password.
    package let destination: ProtocolServer
    /// The id of the session between proxy and relay, and the protocol version for this client's commands to the relay.
    package let session: SessionParameters
    /// The relay's session key.
    package let sessionKey: X25519.PublicKey

    package init(destination: ProtocolServer, session: SessionParameters, key: X25519.PublicKey) {
        self.destination = destination
        self.session = session
        self.sessionKey = key
    }

    /// A command that is encrypted for the relay, with the data that decrypt the answer.
    package struct SealedCommand {
        package let command: ClientCommand
        package let nonce: BoxNonce
        let secret: X25519.SharedSecret
        let entityID: [UInt8]
    }

    func sealCommand(_ request: SMPRequest) throws(SMPClientError) -> SealedCommand {
        let commandKey: X25519.PrivateKey
        do { commandKey = try X25519.PrivateKey() } catch { throw .smp(.crypto) }
        return try sealCommand(request, nonce: .random(), commandKey: commandKey)
    }

    /// Encrypts a command for the relay.
    /// - Parameters:
    ///   - nonce: the nonce, which is also the correlation id, in both layers of encryption.
    ///   - commandKey: a key for this command only.
    package func sealCommand(
        _ request: SMPRequest,
        nonce: BoxNonce,
        commandKey: X25519.PrivateKey
    ) throws(SMPClientError) -> SealedCommand {
        var request = request
        request.corrID = nonce.rawRepresentation
        let prepared = try PreparedRequest(request, session: session, serverKey: sessionKey)
        guard case .block(let batch, _)? = TransmissionBatch.splitIntoBlocks([prepared.transmission]).first else {
            throw .transport(.largeMsg)
        }
        do {
            let secret = try commandKey.sharedSecret(with: sessionKey)
            let box = try CryptoBox.seal(
                batch,
                secret: secret,
                nonce: nonce,
                paddedTo: ForwardedTransmission.paddedLength
            )
            return SealedCommand(
                command: .pfwd(version: session.version, commandKey.publicKey, encTransmission: box),
                nonce: nonce,
                secret: secret,
                entityID: request.entityID
            )
        } catch CryptoError.messageTooLarge {
            throw .transport(.largeMsg)
        } catch {
            throw .smp(.crypto)
        }
    }

    package func openAnswer(_ encResponse: [UInt8], _ sealed: SealedCommand) throws(SMPClientError) -> BrokerMessage {
        guard let batch = try? CryptoBox.open(encResponse, secret: sealed.secret, nonce: sealed.nonce.reversed) else {
            throw .smp(.crypto)
        }
        guard let transmissions = try? TransmissionBatch.parseTransmissions(batch), transmissions.count == 1,
            let bytes = transmissions.first,
            let transmission = try? ReceivedTransmission(parsing: bytes, session: session)
        else { throw .transport(.badBlock) }
        guard let message = try? transmission.parseBrokerMessage() else {
            throw .response(SMPErrorType.cmd(.syntax).text)
        }
        if case .err(let error) = message { throw .smp(error) }
        guard transmission.corrID == sealed.nonce.rawRepresentation, transmission.entityID == sealed.entityID else {
            throw .unexpected(message.tag)
        }
        return message
    }
}

/// An error of a proxy, or an error between the proxy and the relay behind it.
package struct ProxyFailure: Error, Hashable, Sendable {
    package var proxy: ProtocolServer
    package var relay: ProtocolServer
    package var reason: Reason

    package enum Reason: Hashable, Sendable {
        /// The proxy answered with an error (ERR). The error `PROXY …` reports an error of the relay behind the proxy.
        case protocolError(SMPErrorType)
        /// A well-formed answer of the proxy that does not belong to the command; the text is its first word.
        case unexpectedResponse(String)
        /// An answer of the proxy that cannot be parsed.
        case responseError(String)

        /// Makes the reason of the failure from an error of a forwarded command; nil for an error between client and
        /// proxy.
        init?(_ error: SMPClientError) {
            switch error {
            case .smp(let error): self = .protocolError(error)
            case .unexpected(let tag): self = .unexpectedResponse(tag)
            case .response(let detail): self = .responseError(detail)
            default: return nil
            }
        }
    }

    package init(proxy: ProtocolServer, relay: ProtocolServer, reason: Reason) {
        self.proxy = proxy
        self.relay = relay
        self.reason = reason
    }

    /// The error between the proxy and the relay, if the proxy has reported such an error.
    package var brokerError: SMPBrokerError? {
        if case .protocolError(.proxy(.broker(let error))) = reason { error } else { nil }
    }

    /// Whether the same command may succeed later.
    package var isTemporary: Bool {
        switch reason {
        case .protocolError(let error): error.isTemporary
        default: false
        }
    }
}
