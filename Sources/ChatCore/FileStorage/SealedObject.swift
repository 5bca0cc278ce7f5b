internal import ChatText
internal import Files
internal import Glibc
internal import ObjectStorage
internal import SimpleXCrypto

/// The encrypted form of a file in the object storage. Each object has its own key. A file that is already encrypted on
/// the disk is encrypted again. The object ends with the authentication tag.
enum SealedObject {
    static let tagSize = Int64(FileCipher.tagSize)

    static func makeSource(_ file: StoreFile, _ object: StoredObject) -> ObjectSource {
        let (size, arguments) = (object.fileStamp.size, object.arguments)
        return ObjectSource(size: size + tagSize) {
            let reader = try EncryptingReader(file.openFile(O_RDONLY), size: size, arguments)
            return { try reader.readNext($0) }
        }
    }
}

/// Encrypts a file while it is read.
///
/// `@unchecked Sendable`: the caller reads one part at a time.
private final class EncryptingReader: @unchecked Sendable {
    private let file: OpenFile
    private let cipherStream: SecretBoxStream
    private var remainingBytes: Int64
    private var tag: [UInt8]?

    init(_ file: consuming OpenFile, size: Int64, _ arguments: CryptoFileArguments) throws {
        self.file = file
        cipherStream = SecretBoxStream(key: arguments.fileKey, nonce: arguments.fileNonce)
        remainingBytes = size
    }

    func readNext(_ count: Int) throws -> [UInt8] {
        if remainingBytes > 0 {
            let part = try file.read(upTo: Int(min(Int64(count), remainingBytes)))
            remainingBytes -= Int64(part.count)
            // If the file was shortened after the reading began, this part is too short, and the file is not stored.
            return cipherStream.encrypt(part)
        }
        let rest = tag ?? cipherStream.computeTag()
        tag = Array(rest.dropFirst(count))
        return Array(rest.prefix(count))
    }
}

/// A file that is fetched from the object storage. It has a temporary name until it is complete.
///
/// `@unchecked Sendable`: the caller writes one part at a time.
final class FetchedFile: @unchecked Sendable {
    let path: String
    private let file: OpenFile
    private let cipherStream: SecretBoxStream
    private var remainingBytes: Int64
    private var tag: [UInt8] = []

    /// The prefix of the names of incomplete files.
    static let namePrefix = FileName.fetchedFilePrefix

    /// Creates the temporary file. Blocks the thread.
    init(in folder: String, _ object: StoredObject) throws {
        try DiskFiles.makeFolder(folder)
        path = folder + "/" + Self.namePrefix + Hex.encode(RandomBytes.make(count: 12))
        file = try OpenFile(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
        cipherStream = SecretBoxStream(key: object.arguments.fileKey, nonce: object.arguments.fileNonce)
        remainingBytes = object.fileStamp.size
    }

    /// Writes the next part. Blocks the thread.
    func write(_ part: [UInt8]) throws {
        let count = Int(min(remainingBytes, Int64(part.count)))
        if count > 0 { try file.write(cipherStream.decrypt(Array(part[..<count]))) }
        remainingBytes -= Int64(count)
        tag += part[count...]
    }

    /// Verifies the contents, and writes the file through to the disk. Blocks the thread.
    /// - Throws: `ObjectError.sizeChanged`.
    func verifyAndSync(_ facts: FileStamp) throws {
        guard remainingBytes == 0, tag.count == Int(SealedObject.tagSize), cipherStream.isTagValid(tag: tag) else {
            throw ObjectError.sizeChanged
        }
        // The modification time identifies the stored contents (``FileStamp``).
        var times = [FileStamp.utimeNow, facts.modifiedTime]
        guard futimens(file.descriptor, &times) == 0 else { throw FileSystemError(.write, path, code: errno) }
        try file.sync()
    }

    func remove() { DiskFiles.removeFile(path) }
}
