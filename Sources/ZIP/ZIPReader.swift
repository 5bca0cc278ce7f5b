import CZip
import Files
import Glibc

/// One file in an archive.
package struct ZIPEntry: Sendable, Hashable {
    /// The name of the file in the archive, with `/` between folders.
    package let name: String
    /// The unpacked size of the file in bytes.
    package let unpackedBytes: UInt64
    let index: UInt64
}

/// Reads an untrusted ZIP archive (APPNOTE.TXT; libzip).
///
/// After opening, the directory is known to be consistent. Its names are unique and safe as paths below a folder, and
/// the total size of its entries is within the limits. Entries of folders are skipped, since folders are created for
/// files. An entry always becomes a regular file. An instance is used by one thread at a time; its calls block.
package final class ZIPReader {
    package let entries: [ZIPEntry]
    private let archive: OpaquePointer
    private let mayContinue: () -> Bool

    /// Opens an archive, and checks its directory.
    /// - Parameter mayContinue: a function that is called repeatedly while entries are unpacked. When it returns false,
    ///   unpacking stops.
    package init(
        path: String,
        limits: ZIPLimits = ZIPLimits(),
        while mayContinue: @escaping () -> Bool = { true }
    ) throws(ZIPError) {
        self.mayContinue = mayContinue
        var status = stat()
        guard stat(path, &status) == 0 else { throw .fileNotOpened(code: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notAnArchive }
        let isWithin: Bool
        do throws(FileSystemError) {
            isWithin = try ZIPDirectory.areDirectoriesWithin(limits, OpenFile(path, O_RDONLY))
        } catch {
            throw .fileNotOpened(code: error.errnoCode)
        }
        guard isWithin else { throw .tooLarge }
        var code: Int32 = 0
        guard let opened = zip_open(path, ZIP_RDONLY | ZIP_CHECKCONS, &code) else {
            throw code == ZIP_ER_OPEN || code == ZIP_ER_NOENT
                ? .fileNotOpened(code: errno == 0 ? ENOENT : errno) : .notAnArchive
        }
        do throws(ZIPError) {
            entries = try Self.readDirectory(opened, archiveSize: UInt64(clamping: status.st_size), limits)
        } catch {
            zip_discard(opened)
            throw error
        }
        archive = opened
    }

    deinit { zip_discard(archive) }

    private static func readDirectory(
        _ archive: OpaquePointer,
        archiveSize: UInt64,
        _ limits: ZIPLimits
    ) throws(ZIPError) -> [ZIPEntry] {
        let count = UInt64(clamping: zip_get_num_entries(archive, 0))
        guard count <= limits.maxEntries else { throw .tooLarge }
        var entries: [ZIPEntry] = []
        var names: Set<String> = []
        var total: UInt64 = 0
        for index in 0..<count {
            var about = zip_stat_t()
            zip_stat_init(&about)
            guard zip_stat_index(archive, index, sxgw_zip_encoding_utf8(), &about) == 0, let text = about.name else {
                throw .notAnArchive
            }
            guard let name = String(validatingCString: text), isSafeName(name) else {
                throw .unsafeName(String(cString: text))
            }
            guard names.insert(name).inserted else { throw .duplicateName(name) }
            if name.hasSuffix("/") { continue }
            guard about.valid & UInt64(ZIP_STAT_SIZE) != 0 else { throw .notAnArchive }
            let isPlain = about.encryption_method == UInt16(ZIP_EM_NONE)
            let isKnown = Int32(about.comp_method) == sxgw_zip_store() || Int32(about.comp_method) == sxgw_zip_deflate()
            guard isPlain, isKnown else { throw .unsupportedEntry(entry: name) }
            let (sum, overflow) = total.addingReportingOverflow(about.size)
            guard !overflow, sum <= limits.maxBytes else { throw .tooLarge }
            total = sum
            entries.append(ZIPEntry(name: name, unpackedBytes: about.size, index: index))
        }
        guard total <= limits.maxBytesWithoutRatioCheck || total / limits.maxCompressionRatio <= archiveSize else {
            throw .tooLarge
        }
        return entries
    }

    /// Returns whether a name in an archive is safe. A safe name is relative, has no `..` and no control characters,
    /// and no part is longer than a file name can be.
    package static func isSafeName(_ name: String) -> Bool {
        guard !name.isEmpty, name.utf8.count <= 1024, !name.hasPrefix("/") else { return false }
        guard name.unicodeScalars.allSatisfy({ $0.value >= 32 && $0.value != 127 && $0 != "\\" }) else { return false }
        let path = name.hasSuffix("/") ? name.dropLast() : name[...]
        return path.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { part in
            !part.isEmpty && part != "." && part != ".." && part.utf8.count <= 255
        }
    }

    /// Unpacks an entry into a new file that only its owner can read. The file is on the disk when
    /// ``unpackAndSync(into:_:)`` has ended.
    /// - Throws: `ZIPError`. After an error, the new file does not exist.
    package func unpackEntry(_ entry: ZIPEntry, to path: String) throws(ZIPError) {
        guard let source = zip_fopen_index(archive, entry.index, 0) else { throw .damagedEntry(entry: entry.name) }
        defer { zip_fclose(source) }
        let target = try Self.openFile(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
        do throws(ZIPError) {
            try copyContents(entry, source, target)
        } catch {
            unlink(path)
            throw error
        }
    }

    /// Runs `body`, which unpacks into a folder, and then waits once until all files are on the disk. An archive can
    /// have very many files, and waiting for a file takes longer than unpacking the file.
    /// - Throws: the error of `body`; `ZIPError.writeFailed`, also for delayed write errors.
    package static func unpackAndSync<T>(into folder: String, _ body: () throws -> T) throws -> T {
        // The folder is opened before unpacking, because an open folder reports only the write errors that come after
        // its opening.
        let place = try openFile(folder, O_RDONLY | O_DIRECTORY)
        defer { withExtendedLifetime(place) {} }
        let value = try body()
        guard syncfs(place.descriptor) == 0 else { throw ZIPError.writeFailed(code: errno) }
        return value
    }

    private static func openFile(_ path: String, _ flags: Int32) throws(ZIPError) -> OpenFile {
        do throws(FileSystemError) { return try OpenFile(path, flags) } catch {
            throw .writeFailed(code: error.errnoCode)
        }
    }

    private func copyContents(_ entry: ZIPEntry, _ source: OpaquePointer, _ target: borrowing OpenFile) throws(ZIPError)
    {
        var left = entry.unpackedBytes
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { buffer.deallocate() }
        guard let start = buffer.baseAddress else { throw .writeFailed(code: ENOMEM) }
        while true {
            guard mayContinue() else { throw .stopped }
            let count = zip_fread(source, start, UInt64(buffer.count))
            // At the end of the entry, libzip verifies the checksum of the entry. A wrong checksum is a read error.
            guard count >= 0, UInt64(count) <= left else { throw .damagedEntry(entry: entry.name) }
            if count == 0 { break }
            left -= UInt64(count)
            do throws(FileSystemError) { try target.write(buffer[..<Int(count)]) } catch {
                throw .writeFailed(code: error.errnoCode)
            }
        }
        guard left == 0 else { throw .damagedEntry(entry: entry.name) }
    }
}
