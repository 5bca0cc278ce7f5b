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
            writer.ascii("P")
            writer.largeBytes(publicKey)
        case .accepted(let ciphertext, let publicKey):
            writer.ascii("A")
            writer.largeBytes(ciphertext)
            writer.largeBytes(publicKey)
        }
    }

    package init(from reader: inout ByteReader) throws(SMPEncodingError) {
        switch try reader.byte() {
        case UInt8(ascii: "P"): self = .proposed(publicKey: try reader.largeBytes())
        case UInt8(ascii: "A"):
            self = .accepted(ciphertext: try reader.largeBytes(), publicKey: try reader.largeBytes())
        default: throw .invalidTag
        }
    }
}
