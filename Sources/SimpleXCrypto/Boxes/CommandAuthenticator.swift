/// Deniable authorization of SMP commands: the SHA-512 of the authorized bytes in a `CryptoBox` between relay and
/// client. Relay and client can both make an authenticator, so an authenticator proves nothing to others.
/// simplex-messaging.md, "Deniable client authentication scheme".
package enum CommandAuthenticator {
    /// Number of bytes of an authenticator: tag and hash.
    package static let size = 80

    /// Makes the authenticator of the authorized bytes.
    /// - Parameter nonce: the correlation id of the transmission.
    package static func makeAuthenticator(
        for authorized: some Collection<UInt8>,
        secret: X25519.SharedSecret,
        nonce: BoxNonce
    ) throws(CryptoError) -> [UInt8] {
        try CryptoBox.seal(Digest.sha512(authorized), secret: secret, nonce: nonce)
    }

    package static func isValidAuthenticator(
        _ authenticator: [UInt8],
        for authorized: some Collection<UInt8>,
        secret: X25519.SharedSecret,
        nonce: BoxNonce
    ) -> Bool {
        guard let hash = try? CryptoBox.open(authenticator, secret: secret, nonce: nonce, padded: false) else {
            return false
        }
        return constantTimeEquals(hash, Digest.sha512(authorized))
    }
}
