package import SimpleXCrypto

/// The first message of a session, from the relay.
///
/// simplexmq `protocol/simplex-messaging.md`, "Appendix A". Further bytes in the block are ignored, since later
/// versions may use them.
package struct ServerHello: Hashable, Sendable, SMPCodable {
    package var versions: ProtocolVersionRange
    /// The TLS channel binding, which the client compares with the channel binding of its own connection.
    package var sessionID: [UInt8]
    /// The relay's certificates and its signed session key, from version 7.
    package var key: CertificateChainKey?

    package init(versions: ProtocolVersionRange, sessionID: [UInt8], key: CertificateChainKey?) {
        self.versions = versions
        self.sessionID = sessionID
        self.key = key
    }

    package func encode(to writer: inout ByteWriter) {
        writer.writeValue(versions)
        writer.writeShortBytes(sessionID)
        if versions.max >= SMPVersion.firstWithAuthorizedCommands.number, let key { writer.writeValue(key) }
    }

    package init(from reader: inout ByteReader) throws(SMPEncodingError) {
        versions = try reader.readValue()
        sessionID = try reader.readShortBytes()
        guard versions.max >= SMPVersion.firstWithAuthorizedCommands.number, !reader.isAtEnd else {
            key = nil
            return
        }
        key = try reader.readValue()
    }
}

/// The client's answer to ``ServerHello``.
package struct ClientHello: Hashable, Sendable {
    /// The version chosen by the client.
    package var version: SMPVersion
    /// The fingerprint of the relay that the client expects.
    package var keyHash: [UInt8]
    /// The client's session key for the encryption of blocks, from version 7.
    package var key: X25519.PublicKey?
    /// Whether the client is a proxy (from version 14). The blocks of a proxy are encrypted only by TLS.
    package var isProxy: Bool
    /// The identity of a client that is a service with a certificate, from version 16.
    package var service: Service?

    package struct Service: Hashable, Sendable {
        package enum Role: UInt8, Sendable {
            case messaging = 0x4D  // M
            case notifier = 0x4E  // N
            case proxy = 0x50  // P
        }
        package var role: Role
        package var key: CertificateChainKey

        package init(role: Role, key: CertificateChainKey) {
            self.role = role
            self.key = key
        }
    }

    package init(
        version: SMPVersion,
        keyHash: [UInt8],
        key: X25519.PublicKey?,
        isProxy: Bool = false,
        service: Service? = nil
    ) {
        self.version = version
        self.keyHash = keyHash
        self.key = key
        self.isProxy = isProxy
        self.service = service
    }
}

extension ClientHello: SMPCodable {
    package func encode(to writer: inout ByteWriter) {
        writer.writeValue(version)
        writer.writeShortBytes(keyHash)
        if version >= .firstWithAuthorizedCommands, let key { writer.writeValue(key) }
        if version >= .firstWithProxyServerHandshake { writer.writeBool(isProxy) }
        if version >= .firstWithServiceCertificates { writer.writeOptional(service) }
    }

    package init(from reader: inout ByteReader) throws(SMPEncodingError) {
        version = try reader.readValue()
        keyHash = try reader.readShortBytes()
        key = nil
        // The key has no presence tag. The key is present if the next bytes can be read as a key.
        var attempt = reader
        if version >= .firstWithAuthorizedCommands, let found = try? X25519.PublicKey(from: &attempt) {
            (key, reader) = (found, attempt)
        }
        isProxy = version >= .firstWithProxyServerHandshake ? try reader.readBool() : false
        service = version >= .firstWithServiceCertificates ? try reader.readOptional() : nil
    }
}

extension ClientHello.Service: SMPCodable {
    package func encode(to writer: inout ByteWriter) {
        writer.writeByte(role.rawValue)
        writer.writeValue(key)
    }

    package init(from reader: inout ByteReader) throws(SMPEncodingError) {
        guard let role = Role(rawValue: try reader.readByte()) else { throw .invalidTag }
        self.role = role
        key = try reader.readValue()
    }
}

/// The relay's answer to a client that is a service.
package enum ServiceHandshakeResponse: Hashable, Sendable, SMPCodable {
    case accepted(serviceID: [UInt8])
    case refused(SMPTransportError)

    package func encode(to writer: inout ByteWriter) {
        switch self {
        case .accepted(let serviceID):
            writer.writeByte(UInt8(ascii: "R"))
            writer.writeShortBytes(serviceID)
        case .refused(let error):
            writer.writeByte(UInt8(ascii: "E"))
            writer.writeValue(error)
        }
    }

    package init(from reader: inout ByteReader) throws(SMPEncodingError) {
        switch try reader.readByte() {
        case UInt8(ascii: "R"): self = .accepted(serviceID: try reader.readShortBytes())
        case UInt8(ascii: "E"): self = .refused(try reader.readValue())
        default: throw .invalidTag
        }
    }
}
