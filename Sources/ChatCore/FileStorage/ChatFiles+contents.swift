internal import Concurrency
internal import Files
internal import Glibc
internal import SimpleXCrypto

extension ChatFiles {
    /// The contents of a file that is on the disk.
    package struct Contents: FileContents {
        package let name: String
        package let size: Int64
        package let version: String
        fileprivate let file: StoreFile
        fileprivate let partDecryptor: CryptoFilePartDecryptor?
        /// A hold that keeps the file on the disk while the contents are read.
        fileprivate var fileHold: FileObjects.FileHold?

        package func read(at offset: Int64, count: Int) throws -> [UInt8] {
            let opened = try file.openFile(O_RDONLY)
            guard lseek(opened.descriptor, off_t(offset), SEEK_SET) == off_t(offset) else {
                throw FileSystemError(.read, file.path.text, code: errno)
            }
            let part = try opened.read(upTo: Int(min(Int64(count), max(size - offset, 0))))
            return partDecryptor?.decryptPart(part, at: offset) ?? part
        }
    }

    /// Returns the contents of a user's file. If the file is only in the object storage, it is fetched. An encrypted
    /// file is verified completely before its first byte is returned.
    package func openContents(of fileId: Int64, user userId: Int64) async throws -> Contents {
        let paths = folders.paths
        let found = try await store.read { db in
            try UserRecord.findVisible(userId, in: db).flatMap { _ in try FileRecord.find(fileId, user: userId, in: db)
            }
        }
        guard let file = found, file.status.hasLocalContents, let path = file.path else { throw makeRefusal(.notFound) }
        let arguments = try file.cryptoArgs.map { try CryptoFileArguments($0) }
        let (name, stored) = (file.name, paths.makeStoreFile(path))
        let verified = verifiedFiles
        let use: FileObjects.FileHold?
        do { use = try await objects.fetchAndHold(path.text) } catch let away as FileFetchError {
            switch away.reason {
            case .retryAfter(let seconds): throw makeRefusal(.temporarilyUnavailable(retryAfter: seconds))
            case .missing: throw makeRefusal(.objectMissing)
            case .altered: throw makeRefusal(.damaged)
            }
        }
        var contents = try await runBlocking {
            try Self.openContents(of: fileId, name: name, in: stored, arguments, verified)
        }
        contents.fileHold = use
        return contents
    }

    /// Returns the contents of a file that is on the disk. Blocks the thread.
    static func openContents(
        of fileId: Int64,
        name: String,
        in file: StoreFile,
        _ arguments: CryptoFileArguments?,
        _ verified: VerifiedFiles
    ) throws -> Contents {
        let stored: FileVersionState
        do throws(FileSystemError) { stored = try FileVersionState(file.openFile(O_RDONLY), file.path.text) } catch {
            throw error.errnoCode == ENOENT || error.errnoCode == ELOOP ? Refusal(reason: .notFound) : error
        }
        guard let arguments else {
            return Contents(name: name, size: stored.size, version: stored.versionText, file: file, partDecryptor: nil)
        }
        guard let size = try? FileCipher.contentsSize(storedSize: stored.size) else {
            throw Refusal(reason: .damaged)
        }
        let version = stored.versionText
        if !verified.contains(fileId, version) {
            guard try Self.hasValidTag(file, size, arguments) else { throw Refusal(reason: .damaged) }
            verified.insert(fileId, version)
        }
        return Contents(
            name: name,
            size: size,
            version: version,
            file: file,
            partDecryptor: CryptoFilePartDecryptor(arguments)
        )
    }

    /// Whether the authentication tag of an encrypted file matches its contents. Blocks the thread.
    /// - Parameter size: the number of bytes of the contents, without the tag.
    static func hasValidTag(_ file: StoreFile, _ size: Int64, _ arguments: CryptoFileArguments) throws -> Bool {
        let file = try file.openFile(O_RDONLY)
        let box = SecretBoxStream(key: arguments.fileKey, nonce: arguments.fileNonce)
        var left = size
        while left > 0 {
            let part = try file.read(upTo: Int(min(left, 1 << 20)))
            guard !part.isEmpty else { return false }
            _ = box.decrypt(part)
            left -= Int64(part.count)
        }
        return box.isTagValid(tag: try file.read(upTo: FileCipher.tagSize))
    }
}
