package import Files
package import SimpleXCrypto
internal import XRCP

/// SHA-512 digests of files.
package enum FileDigest {
    /// Reads a file from its current position to its end, and returns the size and the digest of the read bytes. Blocks
    /// the thread.
    /// - Throws: `fileSize` if the size does not fit in 32 bits.
    package static func readSizeAndDigest(of file: borrowing OpenFile) throws -> (UInt32, [UInt8]) {
        let hash = try IncrementalDigest(.sha512)
        var size: Int64 = 0
        while true {
            let part = try file.read(upTo: 1 << 20)
            if part.isEmpty { break }
            try hash.update(part)
            size += Int64(part.count)
        }
        guard let size = UInt32(exactly: size) else { throw ExchangeError.fileSize }
        return (size, try hash.finalize())
    }
}

/// A SHA-512 hash to which several threads add data, one thread after the other.
package final class SharedDigest: @unchecked Sendable {
    // Sharing is safe, since no caller starts a call before the previous call has ended.
    private let digest: IncrementalDigest

    package init(_ digest: IncrementalDigest) { self.digest = digest }

    package func update(_ part: [UInt8]) throws { try digest.update(part) }
    package func finalize() throws -> [UInt8] { try digest.finalize() }
}
