package import SimpleXCrypto

/// A certificate chain (leaf first) and a session key signed by its leaf: the identity of a relay in its hello.
///
/// simplexmq `protocol/simplex-messaging.md`, "Appendix A: Transport connection with the SMP router". The identity is
/// the SHA-256 of the second certificate of a chain of two to four.
package struct CertificateChainKey: Hashable, Sendable {
    /// The certificates in DER, leaf first.
    package var certificates: [[UInt8]]
    package var signedKey: SignedSessionKey

    package init(certificates: [[UInt8]], signedKey: SignedSessionKey) {
        self.certificates = certificates
        self.signedKey = signedKey
    }

    /// SHA-256 of the identity certificate; nil unless the chain has two to four certificates.
    package var identityFingerprint: [UInt8]? {
        Self.identityFingerprint(of: certificates)
    }

    /// Returns the session key, if the chain belongs to the server with this fingerprint and its leaf has signed the
    /// key. Otherwise throws `HANDSHAKE BAD_AUTH`.
    /// - Parameter leafCertificate: the leaf (DER) that TLS has verified; nil for the first certificate of the chain.
    package func verifySessionKey(
        identity keyHash: [UInt8],
        leafCertificate: [UInt8]?
    ) throws(SMPTransportError) -> X25519.PublicKey {
        guard identityFingerprint == keyHash, let leaf = leafCertificate ?? certificates.first,
            let signer = try? SignaturePublicKey(certificate: leaf),
            let verified = signedKey.verifiedKey(signedBy: signer)
        else { throw .handshake(.badAuth) }
        return verified
    }

    package static func identityFingerprint(of certificates: [[UInt8]]) -> [UInt8]? {
        (2...4).contains(certificates.count) ? Digest.sha256(certificates[1]) : nil
    }
}

extension CertificateChainKey: SMPCodable {
    package func encode(to writer: inout ByteWriter) {
        writer.writeNonEmptyList(certificates) { writer, certificate in writer.writeLargeBytes(certificate) }
        writer.writeValue(signedKey)
    }

    package init(from reader: inout ByteReader) throws(SMPEncodingError) {
        certificates = try reader.readNonEmptyList { reader throws(SMPEncodingError) in try reader.readLargeBytes() }
        signedKey = try reader.readValue()
    }
}

/// A public key signed as an X.509 "signed object": SEQUENCE { SEQUENCE { SPKI }, algorithm, BIT STRING }.
///
/// The signature covers the inner sequence, which is one SEQUENCE around the SPKI.
package struct SignedSessionKey: Hashable, Sendable {
    /// The SPKI (the DER form of a public key) of the session key.
    package let spki: [UInt8]
    /// The bytes that the signature covers.
    package let signedBytes: [UInt8]
    package let signature: [UInt8]
    private let der: [UInt8]

    /// Signs `key` with the key of a leaf certificate.
    package init(_ key: X25519.PublicKey, signedWith signer: SignaturePrivateKey) throws(CryptoError) {
        try self.init(spki: key.spki, signedWith: signer)
    }

    init(spki: [UInt8], signedWith signer: SignaturePrivateKey) throws(CryptoError) {
        self.spki = spki
        signedBytes = DERWriter.encodeElement(DERReader.sequenceTag, spki)
        signature = try signer.sign(signedBytes)
        // The algorithm is Ed25519 (OID 1.3.101.112) or Ed448 (OID 1.3.101.113).
        let algorithm: [UInt8] =
            switch signer {
            case .ed25519: [0x06, 0x03, 0x2B, 0x65, 0x70]
            case .ed448: [0x06, 0x03, 0x2B, 0x65, 0x71]
            }
        der = DERWriter.encodeElement(
            DERReader.sequenceTag,
            signedBytes + DERWriter.encodeElement(DERReader.sequenceTag, algorithm)
                + DERWriter.encodeElement(DERReader.bitStringTag, [0] + signature)
        )
    }

    /// Returns the key, if `signer` has signed it and it is an X25519 key.
    package func verifiedKey(signedBy signer: SignaturePublicKey) -> X25519.PublicKey? {
        guard signer.isValidSignature(signature, for: signedBytes) else { return nil }
        return try? X25519.PublicKey(spki: spki)
    }
}

extension SignedSessionKey: SMPCodable {
    /// Writes the DER form of the signed key after its two-byte length.
    package func encode(to writer: inout ByteWriter) { writer.writeLargeBytes(der) }

    package init(from reader: inout ByteReader) throws(SMPEncodingError) {
        der = try reader.readLargeBytes()
        var outer = DERReader(der)
        var object = DERReader(try outer.readElement(DERReader.sequenceTag).contents)
        try outer.requireEnd()
        let signed = try object.readElement(DERReader.sequenceTag)
        var key = DERReader(signed.contents)
        spki = try key.readElement(DERReader.sequenceTag).whole
        try key.requireEnd()
        signedBytes = signed.whole
        _ = try object.readElement(DERReader.sequenceTag)
        signature = try object.readBitString()
        try object.requireEnd()
    }
}

extension SignaturePublicKey {
    /// Reads the public key of an X.509 certificate.
    package init(certificate der: [UInt8]) throws(SMPEncodingError) {
        var outer = DERReader(der)
        var certificate = DERReader(try outer.readElement(DERReader.sequenceTag).contents)
        var fields = DERReader(try certificate.readElement(DERReader.sequenceTag).contents)
        if fields.nextTag == DERReader.contextTag0 { try fields.skipElement() }
        // Skips serial number, signature algorithm, issuer, validity and subject.
        for _ in 0..<5 { try fields.skipElement() }
        let spki = try fields.readElement(DERReader.sequenceTag).whole
        guard let key = try? SignaturePublicKey(spki: spki) else { throw .invalidValue("certificate key") }
        self = key
    }
}
