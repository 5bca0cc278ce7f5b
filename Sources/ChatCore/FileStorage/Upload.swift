internal import ChatStore
internal import Files
internal import Glibc
internal import SimpleXCrypto

/// An upload of a file for a message. The bytes are written as they arrive. If the stored file is encrypted, the bytes
/// are encrypted before the write.
///
/// `@unchecked Sendable`: one request at a time gets the upload from ``UploadsUnderway``, and makes one call at a time.
/// Reading and writing block the thread.
package final class Upload: @unchecked Sendable {
    package let id: String
    let userId: Int64
    /// The API key that has begun the upload; nil if it is unknown.
    let keyId: String?
    let name: String
    let arguments: CryptoFileArguments?
    let path: String
    /// Length in bytes, if the sender has announced the length.
    package let announcedLength: Int64?
    /// Whether another request can continue the upload.
    package let isResumable: Bool

    /// Number of received bytes.
    package private(set) var offset: Int64 = 0
    /// The size limits of this upload. `bytes` is the maximum size of the upload, including the received bytes. `limit`
    /// is the store's limit for the total size of files. The property is nil if the store has no such limit.
    var sizeLimit: (bytes: Int64, limit: Int64)?
    private var cipherStream: SecretBoxStream?
    private var contentDigest: IncrementalDigest?
    /// Whether the last write, or the last reading of the file, has failed. The file is then read again before the next
    /// write.
    private var hasFailedWrite = false

    init(
        id: String,
        user userId: Int64,
        key keyId: String? = nil,
        name: String,
        _ arguments: CryptoFileArguments?,
        in folder: String,
        length: Int64?,
        isResumable: Bool
    ) {
        self.id = id
        self.userId = userId
        self.keyId = keyId
        self.name = name
        self.arguments = arguments
        path = folder + "/" + id
        self.announcedLength = length
        self.isResumable = isResumable
    }

    private func resetCipherAndDigest() throws {
        cipherStream = arguments.map { SecretBoxStream(key: $0.fileKey, nonce: $0.fileNonce) }
        contentDigest = try IncrementalDigest(.sha256)
        offset = 0
        hasFailedWrite = false
    }

    func createFile() throws {
        try resetCipherAndDigest()
        _ = try OpenFile(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
    }

    /// Reads the existing bytes of the file again if necessary, so that writing can continue. This is necessary if
    /// another process has begun the file, or if the last write has failed.
    func restoreState() throws {
        guard hasFailedWrite || contentDigest == nil else { return }
        try resetCipherAndDigest()
        // The flag stays true until the whole file is read. After a failed read, the file is read from its start again.
        hasFailedWrite = true
        let file = try OpenFile(path, O_RDONLY | O_NOFOLLOW)
        while case let part = try file.read(upTo: 1 << 20), !part.isEmpty {
            try contentDigest?.update(cipherStream?.decrypt(part) ?? part)
            offset += Int64(part.count)
        }
        hasFailedWrite = false
    }

    /// Writes the next part.
    /// - Throws: `QuotaExceeded`, before any byte of the part is written.
    package func write(_ part: [UInt8]) throws {
        try restoreState()
        if let sizeLimit, offset + Int64(part.count) > sizeLimit.bytes {
            throw QuotaExceeded(resource: .fileBytes, limit: sizeLimit.limit)
        }
        let file = try OpenFile(path, O_WRONLY | O_APPEND | O_NOFOLLOW)
        // The flag stays true until the whole part is written. After a failed write, the bytes that are in the file are
        // read again, and are counted.
        hasFailedWrite = true
        try file.write(cipherStream?.encrypt(part) ?? part)
        try contentDigest?.update(part)
        offset += Int64(part.count)
        hasFailedWrite = false
    }

    /// Writes the received bytes through to the disk. After this call, the sender may delete its copy of these bytes.
    package func sync() throws {
        try restoreState()
        try DiskFiles.syncEntry(path)
    }

    /// Returns the SHA-256 digest of the contents. Nothing can be written after this call.
    func finishDigest() throws -> [UInt8] {
        try restoreState()
        defer { contentDigest = nil }
        return try contentDigest?.finalize() ?? []
    }

    /// Appends the authentication tag if the file is encrypted, and writes the file through to the disk.
    func appendAuthenticationTagAndSync() throws {
        let file = try OpenFile(path, O_WRONLY | O_APPEND | O_NOFOLLOW)
        if let cipherStream { try file.write(cipherStream.computeTag()) }
        try file.sync()
    }

    func remove() { DiskFiles.removeFile(path) }
}

extension LocalFolders.Paths {
    /// The folder of incomplete uploads.
    var uploadsFolder: String { temporaryFolder + "/uploads" }
}
