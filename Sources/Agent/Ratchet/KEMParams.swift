package import SMP

/// KEM parameters in X3DH parameters and message headers. A side declines a proposal by an answer without KEM
/// parameters.
/// simplexmq `protocol/pqdr.md`, "Double ratchet with encrypted headers augmented with double PQ KEM".
package enum RatchetKEMParams: Hashable, Sendable, SMPCodable {
    /// A proposal: the sender's encapsulation key (sntrup761: 1158 bytes).
    case proposed(publicKey: [UInt8])
    /// An answer: the ciphertext (1039 bytes) for the receiver's key, and the sender's next encapsulation key.
    case accepted(ciphertext: [UInt8], publicKey: [UInt8])

    package func encode(to writer: inout ByteWriter) {
        switch self {
        case .proposed(let publicKey):
            writer.writeASCII("P")
            writer.writeLargeBytes(publicKey)
        case .accepted(let ciphertext, let publicKey):
            writer.writeASCII("A")
            writer.writeLargeBytes(ciphertext)
            writer.writeLargeBytes(publicKey)
        }
    }

    package init(from reader: inout ByteReader) throws(SMPEncodingError) {
        switch try reader.readByte() {
        case UInt8(ascii: "P"): self = .proposed(publicKey: try reader.readLargeBytes())
        case UInt8(ascii: "A"):
            self = .accepted(ciphertext: try reader.readLargeBytes(), publicKey: try reader.readLargeBytes())
        default: throw .invalidTag
        }
    }
}
