import SimpleXCrypto
import TestSupport
import Testing

/// Tests with the vectors of boxes, padding, authenticators and nonces in crypto.json.
@Suite struct BoxVectorTests {
    private func sharedSecret(_ vector: Vector) throws -> X25519.SharedSecret {
        let a = try X25519.PrivateKey(rawRepresentation: vector.object("a").bytes("private"))
        let b = try X25519.PrivateKey(rawRepresentation: vector.object("b").bytes("private"))
        let secret = try a.sharedSecret(with: b.publicKey)
        #expect(try b.sharedSecret(with: a.publicKey) == secret)
        return secret
    }

    private func readNonce(_ vector: Vector) throws -> BoxNonce {
        try BoxNonce(rawRepresentation: vector.bytes("nonce"))
    }

    @Test
    func `Crypto boxes with the shared secret of two keys equal the crypto boxes of simplexmq`() throws {
        for vector in try Vector.readFile("crypto").list("cryptoBox") {
            let (secret, nonce, message) = (
                try sharedSecret(vector), try readNonce(vector), try vector.bytes("message")
            )
            #expect(secret.rawRepresentation.hex == (try vector.text("dhSecret")))
            let paddedTo = try vector.int("paddedLength")
            if vector.has("error") {
                #expect(throws: CryptoError.messageTooLarge) {
                    try CryptoBox.seal(message, secret: secret, nonce: nonce, paddedTo: paddedTo)
                }
            } else {
                let box = try CryptoBox.seal(message, secret: secret, nonce: nonce, paddedTo: paddedTo)
                #expect(box.hex == (try vector.text("ciphertext")))
                #expect(try CryptoBox.open(box, secret: secret, nonce: nonce) == vector.bytes("decrypted"))
            }
        }
        for vector in try Vector.readFile("crypto").list("cryptoBoxNoPad") {
            let (secret, nonce, message) = (
                try sharedSecret(vector), try readNonce(vector), try vector.bytes("message")
            )
            let box = try CryptoBox.seal(message, secret: secret, nonce: nonce)
            #expect(box.hex == (try vector.text("ciphertext")))
            #expect(try CryptoBox.open(box, secret: secret, nonce: nonce, padded: false) == message)
        }
    }

    @Test
    func `Opening a malformed crypto box fails with the error of simplexmq`() throws {
        for vector in try Vector.readFile("crypto").list("cryptoBoxDecrypt") {
            let secret = try X25519.SharedSecret(rawRepresentation: vector.bytes("dhSecret"))
            let (box, nonce) = (try vector.bytes("ciphertext"), try readNonce(vector))
            switch vector.optionalText("error") {
            case nil: #expect(try CryptoBox.open(box, secret: secret, nonce: nonce) == vector.bytes("message"))
            case "CBDecryptError":
                #expect(throws: CryptoError.authenticationFailed) {
                    try CryptoBox.open(box, secret: secret, nonce: nonce)
                }
            default:
                #expect(throws: CryptoError.invalidPadding) { try CryptoBox.open(box, secret: secret, nonce: nonce) }
            }
        }
    }

    @Test
    func `Crypto boxes with a symmetric key equal those of simplexmq`() throws {
        let file = try Vector.readFile("crypto")
        for vector in try file.list("secretBox") + file.list("secretBoxNoPad") {
            let key = try SymmetricKey(rawRepresentation: vector.bytes("key"))
            let (nonce, message, paddedTo) = (
                try readNonce(vector), try vector.bytes("message"), vector.optionalInt("paddedLength")
            )
            if vector.has("error") {
                #expect(throws: CryptoError.messageTooLarge) {
                    try SecretBox.seal(message, key: key, nonce: nonce, paddedTo: paddedTo)
                }
            } else {
                let box = try SecretBox.seal(message, key: key, nonce: nonce, paddedTo: paddedTo)
                #expect(box.hex == (try vector.text("ciphertext")))
                #expect(try SecretBox.open(box, key: key, nonce: nonce, padded: paddedTo != nil) == message)
            }
        }
    }

    @Test
    func `Crypto boxes with file padding equal those of simplexmq, with the tag before or after the ciphertext`() throws
    {
        for vector in try Vector.readFile("crypto").list("secretBoxLazy") {
            let key = try SymmetricKey(rawRepresentation: vector.bytes("key"))
            let (nonce, message) = (try readNonce(vector), try vector.bytes("message"))
            let padded = try FilePadding.padContents(message, to: vector.int("paddedLength"))
            #expect(padded.hex == (try vector.text("lazyPadded")))
            #expect(try FilePadding.unpadContents(padded) == message)
            #expect(try SecretBox.seal(padded, key: key, nonce: nonce).hex == vector.text("headTag"))
            let tailTag = try SecretBox.sealTailTag(padded, key: key, nonce: nonce)
            #expect(tailTag.hex == (try vector.text("tailTag")))
            #expect(try SecretBox.openTailTag(tailTag, key: key, nonce: nonce) == padded)
            #expect(try SecretBox.sealTailTag(message, key: key, nonce: nonce).hex == vector.text("tailTagNoPad"))
        }
    }

    @Test(arguments: [1, 31, 32, 33, 64, 100, 4096])
    func `Encryption in parts and encryption in one step give the same crypto box`(size: Int) throws {
        let (key, nonce) = (SymmetricKey(), BoxNonce.random())
        let message = RandomBytes.make(count: 5000)
        let whole = try SecretBox.sealTailTag(message, key: key, nonce: nonce)
        let sealing = SecretBoxStream(key: key, nonce: nonce)
        var box: [UInt8] = []
        for start in stride(from: 0, to: message.count, by: size) {
            box += sealing.encrypt(Array(message[start..<min(start + size, message.count)]))
        }
        #expect(box + sealing.computeTag() == whole)
        let opening = SecretBoxStream(key: key, nonce: nonce)
        #expect(opening.decrypt(Array(box.prefix(777))) + opening.decrypt(Array(box.dropFirst(777))) == message)
        #expect(opening.isTagValid(tag: sealing.computeTag()))
        #expect(!opening.isTagValid(tag: [UInt8](repeating: 0, count: 16)))
    }

    @Test
    func `Padding is added to plaintexts and removed as in simplexmq`() throws {
        let file = try Vector.readFile("crypto")
        for vector in try file.list("pad") {
            let (message, size) = (try vector.bytes("message"), try vector.int("paddedLength"))
            if vector.has("error") {
                #expect(throws: CryptoError.messageTooLarge) { try Padding.padMessage(message, to: size) }
            } else {
                #expect(try Padding.padMessage(message, to: size).hex == vector.text("padded"))
            }
        }
        for vector in try file.list("unPad") {
            let padded = try vector.bytes("padded")
            if vector.has("error") {
                #expect(throws: CryptoError.invalidPadding) { try Padding.unpadMessage(padded) }
            } else {
                #expect(try Padding.unpadMessage(padded) == vector.bytes("message"))
            }
        }
        #expect(!Padding.canPad(messageSize: 0, to: .min))
        for vector in try file.list("canPad") {
            let can = try Padding.canPad(messageSize: vector.int("messageLength"), to: vector.int("paddedLength"))
            #expect(can == (try vector.bool("canPad")))
        }
    }

    @Test
    func `Bytes of any length are converted to a nonce as in simplexmq`() throws {
        for vector in try Vector.readFile("crypto").list("nonces") {
            let nonce = BoxNonce(padding: try vector.bytes("input"))
            #expect(nonce.rawRepresentation.hex == (try vector.text("nonce")))
            #expect(nonce.reversed.rawRepresentation.hex == (try vector.text("reversed")))
        }
    }

    @Test
    func `Authenticators of commands equal the authenticators of simplexmq`() throws {
        for vector in try Vector.readFile("crypto").list("authenticators") {
            let server = try X25519.PrivateKey(rawRepresentation: vector.object("serverKey").bytes("private"))
            let client = try X25519.PrivateKey(rawRepresentation: vector.object("clientKey").bytes("private"))
            let (nonce, message) = (try readNonce(vector), try vector.bytes("message"))
            let made = try CommandAuthenticator.makeAuthenticator(
                for: message,
                secret: client.sharedSecret(with: server.publicKey),
                nonce: nonce
            )
            #expect(try made.hex == (vector.text("authenticator")) && made.count == CommandAuthenticator.size)
            let secret = try server.sharedSecret(with: client.publicKey)
            #expect(CommandAuthenticator.isValidAuthenticator(made, for: message, secret: secret, nonce: nonce))
            #expect(!CommandAuthenticator.isValidAuthenticator(made, for: message + [1], secret: secret, nonce: nonce))
            #expect(!CommandAuthenticator.isValidAuthenticator([], for: message, secret: secret, nonce: nonce))
        }
    }

    @Test
    func `A hybrid crypto box with a KEM and its secret equal those of simplexmq`() throws {
        for vector in try Vector.readFile("crypto").list("hybridBox") {
            let key = try HybridSecret.combineSecrets(
                sharedSecret(vector),
                kem: SecretBytes(vector.bytes("kemSharedKey"))
            )
            #expect(key.rawRepresentation.hex == (try vector.text("hybridSecret")))
            let box = try SecretBox.seal(
                vector.bytes("message"),
                key: key,
                nonce: readNonce(vector),
                paddedTo: vector.int("paddedLength")
            )
            #expect(box.hex == (try vector.text("ciphertext")))
        }
    }
}
