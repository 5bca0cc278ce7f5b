/// Padding of files: an 8-byte big endian length, the contents, then `#` until the padded length.
package enum FilePadding {
    /// Returns the bytes before the contents of a file: the length of the contents.
    package static func lengthPrefix(contentsSize: Int64) -> [UInt8] {
        withUnsafeBytes(of: contentsSize.bigEndian) { Array($0) }
    }

    package static func padContents(
        _ contents: some Collection<UInt8>,
        to paddedSize: Int
    ) throws(CryptoError) -> [UInt8] {
        guard contents.count <= paddedSize - 8 else { throw .messageTooLarge }
        var out = lengthPrefix(contentsSize: Int64(contents.count))
        out.reserveCapacity(paddedSize)
        out.append(contentsOf: contents)
        out.append(contentsOf: repeatElement(Padding.filler, count: paddedSize - out.count))
        return out
    }

    package static func unpadContents(_ padded: some Collection<UInt8>) throws(CryptoError) -> [UInt8] {
        let bytes = Array(padded)
        guard bytes.count >= 8 else { throw .invalidPadding }
        let size = bytes[..<8].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        guard size >= 0, size <= Int64(bytes.count - 8) else { throw .invalidPadding }
        return Array(bytes[8..<8 + Int(size)])
    }
}
