import Synchronization

/// The certificate for browsers, which do not trust the server's own one. A public authority has signed it for the name
/// of the server.
///
/// simplexmq `rfcs/2026-01-30-send-file-page/2026-01-31-xftp-web-server-changes.md`: a client that names the server in
/// TLS (SNI), as browsers do and apps do not, gets it, and agrees on HTTP/2 by ALPN. With TLS 1.3 only.
public final class WebCertificate: Sendable {
    private let (certificate, key): (String, String)
    private let current: Mutex<TLSContext>

    /// - Parameters:
    ///   - certificate: PEM file of the chain, leaf first.
    ///   - key: PEM file of the leaf's key: RSA or ECDSA, without a password.
    /// - Throws: ``TLSError/configuration(_:)`` when the files cannot be used.
    public init(certificate: String, key: String) throws(TLSError) {
        (self.certificate, self.key) = (certificate, key)
        current = Mutex(try TLSContext(webCertificate: certificate, key: key))
    }

    /// Reads the files again. New connections get what they have now; after an error, what they have got before.
    public func reload() throws(TLSError) {
        let new = try TLSContext(webCertificate: certificate, key: key)
        current.withLock { $0 = new }
    }

    /// When the certificate ends, in seconds since 1970.
    public var end: Int64 { context.end }

    var context: TLSContext { current.withLock { $0 } }
}
