/// The TLS settings of the HTTP server, in the syntax of GnuTLS (`gnutls_priority_init(3)`).
///
/// The server accepts only TLS 1.2 and 1.3, with forward-secret key exchange and AEAD ciphers. It refuses signatures
/// with SHA-1.
enum TLSPriorities {
    static let text = [
        "NONE", "+VERS-TLS1.3", "+VERS-TLS1.2", "+AES-256-GCM", "+CHACHA20-POLY1305", "+AES-128-GCM", "+AEAD",
        "+ECDHE-ECDSA", "+ECDHE-RSA",
        "+SIGN-ALL", "-SIGN-RSA-SHA1", "-SIGN-ECDSA-SHA1", "-SIGN-DSA-SHA1", "+GROUP-X25519", "+GROUP-SECP256R1",
        "+GROUP-SECP384R1",
        "+GROUP-SECP521R1", "+COMP-NULL", "+CTYPE-X509", "%SERVER_PRECEDENCE",
    ].joined(separator: ":")
}
