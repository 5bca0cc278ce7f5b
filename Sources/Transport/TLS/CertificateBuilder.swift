import COpenSSL
package import SimpleXCrypto

/// Makes X.509 version 3 certificates with OpenSSL.
package struct CertificateBuilder {
    package enum Extension: Int32 {
        case subjectKeyIdentifier = 82
        case keyUsage = 83
        case basicConstraints = 87
        case authorityKeyIdentifier = 90
        case extendedKeyUsage = 126
    }

    var subject: [(field: String, value: String)]
    /// The key that the certificate certifies.
    var key: SignaturePrivateKey
    /// Extensions with values in the syntax of OpenSSL's configuration files.
    var extensions: [(Extension, String)]
    /// The period of validity in days from now.
    var validityDays: Range<Int32>
    /// The default validity. It begins in the past for peers whose clocks are slow.
    package static let defaultValidityDays: Range<Int32> = -2..<999_999

    package init(
        subject: [(field: String, value: String)],
        key: SignaturePrivateKey,
        extensions: [(Extension, String)],
        validity: Range<Int32> = CertificateBuilder.defaultValidityDays
    ) {
        self.subject = subject
        self.key = key
        self.extensions = extensions
        self.validityDays = validity
    }

    /// Returns the certificate in DER.
    /// - Parameter issuer: the signer's certificate in DER; nil for a self-signed certificate.
    package func makeCertificate(by signer: SignaturePrivateKey, issuer: [UInt8]?) throws(TLSError) -> [UInt8] {
        guard let pointer = X509_new() else { throw .configuration("out of memory") }
        let certificate = Certificate(owning: pointer)
        let issuerCertificate = issuer.flatMap { Certificate(der: $0) }
        if issuer != nil, issuerCertificate == nil { throw .configuration("issuer") }
        let issuerPointer = issuerCertificate?.pointer ?? pointer
        let certified = try SigningKey(key)
        let name = X509_get_subject_name(pointer)
        for (field, value) in subject {
            let text = Array(value.utf8)
            try requireSuccess(X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8, text, Int32(text.count), -1, 0))
        }
        // X.509 encodes version 3 as 2.
        try requireSuccess(X509_set_version(pointer, 2))
        try requireSuccess(X509_set_issuer_name(pointer, X509_get_subject_name(issuerPointer)))
        try setSerialNumber(pointer)
        guard X509_time_adj_ex(X509_getm_notBefore(pointer), validityDays.lowerBound, 0, nil) != nil,
            X509_time_adj_ex(X509_getm_notAfter(pointer), validityDays.upperBound, 0, nil) != nil
        else { throw .configuration(OpenSSLError.takeNewestError()) }
        try requireSuccess(X509_set_pubkey(pointer, certified.pointer))
        var context = X509V3_CTX()
        X509V3_set_ctx(&context, issuerPointer, pointer, nil, nil, 0)
        for (kind, value) in extensions {
            guard let made = X509V3_EXT_nconf_nid(nil, &context, kind.rawValue, value) else {
                throw .configuration(OpenSSLError.takeNewestError())
            }
            defer { X509_EXTENSION_free(made) }
            try requireSuccess(X509_add_ext(pointer, made, -1))
        }
        let signing = try SigningKey(signer)
        guard X509_sign(pointer, signing.pointer, nil) > 0 else { throw .configuration(OpenSSLError.takeNewestError()) }
        return withExtendedLifetime((issuerCertificate, certified)) { certificate.der }
    }

    /// Sets a random positive serial number of at most 20 bytes (RFC 5280, 4.1.2.2).
    private func setSerialNumber(_ certificate: OpaquePointer) throws(TLSError) {
        var random = RandomBytes.make(count: 20)
        random[0] = random[0] & 0x7F | 0x40
        guard let number = BN_bin2bn(random, Int32(random.count), nil) else { throw .configuration("out of memory") }
        defer { BN_free(number) }
        guard BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nil else {
            throw .configuration(OpenSSLError.takeNewestError())
        }
    }

    private func requireSuccess(_ result: Int32) throws(TLSError) {
        if result != 1 { throw .configuration(OpenSSLError.takeNewestError()) }
    }
}
