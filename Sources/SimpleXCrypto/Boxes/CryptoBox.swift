/// NaCl `crypto_box` (XSalsa20-Poly1305 keyed by X25519), the tag in front.
public enum CryptoBox {
    /// Bytes that a box is longer than what it holds.
    public static let tagSize = 16

    /// The box of `message`, first padded to `paddedTo` bytes when given (the box is 16 bytes longer).
    /// Fails with `messageTooLarge` when the message does not fit.
    public static func seal(
        _ message: some Collection<UInt8>, secret: X25519.SharedSecret, nonce: BoxNonce, paddedTo: Int? = nil
    ) throws(CryptoError) -> [UInt8] {
        try secret.boxKey.seal(message, nonce: nonce, paddedTo: paddedTo, tag: .head)
    }

    /// The message of a box; `padded` says whether it was padded. Fails with `authenticationFailed` or `invalidPadding`.
    public static func open(
        _ box: some Collection<UInt8>, secret: X25519.SharedSecret, nonce: BoxNonce, padded: Bool = true
    ) throws(CryptoError) -> [UInt8] {
        try secret.boxKey.open(box, nonce: nonce, padded: padded, tag: .head)
    }
}
