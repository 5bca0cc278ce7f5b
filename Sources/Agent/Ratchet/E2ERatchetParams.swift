package import SMP
package import SimpleXCrypto

/// The public X3DH parameters of one side in an agreed version. The confirmation of a connection contains them.
/// simplexmq `protocol/agent-protocol.md`, "Agent confirmation" (`e2eParams`).
package struct E2ERatchetParams: Hashable, Sendable {
    package var version: E2EVersion
    package var key1: X448.PublicKey
    package var key2: X448.PublicKey
    package var kem: RatchetKEMParams?

    package init(version: E2EVersion, key1: X448.PublicKey, key2: X448.PublicKey, kem: RatchetKEMParams? = nil) {
        self.version = version
        self.key1 = key1
        self.key2 = key2
        self.kem = kem
    }

    /// SHA-256 of both keys. When both sides renegotiate the ratchet, the hashes decide which side begins.
    package var keysHash: [UInt8] { Digest.sha256(key1.rawRepresentation + key2.rawRepresentation) }
}

extension E2ERatchetParams: SMPCodable {
    package func encode(to writer: inout ByteWriter) {
        writer.writeValue(version)
        writer.writeX448(key1)
        writer.writeX448(key2)
        if version >= .pqRatchet { writer.writeOptional(kem) }
    }

    package init(from reader: inout ByteReader) throws(SMPEncodingError) {
        let version: E2EVersion = try reader.readValue()
        self.init(
            version: version,
            key1: try reader.readX448(),
            key2: try reader.readX448(),
            kem: version >= .pqRatchet ? try reader.readOptional(RatchetKEMParams.self) : nil
        )
    }
}

/// The public X3DH parameters of an inviter in a connection request, with the supported versions.
package struct E2ERatchetParamsURI: Hashable, Sendable {
    package var versions: ProtocolVersionRange
    package var key1: X448.PublicKey
    package var key2: X448.PublicKey
    package var kem: RatchetKEMParams?

    package init(
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

    /// Returns the parameters in the highest version that both sides support; nil when there is no common version.
    package func compatibleParameters(with supported: ProtocolVersionRange) -> E2ERatchetParams? {
        versions.commonVersions(with: supported).map {
            E2ERatchetParams(version: E2EVersion($0.max), key1: key1, key2: key2, kem: kem)
        }
    }
}

extension E2ERatchetParamsURI: SMPCodable {
    /// Encodes the parameters. Unlike the text form, the binary form contains the KEM parameters in every version.
    package func encode(to writer: inout ByteWriter) {
        writer.writeValue(versions)
        writer.writeX448(key1)
        writer.writeX448(key2)
        writer.writeOptional(kem)
    }

    package init(from reader: inout ByteReader) throws(SMPEncodingError) {
        self.init(
            versions: try reader.readValue(),
            key1: try reader.readX448(),
            key2: try reader.readX448(),
            kem: try reader.readOptional(RatchetKEMParams.self)
        )
    }
}

extension ByteWriter {
    mutating func writeX448(_ key: X448.PublicKey) { writeShortBytes(key.spki) }
}

extension ByteReader {
    mutating func readX448() throws(SMPEncodingError) -> X448.PublicKey {
        let der = try readShortBytes()
        do { return try X448.PublicKey(spki: der) } catch { throw .invalidValue("X448 key") }
    }
}
