package import SMP
package import SimpleXCrypto

/// An invitation that is sent by multicast to a known host. Only this host can read it.
///
/// The key of the encryption is the Diffie-Hellman secret of the controller's session key and the host's key of the
/// last session.
package struct Announcement: Sendable {
    package let dhKey: X25519.PublicKey
    private let nonce: BoxNonce
    private let encryptedInvitation: [UInt8]

    /// Number of bytes of the datagram of an announcement.
    package static let size = 45 + BoxNonce.size + BlockSize.announcement + CryptoBox.tagSize

    /// Encrypts an invitation for a host.
    /// - Parameter text: the signed invitation.
    package init(
        _ text: String,
        key: X25519.PrivateKey,
        host: X25519.PublicKey,
        nonce: BoxNonce = .random()
    ) throws(XRCPError) {
        dhKey = key.publicKey
        self.nonce = nonce
        guard let secret = try? key.sharedSecret(with: host),
            let box = try? CryptoBox.seal(
                Array(text.utf8),
                secret: secret,
                nonce: nonce,
                paddedTo: BlockSize.announcement
            )
        else { throw .encrypt }
        self.encryptedInvitation = box
    }

    package init(datagram: [UInt8]) throws(SMPEncodingError) {
        guard datagram.count <= 2 * Self.size else { throw .tooLong }
        var reader = ByteReader(datagram)
        dhKey = try reader.readValue()
        nonce = try reader.readValue()
        encryptedInvitation = reader.readRest()
    }

    package func encodeDatagram() throws(SMPEncodingError) -> [UInt8] {
        var writer = ByteWriter()
        dhKey.encode(to: &writer)
        nonce.encode(to: &writer)
        writer.writeRaw(encryptedInvitation)
        return try writer.finish()
    }

    /// Opens the announcement with one of `keys`, and verifies the invitation in it. Returns the invitation and the key
    /// that opened the announcement.
    /// - Throws: ``XRCPError/controllerNotFound`` when no key opens the announcement.
    package func openInvitation(
        for keys: [X25519.PrivateKey]
    ) throws -> (invitation: Invitation, key: X25519.PrivateKey) {
        for key in keys {
            guard let secret = try? key.sharedSecret(with: dhKey),
                let bytes = try? CryptoBox.open(encryptedInvitation, secret: secret, nonce: nonce)
            else { continue }
            guard let text = String(validating: bytes, as: UTF8.self) else { throw XRCPError.syntax("text") }
            let invitation = try Invitation(verifying: text)
            guard invitation.dhKey == dhKey else { throw XRCPError.invitation }
            return (invitation, key)
        }
        throw XRCPError.controllerNotFound
    }
}
