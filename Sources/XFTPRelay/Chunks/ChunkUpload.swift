import Files
import Glibc
import NIOCore
import SimpleXCrypto
import XFTP

/// Writes the contents of a file to the disk while its sender uploads them. The file is closed between parts, so a slow
/// upload uses no descriptor.
final class ChunkUpload: @unchecked Sendable {
    // The class is `@unchecked Sendable`: the request makes one call at a time, on threads of the pool.
    private let path: String
    private let folder: ChunkFolder
    private let storedFile: StoredFile
    private let id: RelayFileID
    private var digest: IncrementalDigest?
    private var writtenBytes = 0
    private var hasPartialFile = false

    init(_ id: RelayFileID, _ file: StoredFile, in folder: ChunkFolder) {
        path = folder.makeUploadPath()
        self.folder = folder
        self.storedFile = file
        self.id = id
    }

    /// Appends the next part of the contents to the file.
    func writePart(_ part: ByteBuffer) throws(XFTPServerError) {
        let view = part.readableBytesView
        do {
            if digest == nil { digest = try IncrementalDigest(.sha256) }
            try digest?.update(view)
            let flags = hasPartialFile ? O_WRONLY | O_APPEND : O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
            let file = try OpenFile(path, flags)
            hasPartialFile = true
            try file.write(view)
            writtenBytes += view.count
        } catch {
            throw XFTPServerError(storage: error)
        }
    }

    /// Checks the size and the digest, and moves the upload to the folder of complete files. Returns when the file is
    /// on the disk.
    func checkAndStore() throws(XFTPServerError) {
        guard writtenBytes == Int(storedFile.byteCount) else { throw .size }
        do {
            guard let expected = storedFile.digest, let found = try digest?.finalize(), found == expected.bytes else {
                throw XFTPServerError.digest
            }
            try folder.storeUpload(path, as: id)
            hasPartialFile = false
        } catch {
            throw XFTPServerError(storage: error)
        }
    }

    /// Removes the parts that were written, if the upload was not moved to the folder of complete files.
    func discardParts() {
        if hasPartialFile { DiskFiles.removeFile(path) }
        hasPartialFile = false
    }
}

extension XFTPServerError {
    /// Makes the error that a client gets when the disk fails. For a full disk, the client gets QUOTA as for a full
    /// relay, and then tries another relay.
    init(storage error: any Error) {
        switch error {
        case let error as XFTPServerError: self = error
        case let error as any StorageError: self = error.isStorageFull ? .quota : .fileIO
        default: self = .internal
        }
    }
}
