package import SimpleXCrypto

/// One command or answer before it is authorized: correlation id, entity id and the encoded command.
///
/// simplexmq `protocol/simplex-messaging.md`, "SMP transmission and transport block structure".
package struct TransmissionContent: Sendable {
    /// The bytes that an authorization covers: the session id, and all bytes that are sent after the authorization.
    package let authorizedBytes: [UInt8]
    /// The bytes sent after the authorization.
    package let sentBytes: [UInt8]
    private let hasServiceSignatures: Bool

    /// Encodes a command with its ids.
    /// - Parameters:
    ///   - corrID: 24 random bytes; empty in an event without a command.
    ///   - entityID: the id of the queue (or link); empty for commands without an entity.
    package init(
        _ command: ClientCommand,
        corrID: [UInt8],
        entityID: [UInt8],
        session: SessionParameters
    ) throws(SMPEncodingError) {
        try self.init(corrID, entityID, session) { writer in command.encode(to: &writer, version: session.version) }
    }

    package init(
        _ message: BrokerMessage,
        corrID: [UInt8],
        entityID: [UInt8],
        session: SessionParameters
    ) throws(SMPEncodingError) {
        try self.init(corrID, entityID, session) { writer in message.encode(to: &writer, version: session.version) }
    }

    /// Encodes the transmission of an answer, which has no authorization. The transmission is built in one buffer, as
    /// it may be as long as a block.
    package static func encodeTransmission(
        of message: BrokerMessage,
        corrID: [UInt8],
        entityID: [UInt8],
        session: SessionParameters
    ) throws(SMPEncodingError) -> [UInt8] {
        var writer = ByteWriter(
            capacity: message.approximateByteCount + corrID.count + entityID.count + session.sessionID.count + 4
        )
        writer.writeShortBytes([])
        if !session.isSessionIDImplied { writer.writeShortBytes(session.sessionID) }
        writer.writeShortBytes(corrID)
        writer.writeShortBytes(entityID)
        message.encode(to: &writer, version: session.version)
        return try writer.finish()
    }

    /// Encodes a command with the function `encode`. Other protocols whose transmissions have the form of SMP use this
    /// initializer.
    package init(
        _ corrID: [UInt8],
        _ entityID: [UInt8],
        _ session: SessionParameters,
        encode: (inout ByteWriter) -> Void
    ) throws(SMPEncodingError) {
        var writer = ByteWriter(capacity: 128)
        writer.writeShortBytes(session.sessionID)
        let start = writer.count
        writer.writeShortBytes(corrID)
        writer.writeShortBytes(entityID)
        encode(&writer)
        authorizedBytes = try writer.finish()
        sentBytes = session.isSessionIDImplied ? Array(authorizedBytes[start...]) : authorizedBytes
        hasServiceSignatures = session.hasServiceSignatures
    }

    /// Returns the transmission: the authorization (empty for none), the service's signature if the version has one,
    /// and the content.
    package func encodeTransmission(authorization: [UInt8] = [], serviceSignature: [UInt8]? = nil) -> [UInt8] {
        var writer = ByteWriter(capacity: authorization.count + sentBytes.count + 2)
        writer.writeShortBytes(authorization)
        if hasServiceSignatures, !authorization.isEmpty { writer.writeOptional(serviceSignature) }
        writer.writeRaw(sentBytes)
        return writer.bytes
    }

    /// Returns the authorization of this content by `key`. For an X25519 key, `serverKey` is the relay's session key
    /// and `corrID` is the nonce.
    ///
    /// - Parameters:
    ///   - certificateHash: the certificate hash of a service that signs too, see
    ///     ``ReceivedTransmission/authorizedBytes(certificateHash:)``.
    ///   - secrets: the cache of secrets of this session.
    package func makeAuthorization(
        by key: AuthorizationPrivateKey,
        corrID: [UInt8],
        serverKey: X25519.PublicKey?,
        certificateHash: [UInt8] = [],
        secrets: SessionSecrets? = nil
    ) throws(CryptoError) -> [UInt8] {
        let covered = certificateHash.isEmpty ? authorizedBytes : certificateHash + authorizedBytes
        switch key {
        case .ed25519(let key): return try key.sign(covered)
        case .ed448(let key): return try key.sign(covered)
        case .x25519(let key):
            guard let serverKey else { throw .invalidKey }
            let secret =
                if let secrets { try secrets.findOrMakeSecret(of: key, with: serverKey) } else {
                    try key.sharedSecret(with: serverKey)
                }
            return try CommandAuthenticator.makeAuthenticator(
                for: covered,
                secret: secret,
                nonce: BoxNonce(padding: corrID)
            )
        }
    }
}
