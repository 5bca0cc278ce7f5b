/// The reason why a TLS connection could not be made, or has ended early.
public enum TLSError: Error, Hashable, Sendable {
    /// The handshake failed; the reason is OpenSSL's.
    case handshakeFailed(String)
    /// The handshake did not end in time.
    case handshakeTimeout
    /// The peer's certificate is not the one its address names (SHA-256 of the identity certificate, 32 bytes).
    case identityMismatch(actual: [UInt8])
    /// The chain does not have two to four certificates, or they do not sign each other; the reason is OpenSSL's.
    case invalidChain(String)
    /// The peer has not agreed to ALPN `smp/1`.
    case noApplicationProtocol
    /// The connection ended without TLS's close_notify: received data may be truncated.
    case truncated
    /// A record that does not verify, or an alert, after the handshake; the reason is OpenSSL's.
    case protocolViolation(String)
    /// Written to after closing.
    case closed
    /// More bytes were written than may wait for a peer that does not read.
    case unread
    /// A context cannot be made, because a key or a certificate is unusable.
    case configuration(String)
}
