/// The errors of this module. Input from a peer causes one of these, never a trap.
public enum CryptoError: Error, Hashable, Sendable {
    /// A key, nonce, IV, salt or signature of a length its type does not have.
    case invalidLength(of: String, expected: Int, actual: Int)
    /// Bytes that are not the DER form (SPKI or PKCS #8) of the key type asked for.
    case invalidKey
    /// A DH result that is all zero: the peer's key is a point of small order.
    case weakSharedSecret
    /// A message that does not fit the length it should be padded to (`CryptoLargeMsgError` of the original).
    case messageTooLarge
    /// Padding whose length prefix does not fit the bytes (`CryptoInvalidMsgError` of the original).
    case invalidPadding
    /// An authentication tag that does not verify, or bytes too short to carry one.
    case authenticationFailed
    /// Text that is not base64, or not in its one canonical form.
    case invalidBase64
    /// OpenSSL refused an operation that depends on no input (out of memory, algorithm not provided).
    case libraryFailure(String)
}
