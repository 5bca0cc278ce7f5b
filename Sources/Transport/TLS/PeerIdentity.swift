import COpenSSL
import SimpleXCrypto

/// An OpenSSL certificate. The last reference frees its memory.
final class Certificate {
    let pointer: OpaquePointer

    init?(der: [UInt8]) {
        let made = der.withUnsafeBufferPointer { buffer -> OpaquePointer? in
            var start = buffer.baseAddress
            return d2i_X509(nil, &start, buffer.count)
        }
        guard let made else {
            ERR_clear_error()
            return nil
        }
        pointer = made
    }

    /// Takes ownership of a reference to an OpenSSL certificate.
    init(owning pointer: OpaquePointer) { self.pointer = pointer }

    deinit { X509_free(pointer) }

    /// Returns whether the public key of the certificate belongs to `key`.
    func certifiesKey(_ key: SigningKey) -> Bool {
        defer { ERR_clear_error() }
        return X509_check_private_key(pointer, key.pointer) == 1
    }

    var der: [UInt8] { Certificate.encodeDER(of: pointer) }

    static func encodeDER(of certificate: OpaquePointer) -> [UInt8] {
        let size = i2d_X509(certificate, nil)
        guard size > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: Int(size)) { buffer, count in
            var out = buffer.baseAddress
            count = max(Int(i2d_X509(certificate, &out)), 0)
        }
    }
}

/// The check of a relay's certificates against the fingerprint in its address.
///
/// simplexmq `protocol/simplex-messaging.md`, "Appendix A". A chain has two to four certificates: the leaf, the CA, and
/// perhaps certificates of an operator and of a network. The address contains the fingerprint of the second
/// certificate, the identity certificate. The last certificate needs no trusted authority, because the fingerprint
/// already proves the identity. Host names are not checked.
package enum PeerIdentity {
    /// Verifies a chain of certificates, leaf first.
    package static func verifyChain(_ chain: [[UInt8]], fingerprint: [UInt8]) throws(TLSError) {
        guard (2...4).contains(chain.count) else { throw .invalidChain("\(chain.count) certificates") }
        let actual = Digest.sha256(chain[1])
        guard actual == fingerprint else { throw .identityMismatch(actual: actual) }
        try verifyWithOpenSSL(chain, purpose: X509_PURPOSE_SSL_SERVER)
    }

    /// Returns whether a service's chain has one to four certificates, and each certificate is signed by the next one.
    /// The last certificate is not checked further.
    static func isValidServiceChain(_ chain: [[UInt8]]) -> Bool {
        (1...4).contains(chain.count) && (try? verifyWithOpenSSL(chain, purpose: X509_PURPOSE_ANY)) != nil
    }

    /// Verifies the two certificates of a host or a controller (remote control): a leaf, and the authority that has
    /// signed the leaf. The two certificates have no extensions, so the rules for authorities of relays do not apply.
    /// simplexmq `protocol/xrcp.md`.
    /// - Parameter fingerprint: SHA-256 of the authority's certificate; nil for a device that is not known yet.
    package static func verifyDevice(_ chain: [[UInt8]], fingerprint: [UInt8]?) throws(TLSError) {
        guard chain.count == 2 else { throw .invalidChain("\(chain.count) certificates") }
        let actual = Digest.sha256(chain[1])
        if let fingerprint, actual != fingerprint { throw .identityMismatch(actual: actual) }
        guard let leaf = Certificate(der: chain[0]), let authority = Certificate(der: chain[1]) else {
            throw .invalidChain("not a certificate")
        }
        defer { ERR_clear_error() }
        for (certificate, signer) in [(leaf, authority), (authority, authority)] {
            guard X509_verify(certificate.pointer, X509_get0_pubkey(signer.pointer)) == 1 else {
                throw .invalidChain("certificate signature failure")
            }
            guard X509_cmp_current_time(X509_get0_notBefore(certificate.pointer)) < 0,
                X509_cmp_current_time(X509_get0_notAfter(certificate.pointer)) > 0
            else { throw .invalidChain("certificate is not yet valid or has expired") }
        }
    }

    private static func verifyWithOpenSSL(_ chain: [[UInt8]], purpose: Int32) throws(TLSError) {
        let certificates = chain.compactMap { Certificate(der: $0) }
        guard certificates.count == chain.count, let leaf = certificates.first, let anchor = certificates.last else {
            throw .invalidChain("not a certificate")
        }
        guard let store = X509_STORE_new(), let context = X509_STORE_CTX_new(), let between = OPENSSL_sk_new_null()
        else {
            throw .invalidChain("out of memory")
        }
        defer {
            OPENSSL_sk_free(between)
            X509_STORE_CTX_free(context)
            X509_STORE_free(store)
        }
        for certificate in certificates.dropFirst().dropLast() {
            OPENSSL_sk_push(between, UnsafeRawPointer(certificate.pointer))
        }
        X509_STORE_add_cert(store, anchor.pointer)
        guard X509_STORE_CTX_init(context, store, leaf.pointer, between) == 1 else {
            throw .invalidChain(OpenSSLError.takeNewestError())
        }
        // The last certificate is trusted even if it is not self-signed.
        X509_STORE_CTX_set_flags(context, UInt(X509_V_FLAG_PARTIAL_CHAIN))
        X509_STORE_CTX_set_purpose(context, purpose)
        let verified = withExtendedLifetime(certificates) { X509_verify_cert(context) }
        guard verified == 1 else {
            let reason = X509_verify_cert_error_string(Int(X509_STORE_CTX_get_error(context)))
            ERR_clear_error()
            throw .invalidChain(reason.map { String(cString: $0) } ?? "unknown")
        }
    }
}
