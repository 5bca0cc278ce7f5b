package import SMP
package import SimpleXCrypto

extension NTFSession {
    /// Registers a token (TNEW). The server pushes a code to the token.
    /// - Returns: the token's id, and the server's Diffie-Hellman key. The client's key and this key give the secret
    ///   that encrypts pushes.
    package func registerToken(
        _ token: PushToken,
        key: AuthorizationPrivateKey,
        dhKey: X25519.PublicKey,
        patience: Patience = .background
    ) async throws(SMPClientError) -> (id: [UInt8], dhKey: X25519.PublicKey) {
        let answer = try await sendCommand(
            .newToken(token, key: key.publicKey, dhKey: dhKey),
            key: key,
            patience: patience
        )
        guard case .tokenID(let id, let serverKey) = answer else { throw .unexpected(answer.tag) }
        return (id, serverKey)
    }

    /// Requests the status of a token (TCHK).
    package func checkToken(
        _ id: [UInt8],
        key: AuthorizationPrivateKey,
        patience: Patience = .background
    ) async throws(SMPClientError) -> NTFTokenStatus {
        let answer = try await sendCommand(.checkToken, entityID: id, key: key, patience: patience)
        guard case .token(let status) = answer else { throw .unexpected(answer.tag) }
        return status
    }

    /// Sends one of the commands TVFY, TRPL, TDEL, TCRN and SDEL, and waits for OK.
    package func sendExpectingOK(
        _ command: NTFCommand,
        of id: [UInt8],
        key: AuthorizationPrivateKey,
        patience: Patience = .background
    ) async throws(SMPClientError) {
        let answer = try await sendCommand(command, entityID: id, key: key, patience: patience)
        guard case .ok = answer else { throw .unexpected(answer.tag) }
    }

    /// Asks the server to subscribe to the notifier of a queue (SNEW). Returns the id of the subscription.
    package func subscribeToNotifier(
        _ address: NotifierAddress,
        notifierKey: AuthorizationPrivateKey,
        tokenID: [UInt8],
        key: AuthorizationPrivateKey
    ) async throws(SMPClientError) -> [UInt8] {
        let answer = try await sendCommand(.newSubscription(tokenID: tokenID, address, key: notifierKey), key: key)
        guard case .subscriptionID(let id) = answer else { throw .unexpected(answer.tag) }
        return id
    }

    /// Requests the status of a subscription (SCHK).
    package func checkSubscription(
        _ id: [UInt8],
        key: AuthorizationPrivateKey
    ) async throws(SMPClientError) -> NTFSubscriptionStatus {
        let answer = try await sendCommand(.checkSubscription, entityID: id, key: key)
        guard case .subscription(let status) = answer else { throw .unexpected(answer.tag) }
        return status
    }
}
