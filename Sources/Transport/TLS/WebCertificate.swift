import Synchronization

/// The certificate for browsers, which do not trust the server's own certificate. A public authority has signed it for
/// the name of the server. The certificate is used only with TLS 1.3.
///
/// simplexmq `rfcs/2026-01-30-send-file-page/2026-01-31-xftp-web-server-changes.md`: a client that names the server in
/// TLS (SNI) gets this certificate, and agrees on HTTP/2 by ALPN. Browsers name the server, and apps do not.
package final class WebCertificate: Sendable {
    private let (certificatePath, keyPath): (String, String)
    private let currentContext: Mutex<TLSContext>

    /// Reads the certificate and its key.
    /// - Parameters:
    ///   - certificate: PEM file of the chain, leaf first.
    ///   - key: PEM file of the leaf's key: RSA or ECDSA, without a password.
    /// - Throws: ``TLSError/configuration(_:)`` when the files cannot be used.
    package init(certificate: String, key: String) throws(TLSError) {
        (self.certificatePath, self.keyPath) = (certificate, key)
        currentContext = Mutex(try TLSContext(webCertificate: certificate, key: key))
    }

    /// Reads the files again, so that new connections get the new certificate. After an error, new connections get the
    /// previous certificate.
    package func reloadFiles() throws(TLSError) {
        let new = try TLSContext(webCertificate: certificatePath, key: keyPath)
        currentContext.withLock { $0 = new }
    }

    /// The time at which the certificate expires, in seconds since 1970.
    package var expiresAtSeconds: Int64 { context.expiresAtSeconds }

    var context: TLSContext { currentContext.withLock { $0 } }
}
