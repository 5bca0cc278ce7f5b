internal import CMicrohttpd

/// A certificate chain and its key, in the form of the TLS library.
///
/// `@unchecked Sendable`: the object does not change after `init`, and the TLS library only reads it.
final class TLSCredentials: @unchecked Sendable {
    struct UnusableError: Error, CustomStringConvertible {
        let description: String
    }

    private let handle: gnutls_certificate_credentials_t

    /// Reads a key and a certificate.
    /// - Parameters:
    ///   - key: the key as PEM.
    ///   - certificate: the certificate chain as PEM.
    /// - Throws: when a text cannot be read, or the key does not belong to the certificate.
    init(key: String, certificate: String) throws(UnusableError) {
        var made: gnutls_certificate_credentials_t?
        let begun = gnutls_certificate_allocate_credentials(&made)
        guard begun >= 0, let made else { throw UnusableError(description: TLSCredentials.errorText(begun)) }
        var key = Array(key.utf8), certificate = Array(certificate.utf8)
        let result = certificate.withUnsafeMutableBufferPointer { certificate in
            key.withUnsafeMutableBufferPointer { key in
                var first = gnutls_datum_t(data: certificate.baseAddress, size: UInt32(clamping: certificate.count))
                var second = gnutls_datum_t(data: key.baseAddress, size: UInt32(clamping: key.count))
                return gnutls_certificate_set_x509_key_mem(made, &first, &second, GNUTLS_X509_FMT_PEM)
            }
        }
        guard result >= 0 else {
            gnutls_certificate_free_credentials(made)
            throw UnusableError(description: TLSCredentials.errorText(result))
        }
        handle = made
    }

    deinit { gnutls_certificate_free_credentials(handle) }

    /// Sets these credentials in a session before its handshake. The credentials must live as long as the session.
    func attach(in session: gnutls_session_t) {
        _ = gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, UnsafeMutableRawPointer(handle))
    }

    /// The time at which the certificate expires, in seconds since 1970; nil if the certificate cannot be read.
    var expiresAtSeconds: Int64? {
        var raw = gnutls_datum_t()
        var certificate: gnutls_x509_crt_t?
        guard gnutls_certificate_get_crt_raw(handle, 0, 0, &raw) >= 0, gnutls_x509_crt_init(&certificate) >= 0,
            let certificate
        else { return nil }
        defer { gnutls_x509_crt_deinit(certificate) }
        guard gnutls_x509_crt_import(certificate, &raw, GNUTLS_X509_FMT_DER) >= 0 else { return nil }
        let time = gnutls_x509_crt_get_expiration_time(certificate)
        return time < 0 ? nil : Int64(time)
    }

    private static func errorText(_ code: Int32) -> String {
        gnutls_strerror(code).map { String(cString: $0) } ?? "error \(code)"
    }
}
