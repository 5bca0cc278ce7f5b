public import SimpleXCrypto

/// The encryption of a chunk on its way to a recipient, inside TLS. It prevents an observer of both sides of a server
/// from linking a download with its upload. A secret box with the tag at the end, keyed by the Diffie-Hellman secret of
/// FGET and its answer.
///
/// simplexmq `protocol/xftp.md`, "Download file chunk".
public enum ChunkEncryption {
    /// Bytes that follow the encrypted chunk.
    public static let tagSize = SecretBox.tagSize

    public static func seal(_ chunk: [UInt8], secret: X25519.SharedSecret, nonce: BoxNonce) -> [UInt8] {
        let box = SecretBoxStream(secret: secret, nonce: nonce)
        return box.encrypt(chunk) + box.tag()
    }

    /// The chunk in `body`, which must be of this size (in bytes) and have this SHA-256. Fails with `SIZE`, `CRYPTO` or
    /// `DIGEST`.
    public static func open(
        _ body: some Collection<UInt8>,
        secret: X25519.SharedSecret,
        nonce: BoxNonce,
        size: Int,
        digest: [UInt8]
    ) throws(XFTPServerError) -> [UInt8] {
        guard size >= 0, body.count == size + tagSize else { throw .size }
        let box = SecretBoxStream(secret: secret, nonce: nonce)
        let chunk = box.decrypt(Array(body.prefix(size)))
        guard box.verify(tag: Array(body.dropFirst(size))) else { throw .crypto }
        guard Digest.sha256(chunk) == digest else { throw .digest }
        return chunk
    }
}
