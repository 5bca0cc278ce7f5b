package import SMP

/// A version of the end-to-end encryption between agents. It determines encodings and key derivations. simplexmq
/// `protocol/pqdr.md`; `src/Simplex/Messaging/Crypto/Ratchet.hs` for the numbers.
package struct E2EVersion: Hashable, Comparable, Sendable, SMPCodable {
    package var number: UInt16

    package init(_ number: UInt16) { self.number = number }

    package static func < (a: E2EVersion, b: E2EVersion) -> Bool { a.number < b.number }

    package func encode(to writer: inout ByteWriter) { writer.writeWord16(number) }
    package init(from reader: inout ByteReader) throws(SMPEncodingError) { number = try reader.readWord16() }

    /// X3DH with a key derivation function; the oldest supported version.
    package static let x3dhKDF = E2EVersion(2)
    /// The first version in which headers can contain KEM parameters, and lengths inside messages have two bytes.
    package static let pqRatchet = E2EVersion(3)
    package static let current = pqRatchet
    /// Versions that this implementation offers.
    package static let supported = ProtocolVersionRange(SMPVersion(x3dhKDF.number), SMPVersion(current.number))
}

/// The version of a ratchet, and the highest version that this side has announced to the peer.
struct RatchetVersions: Hashable, Sendable {
    var current: E2EVersion
    var maxSupported: E2EVersion
}
