import JSON
import SimpleXCrypto
import Testing

@testable import Gateway

/// Encryption and signatures of messages to push services.
extension WebPushTests {
    private static func makeKey(_ number: String, _ point: String) throws -> P256.PrivateKey {
        try P256.PrivateKey(rawRepresentation: SecretBytes(Base64URL.decode(number) + Base64URL.decode(point)))
    }

    @Test
    func `The example of RFC 8291 is encrypted and decrypted as in the RFC`() throws {
        let sender = try Self.makeKey(
            "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw",
            "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8"
        )
        let receiver = try Self.makeKey(
            "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94",
            "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
        )
        let (secret, salt) = (
            try Base64URL.decode("BTBZMqHH6r4Tts7J_aSIgg"), try Base64URL.decode("DGv6ra1nlYgDCS1FRnbzlw")
        )
        #expect(
            try Base64URL.encode(sender.sharedSecret(with: receiver.publicKey).bytes, padding: false)
                == "kyrL1jIIOHEzg3sM2ZWRHDRB62YACZhhSlknJ672kSs"
        )
        let text = Array("When I grow up, I want to be a watermelon".utf8)
        let body = try WebPushCipher.encrypt(
            text,
            padding: 0,
            for: receiver.publicKey,
            secret: secret,
            key: sender,
            salt: salt
        )
        #expect(
            Base64URL.encode(body, padding: false)
                == "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
        )
        #expect(try Self.decrypt(body, receiver, secret) == text)
    }

    @Test
    func `The example of RFC 8188 has the same keys and the same encrypted text as in the RFC`() throws {
        let salt = try Base64URL.decode("I1BsxtFttlv3u_Oo94xnmw")
        let keys = WebPushCipher.deriveContentKeys(
            SecretBytes(try Base64URL.decode("yqdlZ-tYemfogSmv7Ws5PQ")),
            salt: salt
        )
        #expect(Base64URL.encode(keys.key.bytes, padding: false) == "_wniytB-ofscZDh4tbSjHw")
        #expect(Base64URL.encode(keys.nonce, padding: false) == "Bcs8gkIRKLI8GeI8")
        let text = try AES128GCM.open(
            Base64URL.decode("-NAVub2qFgBEuQKRapoZu-IxkIva3MEB1PD-ly8Thjg"),
            key: keys.key,
            nonce: keys.nonce
        )
        #expect(text == Array("I am the walrus".utf8) + [2])
        let sealed = try AES128GCM.seal(text, key: keys.key, nonce: keys.nonce)
        #expect(Base64URL.encode(sealed, padding: false) == "-NAVub2qFgBEuQKRapoZu-IxkIva3MEB1PD-ly8Thjg")
        #expect(throws: CryptoError.authenticationFailed) {
            try AES128GCM.open(sealed.dropLast() + [sealed.last.map { $0 ^ 1 } ?? 0], key: keys.key, nonce: keys.nonce)
        }
    }

    @Test
    func `Push messages are padded to one of five sizes, and a message above the size limit is refused`() throws {
        let browser = try Browser()
        var sizes: Set<Int> = []
        for count in [0, 1, 511, 512, 513, 2_000, WebPushCipher.maxMessageBytes - 1, WebPushCipher.maxMessageBytes] {
            let body = try WebPushCipher.encrypt(
                [UInt8](repeating: 65, count: count),
                for: browser.key.publicKey,
                secret: browser.secret
            )
            #expect(try Self.decrypt(body, browser.key, browser.secret).count == count)
            sizes.insert(body.count)
        }
        #expect(sizes.count <= 5 && sizes.max() == 4_096)
        #expect(throws: CryptoError.messageTooLarge) {
            try WebPushCipher.encrypt(
                [UInt8](repeating: 65, count: WebPushCipher.maxMessageBytes + 1),
                for: browser.key.publicKey,
                secret: browser.secret
            )
        }
        #expect(throws: CryptoError.self) {
            try WebPushCipher.encrypt([65], for: [4] + [UInt8](repeating: 1, count: 64), secret: browser.secret)
        }
    }

    @Test
    func `The VAPID token contains sender, audience and expiry, and is signed with the given key`() throws {
        let sender = PushSender(privateKey: try P256.PrivateKey(), contact: "mailto:me@example.org")
        let field = try sender.makeAuthorization(for: "https://push.example:8443", now: 1_000)
        let parts = field.dropFirst("vapid t=".count).split(separator: ", k=").map(String.init)
        #expect(field.hasPrefix("vapid t=") && parts.count == 2 && parts[1] == sender.publicKey)
        let token = parts[0].split(separator: ".").map(String.init)
        #expect(try JSONValue(parsing: Base64URL.decode(token[0])) == ["typ": "JWT", "alg": "ES256"])
        #expect(
            try JSONValue(parsing: Base64URL.decode(token[1])) == [
                "aud": "https://push.example:8443", "exp": 44_200, "sub": "mailto:me@example.org",
            ]
        )
        let signed = Array("\(token[0]).\(token[1])".utf8)
        let signature = try Base64URL.decode(token[2])
        #expect(P256.isValidSignature(signature, for: signed, by: sender.privateKey.publicKey))
        #expect(!P256.isValidSignature(signature, for: signed + [0], by: sender.privateKey.publicKey))
        for text in ["", "me@example.org", "http://a", "mailto:a\"b", "mailto:a b", "https://ä"] {
            #expect(!PushSender.isContact(text), "\(text)")
        }
    }
}
