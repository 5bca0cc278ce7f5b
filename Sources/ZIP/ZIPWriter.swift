import CZip
import Glibc

/// Writes ZIP archives.
public enum ZIPWriter {
    /// A file that goes into an archive.
    public struct Source: Sendable {
        /// Where it is.
        public var path: String
        /// What it is called in the archive, with `/` between folders.
        public var name: String

        public init(path: String, name: String) {
            self.path = path
            self.name = name
        }
    }

    /// Writes an archive, which gets its name in one step when it is complete, for its owner alone; no file is replaced. Blocks.
    /// - Parameters:
    ///   - folder: an empty folder on the same file system, for what is not complete. What a process leaves there that ends meanwhile is the caller's
    ///     to remove.
    /// - Throws: `ZIPError.file` when there is a file, `.unsafeName`, `.write`; nothing is left behind.
    public static func write(_ sources: [Source], to path: String, in folder: String, compressed: Bool) throws(ZIPError) {
        for source in sources where !ZIPReader.isSafe(source.name) { throw .unsafeName(source.name) }
        guard access(path, F_OK) != 0 else { throw .file(code: EEXIST) }
        let draft = folder + "/archive.zip"
        defer { unlink(draft) }
        try fill(draft, sources, compressed)
        if link(draft, path) == 0 { return }
        guard errno != EEXIST else { throw .file(code: EEXIST) }
        // A file system that knows no second names.
        let place = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard place >= 0 else { throw .file(code: errno) }
        close(place)
        guard rename(draft, path) == 0 else {
            let code = errno
            unlink(path)
            throw .file(code: code)
        }
    }

    /// The same where nobody cares for what is left when the process ends meanwhile.
    public static func write(_ sources: [Source], to path: String, compressed: Bool) throws(ZIPError) {
        for source in sources where !ZIPReader.isSafe(source.name) { throw .unsafeName(source.name) }
        // Taken first, so that two who write the same do not meet.
        let place = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard place >= 0 else { throw .file(code: errno) }
        close(place)
        do throws(ZIPError) {
            try fill(path, sources, compressed)
        } catch {
            unlink(path)
            throw error
        }
    }

    private static func fill(_ path: String, _ sources: [Source], _ compressed: Bool) throws(ZIPError) {
        var code: Int32 = 0
        guard let archive = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &code) else { throw .file(code: errno) }
        for source in sources {
            guard let file = zip_source_file(archive, source.path, 0, -1) else {
                zip_discard(archive)
                throw .write(code: ENOMEM)
            }
            let index = zip_file_add(archive, source.name, file, sxgw_zip_encoding_utf8())
            guard index >= 0 else {
                zip_source_free(file)
                zip_discard(archive)
                throw .duplicate(source.name)
            }
            let method = compressed ? sxgw_zip_deflate() : sxgw_zip_store()
            guard zip_set_file_compression(archive, UInt64(index), method, 1) == 0 else {
                zip_discard(archive)
                throw .write(code: EINVAL)
            }
        }
        // Everything is read and written here: into a file beside, which takes the place when it is whole.
        guard zip_close(archive) == 0 else {
            let system = zip_error_code_system(zip_get_error(archive))
            zip_discard(archive)
            throw .write(code: system == 0 ? EIO : system)
        }
        chmod(path, 0o600)
        let written = open(path, O_RDONLY | O_CLOEXEC)
        guard written >= 0 else { throw .write(code: errno) }
        defer { close(written) }
        guard fsync(written) == 0 else { throw .write(code: errno) }
    }
}
