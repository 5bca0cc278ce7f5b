import Files
import Glibc
import SimpleXCrypto

/// The write-ahead log of a database that another program may have written (SQLite file format, section 4).
///
/// The database is not opened: the pages of the log are copied unchanged into the database file, even if they are
/// encrypted.
package enum WriteAheadLog {
    /// Sizes in bytes of the log's header, and of the header of each frame.
    private static let (headerSize, frameSize) = (32, 24)
    /// The number at the beginning of each log, without its last bit. The last bit is set if the checksums use
    /// big-endian numbers.
    private static let magic: UInt32 = 0x377F_0682
    private static let version: UInt32 = 3_007_000

    /// Writes the pages of all complete transactions into the file. Frames after the last complete transaction are
    /// ignored, as SQLite does. A file that is not a log changes nothing.
    /// - Throws: `.corrupt` if pages do not have 4096 bytes, or if the database would become much larger than database
    ///   file and log together; `FileSystemError`.
    package static func applyLog(_ log: String, to path: String) throws {
        let source = try OpenFile(log, O_RDONLY | O_NOFOLLOW)
        let frames = try countCompleteFrames(source)
        guard frames.count > 0 else { return }
        let target = try OpenFile(path, O_RDWR | O_NOFOLLOW)
        let pages = try target.readSize() / Int64(PageCipher.pageSize)
        guard Int64(frames.pages) <= 2 * (pages + Int64(frames.count)) + 256 else { throw DatabaseError.corrupt }
        for index in 0..<frames.count {
            let frame = try readFrame(index, of: source)
            let page = parseNumber(frame, at: 0)
            guard (1...frames.pages).contains(page) else { continue }
            try writePage(frame[frameSize...], to: target, page: page)
        }
        guard ftruncate(target.descriptor, off_t(frames.pages) * off_t(PageCipher.pageSize)) == 0 else {
            throw FileSystemError(.write, path, code: errno)
        }
        try target.sync()
    }

    /// Returns the number of frames of complete transactions, and the size of the database in pages after these
    /// transactions.
    private static func countCompleteFrames(_ file: borrowing OpenFile) throws -> (count: Int, pages: UInt32) {
        let size = try file.readSize()
        guard size >= Int64(headerSize) else { return (0, 0) }
        let header = try file.read(headerSize, at: 0)
        guard parseNumber(header, at: 0) & ~1 == magic, parseNumber(header, at: 4) == version else { return (0, 0) }
        var sum = Checksum(isBigEndian: parseNumber(header, at: 0) & 1 == 1)
        sum.add(header[..<24])
        guard sum.matchesChecksum(in: header, at: 24) else { return (0, 0) }
        guard parseNumber(header, at: 8) == UInt32(PageCipher.pageSize) else { throw DatabaseError.corrupt }
        var complete = (count: 0, pages: UInt32(0))
        for index in 0..<Int((size - Int64(headerSize)) / Int64(wholeFrameBytes)) {
            let frame = try readFrame(index, of: file)
            guard parseNumber(frame, at: 0) > 0, frame[8..<16] == header[16..<24] else { break }
            sum.add(frame[..<8])
            sum.add(frame[frameSize...])
            guard sum.matchesChecksum(in: frame, at: 16) else { break }
            let pages = parseNumber(frame, at: 4)
            if pages > 0 { complete = (index + 1, pages) }
        }
        return complete
    }

    /// Number of bytes of a frame with its page.
    private static var wholeFrameBytes: Int { frameSize + PageCipher.pageSize }

    private static func readFrame(_ index: Int, of file: borrowing OpenFile) throws(FileSystemError) -> [UInt8] {
        try file.read(wholeFrameBytes, at: Int64(headerSize) + Int64(index) * Int64(wholeFrameBytes))
    }

    private static func writePage(_ bytes: ArraySlice<UInt8>, to file: borrowing OpenFile, page: UInt32) throws {
        try bytes.withUnsafeBytes { try file.write($0, at: Int64(page - 1) * Int64(PageCipher.pageSize)) }
    }

    fileprivate static func parseNumber(_ bytes: [UInt8], at offset: Int) -> UInt32 {
        bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The running checksum over the header and the frames of the log.
    private struct Checksum {
        let isBigEndian: Bool
        private var (first, second) = (UInt32(0), UInt32(0))

        init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

        /// Adds bytes to the checksum.
        /// - Parameter bytes: the number of bytes must be a multiple of eight.
        mutating func add(_ bytes: ArraySlice<UInt8>) {
            bytes.withUnsafeBytes { buffer in
                for offset in stride(from: 0, to: buffer.count - 7, by: 8) {
                    first = first &+ word(buffer, offset) &+ second
                    second = second &+ word(buffer, offset + 4) &+ first
                }
            }
        }

        private func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt32 {
            let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
            return isBigEndian ? UInt32(bigEndian: word) : UInt32(littleEndian: word)
        }

        func matchesChecksum(in bytes: [UInt8], at offset: Int) -> Bool {
            first == WriteAheadLog.parseNumber(bytes, at: offset)
                && second == WriteAheadLog.parseNumber(bytes, at: offset + 4)
        }
    }
}
