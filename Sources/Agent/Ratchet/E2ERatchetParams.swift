public import SMP
public import SimpleXCrypto

/// One side's public X3DH parameters at an agreed version, sent in the confirmation of a connection.
///
/// simplexmq `protocol/agent-protocol.md`, "Agent confirmation" (`e2eParams`).
public struct E2ERatchetParams: Hashable, Sendable {
    public var version: E2EVersion
    public var key1: X448.PublicKey
    public var key2: X448.PublicKey
    public var kem: RatchetKEMParams?

    public init(version: E2EVersion, key1: X448.PublicKey, key2: X448.PublicKey, kem: RatchetKEMParams? = nil) {
        self.version = version
        self.key1 = key1
        self.key2 = key2
        self.kem = kem
    }

    /// SHA-256 of both keys: decides which side begins when both renegotiate the ratchet.
    public var keysHash: [UInt8] { Digest.sha256(key1.rawRepresentation + key2.rawRepresentation) }
}

extension E2ERatchetParams: SMPCodable {
    public func encode(to writer: inout ByteWriter) {
        writer.value(version)
        writer.x448(key1)
        writer.x448(key2)
        if version >= .pqRatchet { writer.optional(kem) }
    }

    public init(from reader: inout ByteReader) throws(SMPEncodingError) {
        let version: E2EVersion = try reader.value()
        self.init(
            version: version,
            key1: try reader.x448(),
            key2: try reader.x448(),
            kem: version >= .pqRatchet ? try reader.optional(RatchetKEMParams.self) : nil
        )
    }
}

/// One side's public X3DH parameters in a connection request: the inviter's keys and the versions it speaks.
public struct E2ERatchetParamsURI: Hashable, Sendable {
    public var versions: ProtocolVersionRange
    public var key1: X448.PublicKey
    public var key2: X448.PublicKey
    public var kem: RatchetKEMParams?

    public init(
        versions: ProtocolVersionRange,
        key1: X448.PublicKey,
        key2: X448.PublicKey,
        kem: RatchetKEMParams? = nil
    ) {
        self.versions = versions
        self.key1 = key1
        self.key2 = key2
        self.kem = kem
    }

    /// The parameters at the highest common version; nil when there is no common version.
    public func compatible(with supported: ProtocolVersionRange) -> E2ERatchetParams? {
        versions.compatible(with: supported).map {
            E2ERatchetParams(version: E2EVersion($0.max), key1: key1, key2: key2, kem: kem)
        }
    }
}

extension E2ERatchetParamsURI: SMPCodable {
    /// Unlike the text, the binary form has the KEM parameters at every version.
    public func encode(to writer: inout ByteWriter) {
        writer.value(versions)
        writer.x448(key1)
        writer.x448(key2)
        writer.optional(kem)
    }

    public init(from reader: inout ByteReader) throws(SMPEncodingError) {
        self.init(
            versions: try reader.value(),
            key1: try reader.x448(),
            key2: try reader.x448(),
            kem: try reader.optional(RatchetKEMParams.self)
        )
    }
}

extension ByteWriter {
    mutating func x448(_ key: X448.PublicKey) { shortBytes(key.spki) }
}

extension ByteReader {
    mutating func x448() throws(SMPEncodingError) -> X448.PublicKey {
        let der = try shortBytes()
        do { return try X448.PublicKey(spki: der) } catch { throw .invalidValue("X448 key") }
    }
}
