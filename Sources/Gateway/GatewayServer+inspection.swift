extension GatewayServer {
    /// Checks that a certificate and its key can be used.
    /// - Parameter tls: the key and the certificate as PEM.
    /// - Returns: the end of the certificate, in seconds since 1970; nil for a certificate without an end.
    package static func inspectCertificate(tls: (key: String, certificate: String)) throws(GatewayError) -> Int64? {
        do throws(TLSCredentials.UnusableError) {
            return try TLSCredentials(key: tls.key, certificate: tls.certificate).expiresAtSeconds
        } catch {
            throw .http(.unusableCertificate(error.description))
        }
    }
}
