internal import SimpleXCrypto

/// The encryption of Web Push messages: RFC 8291 over the content coding `aes128gcm` of RFC 8188, in one record.
enum WebPushCipher {
    /// The size of the record in bytes, as the header contains it. A push service accepts at most 4,096 bytes.
    private static let recordSize = 4_096
    /// Maximal number of bytes of a message: the record without the header (86 bytes), the delimiter and the tag.
    static let maxMessageBytes = recordSize - 86 - 1 - 16
    /// Messages are padded to a multiple of this number of bytes, so that their size reveals less about the content.
    private static let paddingStep = 512

    /// Encrypts a message for a browser.
    /// - Parameters:
    ///   - receiver: the key `p256dh` of the subscription, 65 bytes.
    ///   - secret: the key `auth` of the subscription, 16 bytes.
    /// - Throws: `CryptoError`, also for a message that is too long.
    static func encrypt(_ message: [UInt8], for receiver: [UInt8], secret: [UInt8]) throws(CryptoError) -> [UInt8] {
        let padded = min((message.count + paddingStep) / paddingStep * paddingStep, maxMessageBytes)
        return try encrypt(
            message,
            padding: max(0, padded - message.count),
            for: receiver,
            secret: secret,
            key: P256.PrivateKey(),
            salt: RandomBytes.make(count: 16)
        )
    }

    static func encrypt(
        _ message: [UInt8],
        padding: Int,
        for receiver: [UInt8],
        secret: [UInt8],
        key: P256.PrivateKey,
        salt: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        guard message.count + padding <= maxMessageBytes else { throw .messageTooLarge }
        let keys = try deriveKeys(
            key.sharedSecret(with: receiver),
            secret: secret,
            receiver: receiver,
            sender: key.publicKey,
            salt: salt
        )
        let record = message + [2] + [UInt8](repeating: 0, count: padding)
        let size = UInt32(recordSize)
        let header =
            salt + (0..<4).map { UInt8(truncatingIfNeeded: size >> (24 - 8 * UInt32($0))) } + [
                UInt8(P256.publicKeySize)
            ] + key.publicKey
        return header + (try AES128GCM.seal(record, key: keys.key, nonce: keys.nonce))
    }

    /// Derives the key and the nonce of a message, which is one record, from the shared secret: RFC 8291, section 3.4.
    static func deriveKeys(
        _ shared: SecretBytes,
        secret: [UInt8],
        receiver: [UInt8],
        sender: [UInt8],
        salt: [UInt8]
    ) -> (key: SecretBytes, nonce: [UInt8]) {
        let first = SecretBytes(HMAC.sha256(shared.bytes, key: SecretBytes(secret)))
        let info = Array("WebPush: info\0".utf8) + receiver + sender
        let input = HMAC.sha256(info, [1], key: first)
        return deriveContentKeys(SecretBytes(input), salt: salt)
    }

    /// Derives the key and the nonce of a record from the keying material `input`: RFC 8188, sections 2.2 and 2.3.
    static func deriveContentKeys(_ input: SecretBytes, salt: [UInt8]) -> (key: SecretBytes, nonce: [UInt8]) {
        let second = SecretBytes(HMAC.sha256(input.bytes, key: SecretBytes(salt)))
        let key = HMAC.sha256(Array("Content-Encoding: aes128gcm\0".utf8), [1], key: second)
        let nonce = HMAC.sha256(Array("Content-Encoding: nonce\0".utf8), [1], key: second)
        return (SecretBytes(key.prefix(16)), Array(nonce.prefix(12)))
    }
}

/// The key by which push services recognize this server: RFC 8292.
struct PushSender: Sendable {
    let privateKey: P256.PrivateKey
    /// A URL at which the operator of this server can be reached: `mailto:` or `https:`.
    let contact: String?

    /// Seconds for which a token is valid. Push services accept at most a day.
    private static let tokenLifetimeSeconds: Int64 = 12 * 3_600

    var publicKey: String { Base64URL.encode(privateKey.publicKey, padding: false) }

    /// Makes the value of the header `Authorization` for one push service.
    func makeAuthorization(for origin: String, now: Int64) throws(CryptoError) -> String {
        var claims = "{\"aud\":\"\(origin)\",\"exp\":\(now + PushSender.tokenLifetimeSeconds)"
        if let contact { claims += ",\"sub\":\"\(contact)\"" }
        let text = [#"{"typ":"JWT","alg":"ES256"}"#, claims + "}"].map {
            Base64URL.encode(Array($0.utf8), padding: false)
        }.joined(separator: ".")
        let signature = Base64URL.encode(try privateKey.sign(Array(text.utf8)), padding: false)
        return "vapid t=\(text).\(signature), k=\(publicKey)"
    }

    /// Whether a text can be used as ``contact``.
    static func isContact(_ text: String) -> Bool {
        (text.hasPrefix("mailto:") || text.hasPrefix("https://")) && text.utf8.count <= 255
            && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    }
}
