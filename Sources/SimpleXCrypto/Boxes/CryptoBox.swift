/// NaCl `crypto_box` (XSalsa20-Poly1305 keyed by X25519), with the tag before the ciphertext.
package enum CryptoBox {
    /// The number of bytes by which a box is longer than its message.
    package static let tagSize = 16

    /// Pads `message` to `paddedTo` bytes if given, and encrypts it. The box is 16 bytes longer. Throws
    /// `messageTooLarge` when the message is too long.
    package static func seal(
        _ message: some Collection<UInt8>,
        secret: X25519.SharedSecret,
        nonce: BoxNonce,
        paddedTo: Int? = nil
    ) throws(CryptoError) -> [UInt8] {
        try secret.boxKey.seal(message, nonce: nonce, paddedTo: paddedTo, tag: .head)
    }

    /// Opens a box and returns its message. `padded` tells whether the message was padded. Throws
    /// `authenticationFailed` or `invalidPadding`.
    package static func open(
        _ box: some Collection<UInt8>,
        secret: X25519.SharedSecret,
        nonce: BoxNonce,
        padded: Bool = true
    ) throws(CryptoError) -> [UInt8] {
        try secret.boxKey.open(box, nonce: nonce, padded: padded, tag: .head)
    }
}
