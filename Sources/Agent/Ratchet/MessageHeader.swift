import SMP
import SimpleXCrypto

/// The header of a ratchet message before its encryption (simplexmq `protocol/pqdr.md`, "Message header").
struct MessageHeader: Hashable, Sendable {
    /// The highest version that the sender supports. The version of the ratchet is outside of the encrypted header.
    var maxVersion: E2EVersion
    var dhKey: X448.PublicKey
    var kem: RatchetKEMParams?
    /// Number of messages in the sender's previous chain.
    var pn: UInt32
    /// Number of the message in its chain.
    var ns: UInt32

    func encoded(version: E2EVersion) throws(SMPEncodingError) -> [UInt8] {
        var writer = ByteWriter(capacity: kem == nil ? 88 : 2310)
        writer.writeValue(maxVersion)
        writer.writeX448(dhKey)
        if version >= .pqRatchet { writer.writeOptional(kem) }
        writer.writeWord32(pn)
        writer.writeWord32(ns)
        return try writer.finish()
    }

    /// Decodes a header. Bytes after the known fields are ignored, since later versions may add fields.
    init(decoding bytes: [UInt8], version: E2EVersion) throws(SMPEncodingError) {
        var reader = ByteReader(bytes)
        maxVersion = try reader.readValue()
        dhKey = try reader.readX448()
        kem = version >= .pqRatchet ? try reader.readOptional(RatchetKEMParams.self) : nil
        pn = try reader.readWord32()
        ns = try reader.readWord32()
    }

    init(maxVersion: E2EVersion, dh: X448.PublicKey, kem: RatchetKEMParams? = nil, pn: UInt32, ns: UInt32) {
        self.maxVersion = maxVersion
        self.dhKey = dh
        self.kem = kem
        self.pn = pn
        self.ns = ns
    }

    /// Returns the padded size of a header before encryption, in bytes. Support of post-quantum encryption reserves
    /// space for KEM parameters.
    static func paddedSize(version: E2EVersion, pqSupported: Bool) -> Int {
        pqSupported && version >= .pqRatchet ? 2310 : 88
    }
}
