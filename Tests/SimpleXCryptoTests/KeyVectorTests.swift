import SimpleXCrypto
import TestSupport
import Testing

/// Tests with the vectors of keys, key agreement and signatures in crypto.json.
@Suite struct KeyVectorTests {
    @Test
    func `Keys are encoded in raw, SPKI and PKCS #8 form as in simplexmq`() throws {
        for key in try Vector.readFile("crypto").list("keys") {
            let (secret, point) = (try key.bytes("private"), try key.bytes("public"))
            let (pkcs8, spki) = (try key.bytes("privatePkcs8"), try key.bytes("publicSpki"))
            switch try key.text("algorithm") {
            case "X25519":
                let made = try X25519.PrivateKey(rawRepresentation: secret)
                #expect(made.publicKey.rawRepresentation == point && made.publicKey.spki == spki && made.pkcs8 == pkcs8)
                #expect(try X25519.PrivateKey(pkcs8: pkcs8) == made && X25519.PublicKey(spki: spki) == made.publicKey)
            case "X448":
                let made = try X448.PrivateKey(rawRepresentation: secret)
                #expect(made.publicKey.rawRepresentation == point && made.publicKey.spki == spki && made.pkcs8 == pkcs8)
                #expect(try X448.PrivateKey(pkcs8: pkcs8) == made && X448.PublicKey(spki: spki) == made.publicKey)
            case "Ed25519":
                let made = try Ed25519.PrivateKey(rawRepresentation: secret)
                #expect(made.publicKey.rawRepresentation == point && made.publicKey.spki == spki && made.pkcs8 == pkcs8)
                #expect(try SignaturePrivateKey(pkcs8: pkcs8) == .ed25519(made))
            case "Ed448":
                let made = try Ed448.PrivateKey(rawRepresentation: secret)
                #expect(made.publicKey.rawRepresentation == point && made.publicKey.spki == spki && made.pkcs8 == pkcs8)
                #expect(try SignaturePrivateKey(pkcs8: pkcs8) == .ed448(made))
            case let other: Issue.record("unknown algorithm \(other)")
            }
            #expect(try AnyPublicKey(spki: spki).spki == spki)
            #expect(
                try Base64URL.encode(spki) == (key.text("publicStr"))
                    && Base64URL.encode(pkcs8) == (key.text("privateStr"))
            )
            #expect(try key.bytes("publicSmp") == [UInt8(spki.count)] + spki)
        }
    }

    @Test
    func `X448 keys are read from the JSON forms of simplexmq`() throws {
        for vector in try Vector.readFile("crypto").list("keysJson") {
            let outer = try Base64URL.decode(vector.text("json"))
            if vector.has("private") {
                let key = try X448.PrivateKey(pkcs8: Base64URL.decode(outer))
                #expect(key.rawRepresentation.hex == (try vector.text("private")))
            } else {
                #expect(try X448.PublicKey(spki: outer).rawRepresentation.hex == vector.text("public"))
            }
        }
    }

    @Test
    func `Both sides of a key agreement compute the secret of simplexmq`() throws {
        for vector in try Vector.readFile("crypto").list("dh") {
            let (a, b) = (try vector.object("a").bytes("private"), try vector.object("b").bytes("private"))
            let secret = try vector.bytes("secret")
            #expect(Base64URL.encode(secret) == (try vector.text("secretStr")))
            if try vector.text("algorithm") == "X25519" {
                let (a, b) = (try X25519.PrivateKey(rawRepresentation: a), try X25519.PrivateKey(rawRepresentation: b))
                #expect(try a.sharedSecret(with: b.publicKey).rawRepresentation == secret)
                #expect(try b.sharedSecret(with: a.publicKey).rawRepresentation == secret)
            } else {
                let (a, b) = (try X448.PrivateKey(rawRepresentation: a), try X448.PrivateKey(rawRepresentation: b))
                #expect(try a.sharedSecret(with: b.publicKey).rawRepresentation == secret)
                #expect(try b.sharedSecret(with: a.publicKey).rawRepresentation == secret)
            }
        }
    }

    @Test
    func `Signatures with Ed25519 and Ed448 equal those of simplexmq, and are valid only for their message`() throws {
        for vector in try Vector.readFile("crypto").list("signatures") {
            let (secret, message, signature) = (
                try vector.object("key").bytes("private"), try vector.bytes("message"), try vector.bytes("signature")
            )
            let key: SignaturePrivateKey =
                try vector.text("algorithm") == "Ed25519"
                ? .ed25519(try Ed25519.PrivateKey(rawRepresentation: secret))
                : .ed448(try Ed448.PrivateKey(rawRepresentation: secret))
            #expect(try key.sign(message) == signature)
            #expect(key.publicKey.isValidSignature(signature, for: message))
            #expect(!key.publicKey.isValidSignature(signature, for: message + [0]))
            #expect(!key.publicKey.isValidSignature(Array(signature.dropLast()), for: message))
            #expect(Base64.encode(signature) == (try vector.text("strBase64Standard")))
            #expect(try vector.bytes("smp") == [UInt8(signature.count)] + signature)
        }
    }

    @Test
    func `The signature lengths that are recognized are the lengths that simplexmq accepts`() throws {
        for vector in try Vector.readFile("crypto").list("signatureLengths") {
            let known = SignatureAlgorithm(signatureSize: try vector.int("length")) != nil
            #expect(known == (try vector.bool("accepted")))
        }
    }

    @Test
    func `Keys of a wrong type or length, and curve points of small order, are refused`() throws {
        let x448 = try X448.PrivateKey()
        #expect(throws: CryptoError.invalidKey) { try X25519.PublicKey(spki: x448.publicKey.spki) }
        #expect(throws: CryptoError.invalidKey) { try AuthorizationKey(spki: x448.publicKey.spki) }
        #expect(throws: CryptoError.invalidKey) { try SignaturePublicKey(spki: x448.publicKey.spki) }
        #expect(throws: CryptoError.invalidKey) { try AnyPublicKey(spki: x448.publicKey.spki + [0]) }
        #expect(throws: CryptoError.invalidKey) { try Ed25519.PrivateKey(pkcs8: [UInt8]()) }
        #expect(throws: (any Error).self) { try Ed448.PublicKey(rawRepresentation: [1, 2]) }
        let zero25519 = try X25519.PublicKey(rawRepresentation: Array(repeating: 0, count: 32))
        #expect(throws: CryptoError.weakSharedSecret) { try X25519.PrivateKey().sharedSecret(with: zero25519) }
        let zero448 = try X448.PublicKey(rawRepresentation: Array(repeating: 0, count: 56))
        #expect(throws: CryptoError.weakSharedSecret) { try x448.sharedSecret(with: zero448) }
    }
}
