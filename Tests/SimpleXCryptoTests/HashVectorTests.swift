import SimpleXCrypto
import TestSupport
import Testing

/// Tests with the vectors of hashes, key derivation, chains and AES-GCM in crypto.json.
@Suite struct HashVectorTests {
    @Test
    func `Hashes equal those of simplexmq, even when the input is hashed in parts`() throws {
        for vector in try Vector.readFile("crypto").list("digests") {
            let message = try vector.bytes("message")
            #expect(Digest.sha256(message).hex == (try vector.text("sha256")))
            #expect(Digest.sha512(message).hex == (try vector.text("sha512")))
            #expect(Digest.sha3_256(message).hex == (try vector.text("sha3_256")))
            #expect(Digest.sha3_384(message).hex == (try vector.text("sha3_384")))
            let parts = try IncrementalDigest(.sha512)
            try parts.update(message.prefix(7))
            try parts.update(message.dropFirst(7))
            #expect(try parts.finalize().hex == vector.text("sha512"))
        }
    }

    @Test
    func `The sender id of a queue with link data is the first half of SHA3-384 of the correlation id`() throws {
        for vector in try Vector.readFile("crypto").list("senderIdFromCorrId") {
            #expect(Array(Digest.sha3_384(try vector.bytes("corrId")).prefix(24)).hex == (try vector.text("senderId")))
        }
    }

    @Test
    func `Keys derived with HKDF equal the keys of simplexmq with public and with secret salt`() throws {
        for vector in try Vector.readFile("crypto").list("hkdfSha512") {
            let (salt, ikm) = (try vector.bytes("salt"), SecretBytes(try vector.bytes("ikm")))
            let (info, count) = (Array(try vector.text("info").utf8), try vector.int("length"))
            let output = HKDF.sha512(salt: salt, ikm: ikm, info: info, count: count)
            #expect(output.bytes.hex == (try vector.text("output")))
            #expect(HKDF.sha512(salt: SecretBytes(salt), ikm: ikm, info: info, count: count) == output)
        }
        for vector in try Vector.readFile("crypto").list("hkdf3") {
            let output = HKDF.sha512(
                salt: try vector.bytes("salt"),
                ikm: SecretBytes(try vector.bytes("ikm")),
                info: Array(try vector.text("info").utf8),
                count: 96
            )
            #expect(output.bytes.hex == (try ["out1", "out2", "out3"].map { try vector.text($0) }.joined()))
        }
    }

    @Test
    func `HKDF key derivation with an impossible length returns no bytes`() {
        let ikm = SecretBytes([1])
        #expect(HKDF.sha512(salt: [], ikm: ikm, info: [], count: HKDF.maxCount).count == HKDF.maxCount)
        #expect(HKDF.sha512(salt: [], ikm: ikm, info: [], count: HKDF.maxCount + 1).count == 0)
        #expect(HKDF.sha512(salt: [], ikm: ikm, info: [], count: -1).count == 0)
    }

    @Test
    func `The chains of a session derive the crypto box keys and nonces of simplexmq`() throws {
        for vector in try Vector.readFile("crypto").list("secretBoxChains") {
            let (first, second) = SecretBoxChain.makePair(
                salt: try vector.bytes("salt"),
                secret: SecretBytes(try vector.bytes("secret"))
            )
            #expect(
                try first.key.bytes.hex == (vector.text("chain1")) && second.key.bytes.hex == (vector.text("chain2"))
            )
            for (name, start) in [("steps1", first), ("steps2", second)] {
                var chain = start
                for step in try vector.list(name) {
                    #expect(chain.key.bytes.hex == (try step.text("chainKey")))
                    let (key, nonce) = try chain.takeNextKey()
                    #expect(key.rawRepresentation.hex == (try step.text("key")))
                    #expect(nonce.rawRepresentation.hex == (try step.text("nonce")))
                    #expect(chain.key.bytes.hex == (try step.text("nextChainKey")))
                }
            }
        }
    }

    @Test
    func `AES-GCM with a 16-byte IV and padding gives the result of simplexmq`() throws {
        for vector in try Vector.readFile("crypto").list("aes256gcmIV16") {
            let key = try SymmetricKey(rawRepresentation: vector.bytes("key"))
            let (iv, ad, message) = (
                try vector.bytes("iv"), try vector.bytes("associatedData"), try vector.bytes("message")
            )
            let paddedTo = try vector.int("paddedLength")
            if vector.has("error") {
                #expect(throws: CryptoError.messageTooLarge) {
                    try AES256GCM.seal(key: key, iv: iv, associatedData: ad, message: message, paddedTo: paddedTo)
                }
                continue
            }
            let sealed = try AES256GCM.seal(key: key, iv: iv, associatedData: ad, message: message, paddedTo: paddedTo)
            #expect(try sealed.ciphertext.hex == (vector.text("ciphertext")) && sealed.tag.hex == (vector.text("tag")))
            #expect(
                try AES256GCM.open(key: key, iv: iv, associatedData: ad, ciphertext: sealed.ciphertext, tag: sealed.tag)
                    == message
            )
            #expect(throws: CryptoError.authenticationFailed) {
                try AES256GCM.open(
                    key: key,
                    iv: iv,
                    associatedData: ad + [1],
                    ciphertext: sealed.ciphertext,
                    tag: sealed.tag
                )
            }
            #expect(throws: CryptoError.authenticationFailed) {
                try AES256GCM.open(key: key, iv: iv, associatedData: ad, ciphertext: sealed.ciphertext, tag: [])
            }
        }
    }

    @Test
    func `AES-GCM with a 12-byte IV and without padding gives the result of simplexmq`() throws {
        for vector in try Vector.readFile("crypto").list("aes256gcmIV12NoPad") {
            let key = try SymmetricKey(rawRepresentation: vector.bytes("key"))
            let (iv, message) = (try vector.bytes("iv"), try vector.bytes("message"))
            let sealed = try AES256GCM.seal(key: key, iv: iv, associatedData: [], message: message)
            #expect(try sealed.ciphertext.hex == (vector.text("ciphertext")) && sealed.tag.hex == (vector.text("tag")))
            #expect(
                try AES256GCM.open(
                    key: key,
                    iv: iv,
                    associatedData: [],
                    ciphertext: sealed.ciphertext,
                    tag: sealed.tag,
                    padded: false
                ) == message
            )
        }
    }
}
