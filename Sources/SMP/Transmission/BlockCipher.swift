package import SimpleXCrypto

/// Makes and opens the blocks of one session after the handshake. Blocks are padded to 16384 bytes. From version 11
/// they are also encrypted inside TLS with the keys of two chains, one for each direction. Blocks must be sealed in the
/// order of sending, and opened in the order of arrival.
///
/// The protocol document does not describe this encryption. The code follows the test vectors (smp-transmissions:
/// encryptedBlocks).
package struct BlockCipher: Sendable {
    /// Number of bytes of a block on the wire.
    package static let blockSize = 16384

    package enum Side: Sendable { case client, relay }

    private enum Mode: Sendable {
        case padded
        case encrypted(send: SecretBoxChain, receive: SecretBoxChain)
    }
    private var mode: Mode

    /// Makes a cipher that only pads blocks: for the handshake, and for versions before 11.
    package init() { mode = .padded }

    /// Makes a cipher with the two key chains of a session. Client and relay derive `secret` from their session keys.
    package init(sessionID: [UInt8], secret: X25519.SharedSecret, side: Side) {
        let (toClient, toRelay) = SecretBoxChain.makePair(salt: sessionID, secret: secret.secretBytes)
        mode =
            switch side {
            case .client: .encrypted(send: toRelay, receive: toClient)
            case .relay: .encrypted(send: toClient, receive: toRelay)
            }
    }

    init(
        session: SessionParameters,
        ownKey: X25519.PrivateKey,
        peerKey: X25519.PublicKey?,
        isProxy: Bool,
        side: Side
    ) throws(SMPTransportError) {
        guard session.version >= .firstWithEncryptedBlocks, !isProxy, let peerKey else {
            self.init()
            return
        }
        guard let secret = try? ownKey.sharedSecret(with: peerKey) else { throw .handshake(.badAuth) }
        self.init(sessionID: session.sessionID, secret: secret, side: side)
    }

    /// The chain keys for sending and receiving, for comparison with the test vectors.
    package var chainKeys: (send: [UInt8], receive: [UInt8])? {
        guard case .encrypted(let send, let receive) = mode else { return nil }
        return (send.key.bytes, receive.key.bytes)
    }

    /// Makes the block for `content` (at most 16366 bytes when encrypted, otherwise 16382). Throws
    /// ``SMPTransportError/largeMsg`` for longer content.
    package mutating func seal(_ content: [UInt8]) throws(SMPTransportError) -> [UInt8] {
        do {
            guard case .encrypted(var send, let receive) = mode else {
                return try Padding.padMessage(content, to: Self.blockSize)
            }
            let (key, nonce) = try send.takeNextKey()
            mode = .encrypted(send: send, receive: receive)
            return try SecretBox.seal(content, key: key, nonce: nonce, paddedTo: Self.blockSize - SecretBox.tagSize)
        } catch {
            throw .largeMsg
        }
    }

    /// Returns the content of a block. Throws ``SMPTransportError/badBlock`` when the other side did not seal this
    /// block, or sealed it at another position of the sequence.
    package mutating func open(_ block: [UInt8]) throws(SMPTransportError) -> [UInt8] {
        guard block.count == Self.blockSize else { throw .badBlock }
        do {
            guard case .encrypted(let send, var receive) = mode else { return try Padding.unpadMessage(block) }
            let (key, nonce) = try receive.takeNextKey()
            mode = .encrypted(send: send, receive: receive)
            return try SecretBox.open(block, key: key, nonce: nonce)
        } catch {
            throw .badBlock
        }
    }
}
