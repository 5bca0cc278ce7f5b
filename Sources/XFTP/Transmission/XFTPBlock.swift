public import SMP
import SimpleXCrypto

/// The fixed part of every request and answer: 16,384 bytes, padded. Blocks are not encrypted inside TLS.
public enum XFTPBlock {
    public static let size = 16384

    /// ``SMPTransportError/largeMsg`` when it does not fit.
    public static func pad(_ content: [UInt8]) throws(SMPTransportError) -> [UInt8] {
        do { return try Padding.pad(content, to: size) } catch { throw .largeMsg }
    }

    /// Unpads a block of any size, as the original does with hellos. ``SMPTransportError/badBlock`` when the padding is
    /// wrong.
    public static func unpad(_ block: [UInt8]) throws(SMPTransportError) -> [UInt8] {
        do { return try Padding.unpad(block) } catch { throw .badBlock }
    }
}
