internal import Files
internal import Glibc
internal import Synchronization

/// The archives of a store that clients upload and download. The archives are files in the folder `space` of the store,
/// where `/_db export` and `/_db import` use them. All functions block.
package struct ChatArchives: Sendable {
    package struct Archive: Sendable {
        package let name: String
        /// Size in bytes.
        package let size: Int64
    }

    package enum Refusal: Error, Sendable, Hashable {
        case notFound
        /// The archives together would exceed the limit, in bytes.
        case limitExceeded(limit: Int64)
        /// Another archive is being received.
        case uploadInProgress
        /// The disk has not enough free space for the archive. A tenth of the free space is not used, since all stores
        /// write to the disk.
        case notEnoughDiskSpace
    }

    let folder: String
    /// The limit in bytes for all archives together; nil for no limit.
    let maxTotalBytes: Int64?

    /// Returns whether a text can be the name of an archive. A name has at most 128 ASCII letters, digits and `._-`,
    /// and does not begin with a dot.
    package static func isArchiveName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 128 && !text.hasPrefix(".")
            && text.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0 & 0xDF) || [0x2E, 0x2D, 0x5F].contains($0)
            }
    }

    /// Returns the path of an archive, for commands such as `/_db import`.
    package func path(of name: String) -> String { folder + "/" + name }

    /// Returns the archives in the order of their names.
    package func listArchives() -> [Archive] {
        DiskFiles.listFiles(folder).filter(Self.isArchiveName).compactMap { name in
            DiskFiles.fileSize(path(of: name)).map { Archive(name: name, size: $0) }
        }
    }

    /// Begins to receive an archive. The archive gets its name when it is complete. Only one archive is received at a
    /// time, which limits the space for incomplete archives.
    package func beginUpload() throws -> ArchiveUpload {
        try LocalFolders.makeFolder(folder)
        return try ArchiveUpload(
            path(of: ".upload"),
            freeBytes: Int64(clamping: DiskFiles.readFreeBytes(at: folder) / 10 * 9),
            limit: maxTotalBytes
        )
    }

    /// Renames a complete archive to its final name, and replaces an archive with the same name.
    /// - Returns: whether the name is new.
    package func finishUpload(_ upload: ArchiveUpload, as name: String) throws -> Bool {
        let others = listArchives().filter { $0.name != name }
        if let maxTotalBytes, others.reduce(upload.receivedBytes, { $0 + $1.size }) > maxTotalBytes {
            throw Refusal.limitExceeded(limit: maxTotalBytes)
        }
        let path = path(of: name)
        let isNew = !DiskFiles.exists(path)
        try upload.moveToFinalPath(path)
        return isNew
    }

    package func openContents(of name: String) throws -> any FileContents {
        do { return try Contents(name, path(of: name)) } catch let error as FileSystemError
            where error.errnoCode == ENOENT || error.errnoCode == ELOOP
        {
            throw Refusal.notFound
        }
    }

    package func remove(_ name: String) throws {
        let path = path(of: name)
        guard DiskFiles.isFile(path) else { throw Refusal.notFound }
        DiskFiles.removeFile(path)
        DiskFiles.syncParentFolder(of: path)
    }
}

extension ChatArchives {
    /// The contents of one archive. They stay the same while they are read, even if another archive with the same name
    /// replaces this archive.
    private final class Contents: FileContents {
        let name: String
        let size: Int64
        let version: String
        private let file: OpenFile

        init(_ name: String, _ path: String) throws {
            let file = try OpenFile(path, O_RDONLY | O_NOFOLLOW)
            let stored = try FileVersionState(file, path)
            (self.name, size, version) = (name, stored.size, stored.versionText)
            self.file = file
        }

        func read(at offset: Int64, count: Int) throws -> [UInt8] {
            try file.read(Int(min(Int64(count), max(size - offset, 0))), at: offset)
        }
    }
}

/// An archive that is being received. The file is locked during the upload, so a file without a lock comes from a
/// gateway process that has ended. Only one task may use this object. All functions block.
package final class ArchiveUpload: Sendable {
    private let file: OpenFile
    private let uploadPath: String
    private let freeBytes: Int64
    private let maxTotalBytes: Int64?
    private let writtenBytes = Atomic<Int64>(0)
    /// Number of received bytes.
    package var receivedBytes: Int64 { writtenBytes.load(ordering: .relaxed) }

    /// Creates the file, or throws `uploadInProgress` while another upload has the lock.
    /// - Parameter freeBytes: the number of bytes that the archive may use on the disk.
    fileprivate init(_ place: String, freeBytes: Int64, limit: Int64?) throws {
        if let left = try? OpenFile(place, O_RDWR | O_NOFOLLOW) {
            // Between the opening and the lock, the former owner of the lock may have renamed the file to its final
            // name, or removed it.
            guard try left.tryLock(), left.isAt(place) else { throw ChatArchives.Refusal.uploadInProgress }
            DiskFiles.removeFile(place)
        }
        let file: OpenFile
        do throws(FileSystemError) { file = try OpenFile(place, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW) } catch {
            throw error.errnoCode == EEXIST ? ChatArchives.Refusal.uploadInProgress : error
        }
        guard try file.tryLock(), file.isAt(place) else { throw ChatArchives.Refusal.uploadInProgress }
        (self.uploadPath, self.freeBytes, self.maxTotalBytes) = (place, freeBytes, limit)
        self.file = file
    }

    package func write(_ part: [UInt8]) throws {
        let new = receivedBytes + Int64(part.count)
        if let maxTotalBytes, new > maxTotalBytes { throw ChatArchives.Refusal.limitExceeded(limit: maxTotalBytes) }
        guard new <= freeBytes else { throw ChatArchives.Refusal.notEnoughDiskSpace }
        try file.write(part)
        writtenBytes.store(new, ordering: .relaxed)
    }

    fileprivate func moveToFinalPath(_ path: String) throws {
        try file.sync()
        try DiskFiles.rename(uploadPath, to: path)
        DiskFiles.syncParentFolder(of: path)
    }

    /// Removes the file of an upload that failed or was refused.
    package func discard() { DiskFiles.removeFile(uploadPath) }
}
