import CSodium

/// A secret box of a file that is made or opened in parts. The result is the same as from `SecretBox.sealTailTag`, for
/// any division into parts.
///
/// Plaintext from `decrypt` is not authenticated until `isTagValid` succeeds. This type is a class, so that its state,
/// which contains key material, exists once and is overwritten when it is released.
package final class SecretBoxStream {
    private let key: BoxKey
    private let nonce: [UInt8]
    private var tagState = crypto_onetimeauth_state()
    /// Number of used bytes of the keystream. The first 32 bytes are the Poly1305 key.
    private var keystreamOffset: UInt64 = 32

    package convenience init(key: SymmetricKey, nonce: BoxNonce) {
        self.init(BoxKey(deriving: key.secret), nonce)
    }

    /// Makes a box with a DH secret as the key, for file chunks on their way from a relay.
    package convenience init(secret: X25519.SharedSecret, nonce: BoxNonce) {
        self.init(secret.boxKey, nonce)
    }

    private init(_ key: BoxKey, _ nonce: BoxNonce) {
        self.key = key
        self.nonce = nonce.rawRepresentation
        let tagKey = SecretBytes.filled(
            count: 32,
            { out in
                key.secret.withPointer { _ = crypto_stream_xsalsa20(out, 32, nonce.rawRepresentation, $0) }
            }
        )
        tagKey.withPointer { _ = crypto_onetimeauth_init(&tagState, $0) }
    }

    deinit {
        sodium_memzero(&tagState, MemoryLayout.size(ofValue: tagState))
    }

    /// Encrypts the next part. The returned ciphertext is as long as `part`.
    package func encrypt(_ part: [UInt8]) -> [UInt8] {
        var output = part
        output.withUnsafeMutableBytes { encrypt(inPlace: $0) }
        return output
    }

    /// Decrypts the next part. The returned plaintext is as long as `part`. The caller must not use the plaintext
    /// before `isTagValid` succeeds.
    package func decrypt(_ part: [UInt8]) -> [UInt8] {
        var output = part
        output.withUnsafeMutableBytes { decrypt(inPlace: $0) }
        return output
    }

    /// Encrypts the next part in place: replaces the plaintext by the ciphertext.
    package func encrypt(inPlace part: UnsafeMutableRawBufferPointer) {
        applyKeystream(to: part)
        authenticatePart(part)
    }

    /// Decrypts the next part in place: replaces the ciphertext by the plaintext. The caller must not use the plaintext
    /// before `isTagValid` succeeds.
    package func decrypt(inPlace part: UnsafeMutableRawBufferPointer) {
        authenticatePart(part)
        applyKeystream(to: part)
    }

    private func authenticatePart(_ part: UnsafeMutableRawBufferPointer) {
        guard let start = part.baseAddress else { return }
        crypto_onetimeauth_update(&tagState, start.assumingMemoryBound(to: UInt8.self), UInt64(part.count))
    }

    /// Returns the 16-byte tag of all parts so far.
    package func computeTag() -> [UInt8] {
        var state = tagState
        defer { sodium_memzero(&state, MemoryLayout.size(ofValue: state)) }
        var out = [UInt8](repeating: 0, count: BoxKey.tagSize)
        crypto_onetimeauth_final(&state, &out)
        return out
    }

    package func isTagValid(tag expected: [UInt8]) -> Bool { constantTimeEquals(computeTag(), expected) }

    private func applyKeystream(to part: UnsafeMutableRawBufferPointer) {
        guard let start = part.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
        // The cipher can only start at multiples of 64 bytes, so the bytes before the next multiple are handled
        // separately.
        let inBlock = Int(keystreamOffset % 64)
        let head = inBlock == 0 ? 0 : min(64 - inBlock, part.count)
        if head > 0 {
            var block = [UInt8](repeating: 0, count: 64)
            xorKeystream(&block, count: 64, block: keystreamOffset / 64)
            for index in 0..<head { start[index] ^= block[inBlock + index] }
            sodium_memzero(&block, 64)
            keystreamOffset += UInt64(head)
        }
        guard head < part.count else { return }
        xorKeystream(start + head, count: part.count - head, block: keystreamOffset / 64)
        keystreamOffset += UInt64(part.count - head)
    }

    private func xorKeystream(_ bytes: UnsafeMutablePointer<UInt8>, count: Int, block: UInt64) {
        key.secret.withPointer { _ = crypto_stream_xsalsa20_xor_ic(bytes, bytes, UInt64(count), nonce, block, $0) }
    }
}
