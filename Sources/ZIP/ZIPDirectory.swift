import Files

/// The directory at the end of an archive. libzip reads the whole directory into memory when it opens the archive.
///
/// The comment at the end of an archive may contain bytes that look like a directory's end record. So each possible end
/// record is examined (APPNOTE.TXT, 4.3.12 to 4.3.16).
struct ZIPDirectory {
    private let startOffset: UInt64
    private let byteCount: UInt64

    /// Numbers of bytes: of the end record (`endSize`), of the longest comment after this record (`commentSize`), of
    /// the locator before this record (`locatorSize`), of the ZIP64 end record to which the locator points
    /// (`longSize`), and of a directory entry without its texts (`entrySize`).
    private static let (endSize, commentSize, locatorSize, longSize, entrySize) = (22, 65_535, 20, 56, 46)
    private static let endMark: [UInt8] = [0x50, 0x4B, 5, 6]
    private static let locatorMark: [UInt8] = [0x50, 0x4B, 6, 7]
    private static let entryMark: [UInt8] = [0x50, 0x4B, 1, 2]

    /// Returns whether all directories in the archive are within the limits. The entries of all directories are counted
    /// together.
    static func areDirectoriesWithin(_ limits: ZIPLimits, _ file: borrowing OpenFile) throws(FileSystemError) -> Bool {
        var left = limits.maxEntries
        for directory in try findDirectories(in: file) {
            guard directory.byteCount <= limits.maxDirectoryBytes else { return false }
            let count = try directory.countEntries(in: file, upTo: left)
            guard count <= left else { return false }
            left -= count
        }
        return true
    }

    private static func findDirectories(in file: borrowing OpenFile) throws(FileSystemError) -> [ZIPDirectory] {
        let fileSize = try file.readSize()
        let tailStart = max(0, fileSize - Int64(endSize + commentSize + locatorSize))
        let tail = try file.read(Int(fileSize - tailStart), at: tailStart)
        var found: [ZIPDirectory] = []
        for at in tail.indices.dropLast(endSize - 1) where tail[at..<at + 4].elementsEqual(endMark) {
            found.append(
                ZIPDirectory(
                    startOffset: decodeNumber(tail, at: at + 16, 4),
                    byteCount: decodeNumber(tail, at: at + 12, 4)
                )
            )
            let place = at - locatorSize
            guard place >= 0, tail[place..<place + 4].elementsEqual(locatorMark),
                let long = Int64(exactly: decodeNumber(tail, at: place + 8, 8)), long <= fileSize - Int64(longSize)
            else { continue }
            let record = try file.read(longSize, at: long)
            let directory = ZIPDirectory(
                startOffset: decodeNumber(record, at: 48, 8),
                byteCount: decodeNumber(record, at: 40, 8)
            )
            // If the 32-bit field of the size has its greatest value, a 64-bit field contains the size. Then the
            // directory with the 64-bit field replaces the directory with the 32-bit field.
            if found.last?.byteCount == UInt64(UInt32.max) { found.removeLast() }
            found.append(directory)
        }
        return found
    }

    /// Returns the number of entries of this directory. Counting stops when the number is greater than `most`.
    private func countEntries(in file: borrowing OpenFile, upTo most: UInt64) throws(FileSystemError) -> UInt64 {
        let fileSize = UInt64(try file.readSize())
        guard startOffset <= fileSize else { return 0 }
        var (count, place) = (UInt64(0), startOffset)
        let end = min(startOffset + byteCount, fileSize)
        while place + UInt64(Self.entrySize) <= end, count <= most {
            let header = try file.read(Self.entrySize, at: Int64(place))
            guard header.starts(with: Self.entryMark) else { break }
            count += 1
            place += UInt64(Self.entrySize) + [28, 30, 32].reduce(0) { $0 + Self.decodeNumber(header, at: $1, 2) }
        }
        return count
    }

    private static func decodeNumber(_ bytes: [UInt8], at offset: Int, _ count: Int) -> UInt64 {
        bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
