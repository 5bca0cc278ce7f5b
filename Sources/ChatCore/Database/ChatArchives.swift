internal import Files
internal import Glibc
internal import Synchronization

/// The archives of a store that are sent and fetched as bytes: files in its folder `space`, where `/_db export` and `/_db import` find them. All of it blocks.
public struct ChatArchives: Sendable {
    public struct Archive: Sendable {
        public let name: String
        /// In bytes.
        public let size: Int64
    }

    public enum Refusal: Error, Sendable, Hashable {
        case notFound
        /// All archives together may have so many bytes.
        case full(limit: Int64)
        /// Another one is being taken.
        case busy
        /// The disk has no room for it. Some is left, since all stores write to it.
        case noRoom
    }

    let folder: String
    /// Bytes of all archives together; nil for any number.
    let limit: Int64?

    /// Whether a text can be the name of an archive: at most 128 letters, digits and `._-`, of ASCII, and none that is hidden.
    public static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 128 && !text.hasPrefix(".")
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0 & 0xDF) || [0x2E, 0x2D, 0x5F].contains($0) }
    }

    /// For commands.
    public func path(of name: String) -> String { folder + "/" + name }

    /// By name.
    public func list() -> [Archive] {
        DiskFiles.list(folder).filter(Self.isName).compactMap { name in DiskFiles.size(path(of: name)).map { Archive(name: name, size: $0) } }
    }

    /// Begins to take an archive, which has its name when all of it has come. One is taken at a time, so that those under way need no more room than one.
    public func begin() throws -> ArchiveUpload {
        try LocalFolders.make(folder)
        return try ArchiveUpload(path(of: ".upload"), room: Int64(clamping: DiskFiles.room(folder) / 10 * 9), limit: limit)
    }

    /// Gives an archive its name. One that had it is replaced.
    /// - Returns: whether it is new.
    public func keep(_ upload: ArchiveUpload, as name: String) throws -> Bool {
        let others = list().filter { $0.name != name }
        if let limit, others.reduce(upload.size, { $0 + $1.size }) > limit { throw Refusal.full(limit: limit) }
        let path = path(of: name)
        let isNew = !DiskFiles.exists(path)
        try upload.publish(path)
        return isNew
    }

    public func contents(of name: String) throws -> any FileContents {
        do { return try Contents(name, path(of: name)) } catch let error as FileSystemError where error.code == ENOENT || error.code == ELOOP {
            throw Refusal.notFound
        }
    }

    public func remove(_ name: String) throws {
        let path = path(of: name)
        guard DiskFiles.isFile(path) else { throw Refusal.notFound }
        DiskFiles.removeFile(path)
        DiskFiles.syncFolder(of: path)
    }
}

extension ChatArchives {
    /// What is read stays one archive, also when another one gets its name meanwhile.
    private final class Contents: FileContents {
        let name: String
        let size: Int64
        let version: String
        private let file: OpenFile

        init(_ name: String, _ path: String) throws {
            let file = try OpenFile(path, O_RDONLY | O_NOFOLLOW)
            let stored = try StoredState(file, path)
            (self.name, size, version) = (name, stored.size, stored.text)
            self.file = file
        }

        func read(at offset: Int64, count: Int) throws -> [UInt8] {
            var part = [UInt8](repeating: 0, count: Int(min(Int64(count), max(size - offset, 0))))
            try part.withUnsafeMutableBytes { buffer in try file.read(into: buffer, at: offset) }
            return part
        }
    }
}

/// Bytes of an archive as they come. The file is locked meanwhile: one without a lock was left by a gateway that has ended. For one task, and it blocks.
public final class ArchiveUpload: Sendable {
    private let file: OpenFile
    private let place: String
    private let room: Int64
    private let limit: Int64?
    private let written = Atomic<Int64>(0)
    /// Bytes that have come.
    public var size: Int64 { written.load(ordering: .relaxed) }

    /// - Parameter room: bytes that it may have on the disk.
    fileprivate init(_ place: String, room: Int64, limit: Int64?) throws {
        if let left = try? OpenFile(place, O_RDWR | O_NOFOLLOW) {
            // Who had the lock may have given the file its name, or removed it.
            guard try left.takeLock(), left.isAt(place) else { throw ChatArchives.Refusal.busy }
            DiskFiles.removeFile(place)
        }
        let file: OpenFile
        do throws(FileSystemError) { file = try OpenFile(place, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW) } catch {
            throw error.code == EEXIST ? ChatArchives.Refusal.busy : error
        }
        guard try file.takeLock(), file.isAt(place) else { throw ChatArchives.Refusal.busy }
        (self.place, self.room, self.limit) = (place, room, limit)
        self.file = file
    }

    public func write(_ part: [UInt8]) throws {
        let new = size + Int64(part.count)
        if let limit, new > limit { throw ChatArchives.Refusal.full(limit: limit) }
        guard new <= room else { throw ChatArchives.Refusal.noRoom }
        try file.write(part)
        written.store(new, ordering: .relaxed)
    }

    fileprivate func publish(_ path: String) throws {
        try file.sync()
        try DiskFiles.rename(place, to: path)
        DiskFiles.syncFolder(of: path)
    }

    /// To be called when it is not kept.
    public func discard() { DiskFiles.removeFile(place) }
}

extension ChatController {
    /// The archives of the store that clients send and fetch.
    public var ownArchives: ChatArchives {
        // An archive holds what both limit.
        let limits = store.quota.limits
        let sum = limits[.databaseBytes].flatMap { databases in limits[.fileBytes].map { $0.addingReportingOverflow(databases) } }
        return ChatArchives(folder: folders.paths.space, limit: sum.flatMap { $0.overflow ? nil : $0.partialValue })
    }
}
