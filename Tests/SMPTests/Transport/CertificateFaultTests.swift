import SimpleXCrypto
import TestSupport
import Testing
@testable import Transport

@testable import SMP

/// Faulty certificates of relays, over real connections, and of services.
@Suite(.socketTimeLimit) struct CertificateFaultTests {
    private struct Authority {
        let key: SignaturePrivateKey
        let certificate: [UInt8]

        init(validity: Range<Int32> = CertificateBuilder.defaultValidityDays, isAuthority: Bool = true) throws {
            key = .ed25519(try Ed25519.PrivateKey())
            certificate = try CertificateBuilder(
                subject: [("CN", "authority")],
                key: key,
                extensions: [
                    (.subjectKeyIdentifier, "hash"),
                    (.basicConstraints, isAuthority ? "critical,CA:TRUE" : "critical,CA:FALSE"),
                ],
                validity: validity
            ).makeCertificate(by: key, issuer: nil)
        }

        func makeLeaf(
            _ key: SignaturePrivateKey,
            validity: Range<Int32> = CertificateBuilder.defaultValidityDays
        ) throws -> [UInt8] {
            try CertificateBuilder(
                subject: [("CN", "localhost")],
                key: key,
                extensions: [(.basicConstraints, "CA:FALSE"), (.extendedKeyUsage, "serverAuth")],
                validity: validity
            ).makeCertificate(by: self.key, issuer: certificate)
        }
    }

    private static func connectionError(
        of certificates: [[UInt8]],
        _ key: SignaturePrivateKey,
        fingerprint: [UInt8]
    ) async throws -> TLSError? {
        let server = try await EchoServer.start(try TLSServerConfiguration(certificates: certificates, leafKey: key))
        let client = try await server.connect(fingerprint: fingerprint)
        let seen = try await client.peer.end.get()
        try await server.channel.close()
        #expect(seen.session == nil && seen.blocks.isEmpty)
        return seen.errors.first as? TLSError
    }

    private static func isInvalidChain(_ error: TLSError?) -> Bool {
        if case .invalidChain? = error { true } else { false }
    }

    @Test(arguments: [-9..<(-1), 1..<9] as [Range<Int32>])
    func `A relay whose leaf or authority certificate has expired, or is not valid yet, is refused by clients`(
        validity: Range<Int32>
    ) async throws {
        let reason = validity.lowerBound < 0 ? "certificate has expired" : "certificate is not yet valid"
        let key = SignaturePrivateKey.ed25519(try Ed25519.PrivateKey())
        let good = try Authority(), bad = try Authority(validity: validity)
        for chain in [
            [try good.makeLeaf(key, validity: validity), good.certificate], [try bad.makeLeaf(key), bad.certificate],
        ] {
            #expect(
                try await Self.connectionError(of: chain, key, fingerprint: Digest.sha256(chain[1]))
                    == .invalidChain(reason)
            )
        }
    }

    @Test
    func `An invalid certificate chain of a relay is refused although its fingerprint matches the address`()
        async throws
    {
        let key = SignaturePrivateKey.ed25519(try Ed25519.PrivateKey())
        let own = try Authority(), other = try Authority(), none = try Authority(isAuthority: false)
        let fingerprint = Digest.sha256(own.certificate)
        let foreign = [try other.makeLeaf(key), own.certificate]
        #expect(Self.isInvalidChain(try await Self.connectionError(of: foreign, key, fingerprint: fingerprint)))
        let alone = try await Self.connectionError(of: [try own.makeLeaf(key)], key, fingerprint: fingerprint)
        #expect(alone == .invalidChain("1 certificates"))
        let long = [try own.makeLeaf(key), own.certificate] + Array(repeating: other.certificate, count: 3)
        #expect(
            try await Self.connectionError(of: long, key, fingerprint: fingerprint) == .invalidChain("5 certificates")
        )
        let unauthorized = [try none.makeLeaf(key), none.certificate]
        #expect(
            Self.isInvalidChain(
                try await Self.connectionError(of: unauthorized, key, fingerprint: Digest.sha256(none.certificate))
            )
        )
    }

    @Test
    func `TLS refuses a server's key that does not fit its certificate, and a server of another identity`() async throws
    {
        let own = try ServerCredentials.generateCredentials(algorithm: .ed25519).credentials
        #expect(throws: TLSError.self) {
            try TLSServerConfiguration(certificates: own.certificates, leafKey: .ed25519(try Ed25519.PrivateKey()))
        }
        let other = try ServerCredentials.generateCredentials(algorithm: .ed25519).credentials
        let error = try await Self.connectionError(of: own.certificates, own.leafKey, fingerprint: other.fingerprint)
        #expect(error == .identityMismatch(actual: own.fingerprint))
    }

    @Test
    func `A relay's certificate chain with operator and network certificates is accepted`() async throws {
        let key = SignaturePrivateKey.ed25519(try Ed25519.PrivateKey())
        let network = try Authority(), operatorKey = SignaturePrivateKey.ed25519(try Ed25519.PrivateKey())
        let identityKey = SignaturePrivateKey.ed25519(try Ed25519.PrivateKey())
        func authority(
            _ name: String,
            _ key: SignaturePrivateKey,
            by signer: SignaturePrivateKey,
            _ issuer: [UInt8]
        ) throws -> [UInt8] {
            try CertificateBuilder(
                subject: [("CN", name)],
                key: key,
                extensions: [(.subjectKeyIdentifier, "hash"), (.basicConstraints, "critical,CA:TRUE")]
            ).makeCertificate(by: signer, issuer: issuer)
        }
        let operated = try authority("operator", operatorKey, by: network.key, network.certificate)
        let identity = try authority("identity", identityKey, by: operatorKey, operated)
        let leaf = try CertificateBuilder(
            subject: [("CN", "localhost")],
            key: key,
            extensions: [(.basicConstraints, "CA:FALSE")]
        )
        .makeCertificate(by: identityKey, issuer: identity)
        for chain in [[leaf, identity, operated, network.certificate], [leaf, identity, operated]] {
            let server = try await EchoServer.start(try TLSServerConfiguration(certificates: chain, leafKey: key))
            let client = try await server.connect(fingerprint: Digest.sha256(identity))
            #expect(try await client.peer.session.get().peerCertificates == chain)
            try await client.channel.close()
            try await server.channel.close()
        }
    }

    @Test
    func `A self-signed certificate of an SMP service is accepted only within its period of validity`() throws {
        let key = SignaturePrivateKey.ed25519(try Ed25519.PrivateKey())
        func certificate(_ validity: Range<Int32>) throws -> [UInt8] {
            try CertificateBuilder(subject: [("CN", "service")], key: key, extensions: [], validity: validity)
                .makeCertificate(
                    by: key,
                    issuer: nil
                )
        }
        #expect(PeerIdentity.isValidServiceChain([try certificate(0..<100)]))
        #expect(!PeerIdentity.isValidServiceChain([try certificate(-9..<(-1))]))
        #expect(!PeerIdentity.isValidServiceChain([try certificate(0..<100), try Authority().certificate]))
        #expect(!PeerIdentity.isValidServiceChain([]))
    }
}
