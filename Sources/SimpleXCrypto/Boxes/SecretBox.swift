/// The symmetric box of SimpleX: `crypto_box` with a 32-byte key instead of the DH secret. It is *not* NaCl's
/// `secretbox`, which lacks the HSalsa20 step and produces other bytes.
package enum SecretBox {
    /// The number of bytes by which a box is longer than its message.
    package static let tagSize = 16

    /// Pads `message` to `paddedTo` bytes if given, and encrypts it. The tag is before the ciphertext.
    package static func seal(
        _ message: some Collection<UInt8>,
        key: SymmetricKey,
        nonce: BoxNonce,
        paddedTo: Int? = nil
    ) throws(CryptoError) -> [UInt8] {
        try BoxKey(deriving: key.secret).seal(message, nonce: nonce, paddedTo: paddedTo, tag: .head)
    }

    package static func open(
        _ box: some Collection<UInt8>,
        key: SymmetricKey,
        nonce: BoxNonce,
        padded: Bool = true
    ) throws(CryptoError) -> [UInt8] {
        try BoxKey(deriving: key.secret).open(box, nonce: nonce, padded: padded, tag: .head)
    }

    /// Encrypts `message` without padding, with the tag at the end: for local files, file chunks, and bodies of remote
    /// control.
    package static func sealTailTag(
        _ message: some Collection<UInt8>,
        key: SymmetricKey,
        nonce: BoxNonce
    ) throws(CryptoError) -> [UInt8] {
        try BoxKey(deriving: key.secret).seal(message, nonce: nonce, paddedTo: nil, tag: .tail)
    }

    package static func openTailTag(
        _ box: some Collection<UInt8>,
        key: SymmetricKey,
        nonce: BoxNonce
    ) throws(CryptoError) -> [UInt8] {
        try BoxKey(deriving: key.secret).open(box, nonce: nonce, padded: false, tag: .tail)
    }
}
