import Files
import Glibc
import SimpleXCrypto
import XFTP

/// Encrypts a file into the work folder, chunk by chunk. All functions block.
final class FileEncryptor: @unchecked Sendable {
    // The class is `@unchecked Sendable`: only one task uses the encryptor, one call after the other.
    private let reader: SourceReader
    private let encryption: FileEncryption
    private let workFile: WorkFile
    private let hash: IncrementalDigest
    private var position: Int64 = 0

    init(_ reader: SourceReader, _ layout: FileLayout, key: SymmetricKey, nonce: BoxNonce, into work: WorkFile) throws {
        self.reader = reader
        encryption = FileEncryption(layout, key: key, nonce: nonce)
        self.workFile = work
        hash = try IncrementalDigest(.sha512)
    }

    /// Encrypts the next chunk, and returns its SHA-256.
    func encryptNextChunk(size: Int) throws -> [UInt8] {
        let chunkHash = try IncrementalDigest(.sha256)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: min(size, WorkFile.partSize), alignment: 16)
        defer { buffer.deallocate() }
        var done = 0
        while done < size {
            let part = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(size - done))
            try encryption.encryptNext(part) { try reader.read(into: $0) }
            try chunkHash.update(UnsafeRawBufferPointer(part))
            try hash.update(UnsafeRawBufferPointer(part))
            try workFile.write(UnsafeRawBufferPointer(part), at: position)
            position += Int64(part.count)
            done += part.count
        }
        return try chunkHash.finalize()
    }

    /// Checks that the source was complete and unchanged, and returns the SHA-512 of the whole encrypted file.
    /// - Parameter syncs: whether the encrypted file is synced to the disk.
    func finishEncryption(syncs: Bool) throws -> [UInt8] {
        try reader.verifyTag()
        if syncs { try workFile.syncToDisk() }
        return try hash.finalize()
    }
}

/// Reader of the contents of a sent file. The contents are a plain file, a file that is encrypted on this machine, or a
/// text.
final class SourceReader {
    private enum Contents {
        case file(OpenedSource, SecretBoxStream?)
        case text([UInt8])
    }

    private let contents: Contents
    private var position = 0
    /// Size of the contents in bytes.
    let size: Int64

    init(_ source: SentFile.Source, in roots: FileRoots) throws {
        switch source {
        case .text(let bytes):
            contents = .text(bytes)
            size = Int64(bytes.count)
        case .file(let file):
            let opened = try OpenedSource(StoreFile(file.path, in: roots))
            let box = file.cryptoArguments.map { SecretBoxStream(key: $0.fileKey, nonce: $0.fileNonce) }
            let stored = try opened.file.readSize()
            do throws(FileCipher.Failure) {
                size = box == nil ? stored : try FileCipher.contentsSize(storedSize: stored)
            } catch { throw AgentError.file(.fileIO("\(error)")) }
            contents = .file(opened, box)
        }
    }

    /// Fills `buffer` with the next bytes.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws {
        switch contents {
        case .text(let bytes): buffer.copyBytes(from: bytes[position..<position + buffer.count])
        case .file(let opened, let box):
            try opened.file.read(into: buffer, at: Int64(position))
            box?.decrypt(inPlace: buffer)
        }
        position += buffer.count
    }

    /// Verifies the authentication tag of a file that is encrypted on this machine. Call the function after the whole
    /// file was read.
    func verifyTag() throws {
        guard case .file(let opened, let box?) = contents else { return }
        let tag = try opened.file.read(FileCipher.tagSize, at: Int64(position))
        guard box.isTagValid(tag: tag) else { throw AgentError.file(.fileIO("\(FileCipher.Failure.invalidAuthTag)")) }
    }
}

/// A regular file that is open for reading.
private final class OpenedSource {
    let file: OpenFile

    init(_ source: StoreFile) throws(AgentError) {
        do throws(FileSystemError) {
            file = try source.openFile(O_RDONLY)
        } catch {
            throw .file(.fileIO(error.reason))
        }
        var status = stat()
        guard fstat(file.descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .file(.fileIO("not a file"))
        }
    }
}
