/// The reason why a TLS connection could not be established, or ended early.
package enum TLSError: Error, Hashable, Sendable {
    /// The handshake failed with this reason of OpenSSL.
    case handshakeFailed(String)
    /// The TLS handshake did not end in time.
    case handshakeTimeout
    /// The peer's certificate does not have the fingerprint in the peer's address. `actual` is the SHA-256 of the
    /// peer's identity certificate (32 bytes).
    case identityMismatch(actual: [UInt8])
    /// The chain does not have two to four certificates, or a certificate is not signed by the next one. The text is
    /// OpenSSL's reason.
    case invalidChain(String)
    /// The connection ended without TLS's close_notify, so received data may be incomplete.
    case connectionTruncated
    /// After the handshake, a record was invalid or an alert came. The text is OpenSSL's reason.
    case protocolViolation(String)
    /// Data was written after this side had closed the connection.
    case alreadyClosed
    /// Too many bytes wait to be sent to a peer that does not read.
    case tooManyUnsentBytes
    /// A context cannot be made, because a key or a certificate is unusable.
    case configuration(String)
}
