package import JSON
import SMP
package import SimpleXCrypto

/// The host's side of the exchange of hellos. Each hello is padded to one block.
package struct HostHandshake: Sendable {
    let secret: X25519.SharedSecret
    let kemKey: SNTRUP761.PrivateKey
    private let invitation: Invitation
    /// The host's hello, padded to a block.
    package let helloBlock: [UInt8]

    /// Makes the host's hello for an invitation.
    /// - Parameters:
    ///   - key: the host's key of this session. The controller uses this key to announce the next session.
    ///   - authority: SHA-256 of the host's authority certificate.
    package init(
        _ invitation: Invitation,
        key: X25519.PrivateKey,
        authority: [UInt8],
        app: JSONValue,
        kemKey: SNTRUP761.PrivateKey = SNTRUP761.PrivateKey(),
        nonce: BoxNonce = .random()
    ) throws(XRCPError) {
        guard invitation.versions.contains(XRCPVersion.current) else { throw .version }
        guard let secret = try? key.sharedSecret(with: invitation.dhKey) else { throw .encrypt }
        self.secret = secret
        self.kemKey = kemKey
        self.invitation = invitation
        let hello = HostHello(
            version: XRCPVersion.current,
            authorityFingerprint: authority,
            app: app,
            kemKey: kemKey.publicKey
        )
        helloBlock = try PacketBlock.pad(HostHelloPacket(hello, key: key, secret: secret, nonce: nonce).packetBytes)
    }

    /// Checks the controller's answer, and returns the keys of the session. Throws ``XRCPError/controllerError(_:)``
    /// when the controller refuses the session.
    package func deriveSessionKeys(_ block: [UInt8]) throws(XRCPError) -> SessionKeys {
        switch try ControllerHello(PacketBlock.unpad(block)) {
        case .hello(let ciphertext, let box):
            var keys = try SessionKeys(
                secret,
                kem: kemKey.decapsulate(ciphertext),
                isController: false,
                signing: .verify(session: invitation.sessionKey, identity: invitation.identityKey)
            )
            let (key, nonce) = try keys.takeNextReceivingKey()
            guard let json = try? SecretBox.open(box, key: key, nonce: nonce) else { throw .decrypt }
            guard let value = try? JSONValue(parsing: json, limits: JSONLimits(size: BlockSize.helloBody, depth: 16)),
                value.objectValue != nil
            else { throw .syntax("JSON") }
            return keys
        case .error(let nonce, let box):
            guard let message = try? CryptoBox.open(box, secret: secret, nonce: nonce) else { throw .decrypt }
            throw .controllerError(String(String(decoding: message, as: UTF8.self).prefix(1000)))
        }
    }
}

/// The controller's side of the exchange of hellos.
package struct ControllerHandshake: Sendable {
    package let hello: HostHello
    /// The host's key, which the controller uses to announce the next session.
    package let hostKey: X25519.PublicKey
    package let sessionKeys: SessionKeys
    /// The controller's answer to the hello, padded to a block.
    package let answerBlock: [UInt8]

    /// Reads the host's hello, and makes the controller's answer.
    /// - Parameters:
    ///   - block: the host's hello.
    ///   - key: the key of this session, whose public part is in the invitation.
    ///   - authority: SHA-256 of the authority certificate that the host has shown in TLS.
    package init(
        _ block: [UInt8],
        key: X25519.PrivateKey,
        authority: [UInt8],
        session: Ed25519.PrivateKey,
        identity: Ed25519.PrivateKey
    ) throws(XRCPError) {
        try self.init(block, key: key, authority: authority, session: session, identity: identity) { $0.encapsulate() }
    }

    init(
        _ block: [UInt8],
        key: X25519.PrivateKey,
        authority: [UInt8],
        session: Ed25519.PrivateKey,
        identity: Ed25519.PrivateKey,
        encapsulate: (SNTRUP761.PublicKey) -> (ciphertext: SNTRUP761.Ciphertext, sharedSecret: SecretBytes)
    ) throws(XRCPError) {
        let packet = try HostHelloPacket(PacketBlock.unpad(block))
        guard let secret = try? key.sharedSecret(with: packet.dhKey) else { throw .decrypt }
        let hello = try packet.openHello(secret)
        guard hello.authorityFingerprint == authority else { throw .identity }
        guard hello.version == XRCPVersion.current else { throw .version }
        let (ciphertext, kem) = encapsulate(hello.kemKey)
        var keys = try SessionKeys(
            secret,
            kem: kem,
            isController: true,
            signing: .sign(session: session, identity: identity)
        )
        let (boxKey, nonce) = try keys.takeNextSendingKey()
        guard let box = try? SecretBox.seal(Array("{}".utf8), key: boxKey, nonce: nonce, paddedTo: BlockSize.helloBody)
        else { throw .blockSize }
        self.hello = hello
        hostKey = packet.dhKey
        self.answerBlock = try PacketBlock.pad(ControllerHello.hello(ciphertext, box: box).packetBytes)
        self.sessionKeys = keys
    }

    /// Returns the block that tells the host why its hello is refused. Returns nil for a malformed hello, for which no
    /// block can be encrypted, and for a message that is too long for a block.
    package static func makeRefusal(of block: [UInt8], key: X25519.PrivateKey, _ message: String) -> [UInt8]? {
        guard let unpadded = try? PacketBlock.unpad(block), let packet = try? HostHelloPacket(unpadded),
            let secret = try? key.sharedSecret(with: packet.dhKey),
            let error = try? ControllerHello(error: message, secret: secret)
        else { return nil }
        return try? PacketBlock.pad(error.packetBytes)
    }
}
