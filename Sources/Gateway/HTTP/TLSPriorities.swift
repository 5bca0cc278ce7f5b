/// The TLS that HTTP is served over, as GnuTLS names it (`gnutls_priority_init(3)`).
///
/// Versions 1.2 and 1.3 alone; keys that are agreed anew for each session, and ciphers that authenticate. SHA-1 signs nothing.
enum TLSPriorities {
    static let text = [
        "NONE", "+VERS-TLS1.3", "+VERS-TLS1.2", "+AES-256-GCM", "+CHACHA20-POLY1305", "+AES-128-GCM", "+AEAD", "+ECDHE-ECDSA", "+ECDHE-RSA",
        "+SIGN-ALL", "-SIGN-RSA-SHA1", "-SIGN-ECDSA-SHA1", "-SIGN-DSA-SHA1", "+GROUP-X25519", "+GROUP-SECP256R1", "+GROUP-SECP384R1",
        "+GROUP-SECP521R1", "+COMP-NULL", "+CTYPE-X509", "%SERVER_PRECEDENCE",
    ].joined(separator: ":")
}
