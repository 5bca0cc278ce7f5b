package import SMP
import SimpleXCrypto

/// The fixed part of every request and answer: 16,384 bytes after padding. Blocks are not encrypted inside TLS.
package enum XFTPBlock {
    package static let size = 16384

    /// Pads a block. Throws ``SMPTransportError/largeMsg`` for content that is too long.
    package static func pad(_ content: [UInt8]) throws(SMPTransportError) -> [UInt8] {
        do { return try Padding.padMessage(content, to: size) } catch { throw .largeMsg }
    }

    /// Removes the padding of a block of any size; simplexmq accepts any size for hellos. Throws
    /// ``SMPTransportError/badBlock`` when the padding is wrong.
    package static func unpad(_ block: [UInt8]) throws(SMPTransportError) -> [UInt8] {
        do { return try Padding.unpadMessage(block) } catch { throw .badBlock }
    }
}
