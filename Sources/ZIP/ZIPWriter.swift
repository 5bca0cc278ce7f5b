import CZip
import Files
import Glibc

/// Writes ZIP archives.
package enum ZIPWriter {
    /// The callbacks of libzip while it writes an archive.
    private final class Callbacks {
        let mayContinue: () -> Bool
        let reportShare: (_ share: Double) -> Void

        init(_ mayContinue: @escaping () -> Bool, _ written: @escaping (_ share: Double) -> Void) {
            (self.mayContinue, self.reportShare) = (mayContinue, written)
        }

        static func fromPointer(_ pointer: UnsafeMutableRawPointer?) -> Callbacks? {
            pointer.map { Unmanaged<Callbacks>.fromOpaque($0).takeUnretainedValue() }
        }
    }

    /// A file to be written to an archive.
    package struct SourceFile: Sendable {
        /// The path of the file on the disk.
        package var path: String
        /// The name in the archive, with `/` between folders.
        package var name: String

        package init(path: String, name: String) {
            self.path = path
            self.name = name
        }
    }

    /// Writes an archive that only its owner can read. The archive gets its name when it is complete, and replaces no
    /// file. Blocks the thread.
    /// - Parameters:
    ///   - folder: an empty folder on the same file system, for incomplete files. After a crash the caller removes
    ///     them.
    ///   - mayContinue: a function that is called repeatedly. When it returns false, `writeComplete` throws `.stopped`.
    ///   - written: gets the written share of the archive, from 0 to 1.
    /// - Throws: `ZIPError.fileNotOpened` when the file exists already, `.unsafeName`, `.writeFailed`, `.stopped`. In
    ///   that case no new file remains.
    package static func writeComplete(
        _ sources: [SourceFile],
        to path: String,
        in folder: String,
        compressed: Bool,
        while mayContinue: @escaping () -> Bool = { true },
        written: @escaping (_ share: Double) -> Void = { _ in }
    ) throws(ZIPError) {
        for source in sources where !ZIPReader.isSafeName(source.name) { throw .unsafeName(source.name) }
        guard !DiskFiles.exists(path) else { throw .fileNotOpened(code: EEXIST) }
        let draft = folder + "/archive.zip"
        defer { unlink(draft) }
        try writeArchive(draft, sources, compressed, while: mayContinue, written: written)
        if link(draft, path) == 0 { return }
        guard errno != EEXIST else { throw .fileNotOpened(code: EEXIST) }
        // The file system does not support hard links, so an empty file reserves the name.
        try createFile(path)
        do throws(FileSystemError) { try DiskFiles.rename(draft, to: path) } catch {
            unlink(path)
            throw .fileNotOpened(code: error.errnoCode)
        }
    }

    /// Creates an empty file. An existing file is an error.
    private static func createFile(_ path: String) throws(ZIPError) {
        do throws(FileSystemError) {
            guard try DiskFiles.createEmptyFile(path) else { throw FileSystemError(.open, path, code: EEXIST) }
        } catch {
            throw .fileNotOpened(code: error.errnoCode)
        }
    }

    /// Writes an archive without a folder for incomplete files. A crash may leave an incomplete archive.
    package static func writeDirectly(_ sources: [SourceFile], to path: String, compressed: Bool) throws(ZIPError) {
        for source in sources where !ZIPReader.isSafeName(source.name) { throw .unsafeName(source.name) }
        // An empty file reserves the name first, so that two writers of the same path do not collide.
        try createFile(path)
        do throws(ZIPError) {
            try writeArchive(path, sources, compressed)
        } catch {
            unlink(path)
            throw error
        }
    }

    private static func writeArchive(
        _ path: String,
        _ sources: [SourceFile],
        _ compressed: Bool,
        while mayContinue: @escaping () -> Bool = { true },
        written: @escaping (_ share: Double) -> Void = { _ in }
    ) throws(ZIPError) {
        var code: Int32 = 0
        guard let archive = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &code) else { throw .fileNotOpened(code: errno) }
        for source in sources {
            guard let file = zip_source_file(archive, source.path, 0, -1) else {
                zip_discard(archive)
                throw .writeFailed(code: ENOMEM)
            }
            let index = zip_file_add(archive, source.name, file, sxgw_zip_encoding_utf8())
            guard index >= 0 else {
                zip_source_free(file)
                zip_discard(archive)
                throw .duplicateName(source.name)
            }
            let method = compressed ? sxgw_zip_deflate() : sxgw_zip_store()
            guard zip_set_file_compression(archive, UInt64(index), method, 1) == 0 else {
                zip_discard(archive)
                throw .writeFailed(code: EINVAL)
            }
        }
        let watch = Callbacks(mayContinue, written)
        let pointer = Unmanaged.passUnretained(watch).toOpaque()
        // The library calls these functions only while it closes the archive below, so `watch` still exists.
        zip_register_cancel_callback_with_state(
            archive,
            { _, pointer in Callbacks.fromPointer(pointer)?.mayContinue() ?? true ? 0 : 1 },
            nil,
            pointer
        )
        // The library calls this function after each thousandth of the work.
        zip_register_progress_callback_with_state(
            archive,
            0.001,
            { _, share, pointer in Callbacks.fromPointer(pointer)?.reportShare(share) },
            nil,
            pointer
        )
        // This call reads and writes all data. It writes a temporary file, which replaces the target when it is
        // complete.
        let isWritten = withExtendedLifetime(watch) { zip_close(archive) == 0 }
        guard isWritten else {
            let error = zip_get_error(archive)
            let (code, system) = (zip_error_code_zip(error), zip_error_code_system(error))
            zip_discard(archive)
            throw code == ZIP_ER_CANCELLED ? .stopped : .writeFailed(code: system == 0 ? EIO : system)
        }
        chmod(path, 0o600)
        do throws(FileSystemError) { try DiskFiles.syncEntry(path) } catch { throw .writeFailed(code: error.errnoCode) }
    }
}
