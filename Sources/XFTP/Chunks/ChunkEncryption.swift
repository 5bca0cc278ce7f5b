package import SimpleXCrypto

/// The encryption of a chunk on its way to a recipient, inside TLS. So an observer on both sides of a server cannot
/// link a download with its upload. A chunk is a secret box with the tag at the end. The key is the Diffie-Hellman
/// secret of the keys in FGET and in its answer.
///
/// simplexmq `protocol/xftp.md`, "Download file chunk".
package enum ChunkEncryption {
    /// The size in bytes of the tag after the encrypted chunk.
    package static let tagSize = SecretBox.tagSize

    package static func seal(_ chunk: [UInt8], secret: X25519.SharedSecret, nonce: BoxNonce) -> [UInt8] {
        let box = SecretBoxStream(secret: secret, nonce: nonce)
        return box.encrypt(chunk) + box.computeTag()
    }

    /// Decrypts the chunk in `body`, which must have this size (in bytes) and this SHA-256. Throws `SIZE`, `CRYPTO` or
    /// `DIGEST`.
    package static func open(
        _ body: some Collection<UInt8>,
        secret: X25519.SharedSecret,
        nonce: BoxNonce,
        size: Int,
        digest: [UInt8]
    ) throws(XFTPServerError) -> [UInt8] {
        guard size >= 0, body.count == size + tagSize else { throw .size }
        let box = SecretBoxStream(secret: secret, nonce: nonce)
        let chunk = box.decrypt(Array(body.prefix(size)))
        guard box.isTagValid(tag: Array(body.dropFirst(size))) else { throw .crypto }
        guard Digest.sha256(chunk) == digest else { throw .digest }
        return chunk
    }
}
