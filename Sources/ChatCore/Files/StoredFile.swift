public import ChatAPI
internal import Files
public import SimpleXCrypto
internal import SQLCipher

/// A file of a message as it is on the disk, for those who serve its bytes.
public struct StoredFile: Sendable {
    /// Absolute.
    public let path: String
    /// With which it is encrypted there; nil where it is not.
    public let arguments: CryptoFileArguments?
    /// The name that its message shows.
    public let name: String
    /// The size of the contents in bytes.
    public let size: Int64
    public let status: CIFileStatus
    /// Whether the whole file is there.
    public let isComplete: Bool
    /// Keeps the file on the disk as long as it is held.
    let use: FileObjects.Use?
}

extension ChatController {
    /// Where files are that messages can be sent with: a `fileSource` names a file in it.
    public var filesFolder: String { folders.paths.files }

    /// Whether files are to be encrypted where they are kept.
    public var encryptsFiles: Bool { folders.paths.encryptsFiles }

    /// A name in the folder that nothing has, for a file that a client is going to upload. What no message has taken after a day is deleted.
    /// - Parameter name: as the client calls it; it is made harmless.
    public func newUpload(named name: String, of userId: Int64) async throws -> String {
        let folder = folders.paths.files
        return try await store.write { tx in
            try LocalFolders.make(folder)
            let unused = try FileName.unused(FileName.shown(name), in: folder, tx.db)
            try Uploads.note(unused, user: userId, tx)
            return unused
        }
    }

    /// The file of an item of the user, or one by itself; nil when there is none, or nothing of it is here. One that is only in the object storage is
    /// fetched, if it can be.
    public func file(_ fileId: Int64, of userId: Int64) async throws -> StoredFile? {
        let paths = folders.paths
        let path = try await store.read { db in try FileRecord.find(fileId, user: userId, in: db)?.path }
        let use: FileObjects.Use? = if let path { try? await objects.use(path) } else { nil }
        return try await store.read { db in
            guard let file = try FileRecord.find(fileId, user: userId, in: db), let path = file.path else { return nil }
            let absolute = paths.absolute(path)
            return StoredFile(
                path: absolute, arguments: try file.cryptoArgs.map { try CryptoFileArguments($0) }, name: file.name, size: file.size, status: file.status,
                isComplete: file.status.isLoaded && DiskFiles.isFile(absolute), use: use)
        }
    }
}
