package import SimpleXCrypto
package import Transport

/// The permanent certificate of a device for one pairing. Its key signs a certificate for every session.
package struct DeviceAuthority: Sendable {
    /// The certificate of the device in DER.
    package let certificate: [UInt8]
    package let key: Ed25519.PrivateKey

    package init(certificate: [UInt8], key: Ed25519.PrivateKey) {
        self.certificate = certificate
        self.key = key
    }

    /// Makes a certificate with a new key. Like in simplexmq, the certificates have no extensions.
    package static func generate() throws(TLSError) -> DeviceAuthority {
        let key = try makeKey()
        let certificate = try CertificateBuilder(subject: [("CN", "ca")], key: .ed25519(key), extensions: [])
            .makeCertificate(
                by: .ed25519(key),
                issuer: nil
            )
        return DeviceAuthority(certificate: certificate, key: key)
    }

    /// SHA-256 of the certificate, by which the other device recognizes this device.
    package var fingerprint: [UInt8] { Digest.sha256(certificate) }

    /// Makes a certificate and its key for one session.
    func makeSessionIdentity() throws(TLSError) -> ClientIdentity {
        let key = try Self.makeKey()
        let leaf = try CertificateBuilder(subject: [("CN", "localhost")], key: .ed25519(key), extensions: [])
            .makeCertificate(
                by: .ed25519(self.key),
                issuer: certificate
            )
        return ClientIdentity(certificates: [leaf, certificate], leafKey: .ed25519(key))
    }

    private static func makeKey() throws(TLSError) -> Ed25519.PrivateKey {
        do { return try Ed25519.PrivateKey() } catch { throw .configuration("\(error)") }
    }
}
