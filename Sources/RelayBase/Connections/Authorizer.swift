package import SMP
package import SimpleXCrypto

/// Verifies whether clients are authorized to send their commands.
///
/// The work depends only on the kind of authorization that the client has sent. So the duration does not reveal whether
/// a queue or file exists, whether it has a key, or the type of the key. simplexmq `protocol/simplex-messaging.md`,
/// "Transport connection with the SMP router", "Cryptographic algorithms".
package final class Authorizer {
    private let sessionKey: X25519.PrivateKey
    /// The shared secrets of the session key with the clients' keys that have already authorized a command of this
    /// session. A stored secret makes the check faster. Only the owner of the key can notice the difference.
    private var secretsByKey: [X25519.PublicKey: X25519.SharedSecret] = [:]
    private static let maxSecrets = 64

    package init(sessionKey: X25519.PrivateKey) { self.sessionKey = sessionKey }

    /// Random keys that replace a missing key or a key of a wrong type. With them the check takes as long as with a
    /// real key. Nobody has the private parts.
    private struct DummyKeys: Sendable {
        let ed25519: Ed25519.PublicKey
        let ed448: Ed448.PublicKey
        let x25519: X25519.PublicKey
    }
    private static let dummyKeys = Result {
        DummyKeys(
            ed25519: try Ed25519.PrivateKey().publicKey,
            ed448: try Ed448.PrivateKey().publicKey,
            x25519: try X25519.PrivateKey().publicKey
        )
    }

    /// Verifies whether one of several keys authorizes a command.
    /// - Parameter keys: the keys that may authorize the command; empty when the queue does not exist.
    package func verifyAuthorization(
        _ transmission: ReceivedTransmission,
        keys: [AuthorizationKey],
        service: PeerService? = nil
    ) -> Bool {
        guard keys.count > 1 else { return verifyAuthorization(transmission, key: keys.first, service: service) }
        var isVerified = false
        for key in keys where verifyAuthorization(transmission, key: key, service: service) { isVerified = true }
        return isVerified
    }

    /// Verifies whether a key authorizes a command.
    /// - Parameters:
    ///   - key: nil when the queue or file does not exist, or has no key that may authorize the command.
    ///   - service: the client, if it is a service. If the command also has a signature of the service, the
    ///     authorization by the key also covers the certificate of the service.
    package func verifyAuthorization(
        _ transmission: ReceivedTransmission,
        key: AuthorizationKey?,
        service: PeerService? = nil
    ) -> Bool {
        guard let authorization = transmission.authorization, let dummies = try? Self.dummyKeys.get() else {
            return false
        }
        let certificateHash = transmission.serviceSignature == nil ? [] : service?.certificateHash ?? []
        let stand: AuthorizationKey
        switch (authorization, key) {
        case (.authenticator(let authenticator), .x25519(let key)?):
            return verifyAuthenticator(authenticator, transmission, key, certificateHash)
        case (.signature(let signature), .ed25519?) where signature.count == Ed25519.signatureSize,
            (.signature(let signature), .ed448?) where signature.count == Ed448.signatureSize:
            guard let key else { return false }
            return transmission.isAuthorized(by: key, sessionKey: sessionKey, certificateHash: certificateHash)
        case (.authenticator, _): stand = .x25519(dummies.x25519)
        case (.signature(let signature), _):
            stand = signature.count == Ed448.signatureSize ? .ed448(dummies.ed448) : .ed25519(dummies.ed25519)
        }
        _ = transmission.isAuthorized(by: stand, sessionKey: sessionKey, certificateHash: certificateHash)
        return false
    }

    private func verifyAuthenticator(
        _ authenticator: [UInt8],
        _ transmission: ReceivedTransmission,
        _ key: X25519.PublicKey,
        _ certificateHash: [UInt8]
    ) -> Bool {
        let known = secretsByKey[key]
        guard let secret = try? known ?? sessionKey.sharedSecret(with: key),
            CommandAuthenticator.isValidAuthenticator(
                authenticator,
                for: transmission.authorizedBytes(certificateHash: certificateHash),
                secret: secret,
                nonce: BoxNonce(padding: transmission.corrID)
            )
        else { return false }
        if known == nil {
            if secretsByKey.count >= Self.maxSecrets { secretsByKey.removeAll() }
            secretsByKey[key] = secret
        }
        return true
    }
}
