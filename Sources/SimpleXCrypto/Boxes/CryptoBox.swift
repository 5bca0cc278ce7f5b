/// NaCl `crypto_box` (XSalsa20-Poly1305 keyed by X25519), the tag in front.
public enum CryptoBox {
    /// Overhead of a box in bytes.
    public static let tagSize = 16

    /// Encrypts `message`, padded first to `paddedTo` bytes if given (the box is 16 bytes longer). Fails with
    /// `messageTooLarge` when the message does not fit.
    public static func seal(
        _ message: some Collection<UInt8>,
        secret: X25519.SharedSecret,
        nonce: BoxNonce,
        paddedTo: Int? = nil
    ) throws(CryptoError) -> [UInt8] {
        try secret.boxKey.seal(message, nonce: nonce, paddedTo: paddedTo, tag: .head)
    }

    /// Opens a box and returns its message; `padded` is whether the message was padded. Fails with
    /// `authenticationFailed` or `invalidPadding`.
    public static func open(
        _ box: some Collection<UInt8>,
        secret: X25519.SharedSecret,
        nonce: BoxNonce,
        padded: Bool = true
    ) throws(CryptoError) -> [UInt8] {
        try secret.boxKey.open(box, nonce: nonce, padded: padded, tag: .head)
    }
}
