/// The errors of this module. Input from a peer can only cause one of these errors, and never ends the process.
package enum CryptoError: Error, Hashable, Sendable {
    /// A key, nonce, IV, salt or signature has the wrong length for its type.
    case invalidLength(of: String, expected: Int, actual: Int)
    /// Bytes that are not the DER form (SPKI or PKCS #8) of the expected type of key.
    case invalidKey
    /// The result of Diffie-Hellman is all zero, since the peer's key is a point of small order.
    case weakSharedSecret
    /// A message that is longer than the padded length allows (`CryptoLargeMsgError` of simplexmq).
    case messageTooLarge
    /// The length prefix of the padding is greater than the number of bytes (`CryptoInvalidMsgError` of simplexmq).
    case invalidPadding
    /// The authentication tag is wrong, or there are too few bytes for a tag.
    case authenticationFailed
    /// Text that is not base64, or not in the canonical form of base64.
    case invalidBase64
    /// OpenSSL or libsodium failed for a reason other than the input, for example without memory or without the
    /// algorithm.
    case libraryFailure(String)
}
