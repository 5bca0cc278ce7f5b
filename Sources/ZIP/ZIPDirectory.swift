import Files

/// The directory at the end of an archive. libzip reads all of it into memory when it opens the archive.
enum ZIPDirectory {
    /// Bytes of the record at the end, of the comment that may follow, of the place of the longer record that may come
    /// before, and of that record (APPNOTE.TXT, 4.3.14 to 4.3.16).
    private static let (endSize, commentSize, locatorSize, longSize) = (22, 65_535, 20, 56)
    private static let end: [UInt8] = [0x50, 0x4B, 5, 6]
    private static let locator: [UInt8] = [0x50, 0x4B, 6, 7]

    /// The greatest size that a record says, in bytes. The bytes of a comment may look like a record.
    static func size(_ file: borrowing OpenFile) throws(FileSystemError) -> UInt64 {
        let fileSize = try file.size()
        let tail = try bytes(of: file, from: max(0, fileSize - Int64(endSize + commentSize + locatorSize)), to: fileSize)
        var greatest: UInt64 = 0
        for start in tail.indices.dropLast(endSize - 1) where tail[start..<start + 4].elementsEqual(end) {
            let short = number(tail, at: start + 12, bytes: 4), place = start - locatorSize
            guard place >= 0, tail[place..<place + 4].elementsEqual(locator),
                let long = Int64(exactly: number(tail, at: place + 8, bytes: 8)), long <= fileSize - Int64(longSize)
            else {
                greatest = max(greatest, short)
                continue
            }
            let record = try bytes(of: file, from: long, to: long + Int64(longSize))
            // The short form has no more than 32 bits.
            greatest = max(greatest, short == UInt64(UInt32.max) ? 0 : short, number(record, at: 40, bytes: 8))
        }
        return greatest
    }

    private static func bytes(
        of file: borrowing OpenFile, from start: Int64, to end: Int64
    ) throws(FileSystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(end - start))
        var failure: FileSystemError?
        bytes.withUnsafeMutableBytes { buffer in
            do throws(FileSystemError) { try file.read(into: buffer, at: start) } catch { failure = error }
        }
        if let failure { throw failure }
        return bytes
    }

    private static func number(_ bytes: [UInt8], at offset: Int, bytes count: Int) -> UInt64 {
        bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
