public import SMP
import SimpleXCrypto

/// The fixed part of every request and answer: 16,384 bytes after padding. Blocks are not encrypted inside TLS.
public enum XFTPBlock {
    public static let size = 16384

    /// Pads a block. Throws ``SMPTransportError/largeMsg`` for content that is too long.
    public static func pad(_ content: [UInt8]) throws(SMPTransportError) -> [UInt8] {
        do { return try Padding.pad(content, to: size) } catch { throw .largeMsg }
    }

    /// Removes the padding of a block of any size; simplexmq accepts any size for hellos. Throws
    /// ``SMPTransportError/badBlock`` when the padding is wrong.
    public static func unpad(_ block: [UInt8]) throws(SMPTransportError) -> [UInt8] {
        do { return try Padding.unpad(block) } catch { throw .badBlock }
    }
}
