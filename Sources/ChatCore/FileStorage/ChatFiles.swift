package import ChatAPI
internal import ChatProtocol
package import ChatStore
internal import ChatText
internal import Concurrency
internal import Files
internal import Glibc
internal import SimpleXCrypto

/// Uploads and downloads of file contents, for clients that cannot use paths on this machine.
package struct ChatFiles: Sendable {
    let store: ChatStore
    let folders: LocalFolders
    let uploadsUnderway: UploadsUnderway
    let verifiedFiles: VerifiedFiles
    let objects: FileObjects

    /// Maximum size of a file in bytes.
    package static let sizeLimit = FileLimits.maxFileBytes

    /// The error for a refused request about a file or an upload.
    package struct Refusal: Error, Sendable {
        package enum Reason: Sendable, Equatable {
            /// The file, the upload or the user does not exist.
            case notFound
            /// Another request uses the upload and has not ended in time.
            case busy
            /// The user has the maximum number of uploads.
            case tooManyUploads
            /// The contents differ from the announced length or digest.
            case contentsDiffer
            /// The file on the disk, or in the object storage, was altered: its authentication tag is not valid.
            case damaged
            /// The file is missing in the object storage, although this store has recorded it there.
            case objectMissing
            /// The file is in the object storage, which is not available now. A retry makes sense after `retryAfter`
            /// seconds.
            case temporarilyUnavailable(retryAfter: Int64)
            /// The upload has no contents.
            case emptyUpload
        }
        package let reason: Reason
    }

    func makeRefusal(_ reason: Refusal.Reason) -> Refusal { Refusal(reason: reason) }

    // MARK: Uploads

    /// Begins an upload. The caller owns the upload until it calls ``finishUpload(_:digest:)``, ``pauseUpload(_:)`` or
    /// ``cancelUpload(_:)``.
    /// - Parameters:
    ///   - name: the name that recipients see. The parts that could lead to another folder are removed from the name.
    ///   - encrypts: whether the stored file is encrypted; nil to use the store's setting for received files.
    ///   - keyId: the API key of the client.
    package func beginUpload(
        user userId: Int64,
        key keyId: String? = nil,
        name: String,
        encrypts: Bool?,
        length: Int64?,
        isResumable: Bool
    ) async throws -> Upload {
        let paths = folders.paths
        guard try await store.read({ db in try UserRecord.findVisible(userId, in: db) != nil }) else {
            throw makeRefusal(.notFound)
        }
        try await withRefusalsCounted { [quota = store.quota] in
            try await store.read { db in try quota.checkFile(of: max(length ?? 1, 1), db) }
        }
        let arguments = encrypts ?? paths.encryptsFiles ? CryptoFileArguments() : nil
        let upload = Upload(
            id: Base64URL.encode(RandomBytes.make(count: 18)),
            user: userId,
            key: keyId,
            name: FileName.safeName(name),
            arguments,
            in: paths.uploadsFolder,
            length: length,
            isResumable: isResumable
        )
        upload.sizeLimit = try await readUploadSizeLimit(beside: 0)
        guard uploadsUnderway.reserveUpload(upload.id).isFree else { throw makeRefusal(.busy) }
        do {
            try await runBlocking {
                try DiskFiles.makeFolder(paths.uploadsFolder)
                try upload.createFile()
            }
            if isResumable { try await store.write { tx in try PartialUploads.insert(upload, tx) } }
        } catch {
            await discardUpload(upload)
            if error is ChatFailure { throw makeRefusal(.tooManyUploads) }
            throw error
        }
        return upload
    }

    /// Continues an upload that an earlier request has begun, and reserves the upload for one request. An older request
    /// that is still receiving a part of the upload is ended. The bytes that the older request has received are kept.
    /// - Parameters:
    ///   - keyId: the API key that must have begun the upload; nil for any key.
    ///   - interrupt: a function that ends this request if a later request takes over the upload; nil if this request
    ///     receives no part.
    package func resumeUpload(
        _ id: String,
        user userId: Int64,
        key keyId: String? = nil,
        interrupt: (@Sendable () -> Void)? = nil
    ) async throws -> Upload {
        let paths = folders.paths
        guard
            let stored = try await store.read({ db in
                try PartialUploads.find(id, user: userId, key: keyId, in: paths.uploadsFolder, db)
            })
        else { throw makeRefusal(.notFound) }
        let (isFree, known) = await uploadsUnderway.takeOverUpload(id, interrupt: interrupt)
        guard isFree else { throw makeRefusal(.busy) }
        do {
            let upload = known ?? stored
            try await runBlocking { try upload.restoreState() }
            upload.sizeLimit = try await readUploadSizeLimit(beside: upload.offset)
            return upload
        } catch {
            uploadsUnderway.releaseUpload(id, nil)
            throw (error as? FileSystemError)?.errnoCode == ENOENT ? makeRefusal(.notFound) : error
        }
    }

    /// Returns the maximum size in bytes of an upload that has already received `offset` bytes. Also returns the
    /// store's limit for the total size of files. Returns nil if the store has no such limit.
    private func readUploadSizeLimit(beside offset: Int64) async throws -> (bytes: Int64, limit: Int64)? {
        let quota = store.quota
        guard let limit = quota.limits[.fileBytes] else { return nil }
        return try await store.read { db in try quota.readSpaceForFiles(db) }.bytes.map { (offset + max(0, $0), limit) }
    }

    private func withRefusalsCounted<T>(_ body: () async throws -> T) async throws -> T {
        do { return try await body() } catch let full as QuotaExceeded {
            store.quota.countRefusal()
            throw full
        }
    }

    /// Counts an upload that was refused because the store is full.
    package func countRefusal() { store.quota.countRefusal() }

    /// Releases an upload that a request has reserved. A later request can continue the upload.
    package func pauseUpload(_ upload: Upload) async throws {
        do {
            try await runBlocking { try upload.sync() }
            try await store.write { tx in try PartialUploads.postponeExpiry(upload.id, tx) }
        } catch {
            uploadsUnderway.releaseUpload(upload.id, upload)
            throw error
        }
        uploadsUnderway.releaseUpload(upload.id, upload)
    }

    /// Completes an upload, so that a message can contain its file.
    /// - Parameters:
    ///   - digest: SHA-256 of the contents, as announced by the sender.
    ///   - hidesNames: whether the file gets a random part in its name on the disk. A name such as `photo_1.jpg` would
    ///     reveal that another file `photo.jpg` exists. Recipients see the name without the random part.
    package func finishUpload(
        _ upload: Upload,
        digest: [UInt8]?,
        hidesNames: Bool = false
    ) async throws -> (source: CryptoFile, size: Int64) {
        let paths = folders.paths
        do {
            guard upload.offset > 0 else { throw makeRefusal(.emptyUpload) }
            guard upload.announcedLength == nil || upload.announcedLength == upload.offset else {
                throw makeRefusal(.contentsDiffer)
            }
            try await runBlocking {
                if let digest, try upload.finishDigest() != digest { throw Refusal(reason: .contentsDiffer) }
                try upload.appendAuthenticationTagAndSync()
                try LocalFolders.makeFolder(paths.filesFolder)
            }
            let name = try await store.write { tx in
                // The result is the remaining space. This file and all files that were stored during the upload already
                // count as used.
                let space = try tx.quota.readSpaceForFiles(tx.db)
                let limits = tx.quota.limits
                if let count = space.count, count < 0 {
                    throw QuotaExceeded(resource: .files, limit: limits[.files] ?? 0)
                }
                if let bytes = space.bytes, bytes < 0 {
                    throw QuotaExceeded(resource: .fileBytes, limit: limits[.fileBytes] ?? 0)
                }
                let wanted = hidesNames ? FileName.randomizedName(upload.name) : upload.name
                let name = try FileName.findUnusedName(wanted, in: paths.filesFolder, tx.db)
                try Uploads.add(name, shown: hidesNames ? upload.name : nil, user: upload.userId, tx)
                if upload.isResumable { try PartialUploads.remove(upload.id, tx) }
                return name
            }
            try await runBlocking {
                try DiskFiles.moveFile(upload.path, to: paths.filesFolder + "/" + name)
                DiskFiles.syncParentFolder(of: paths.filesFolder + "/" + name)
            }
            uploadsUnderway.releaseUpload(upload.id, nil)
            return (CryptoFile(filePath: name, cryptoArgs: upload.arguments?.apiArguments), upload.offset)
        } catch {
            if error is QuotaExceeded { countRefusal() }
            await discardUpload(upload)
            throw error
        }
    }

    package func cancelUpload(_ upload: Upload) async { await discardUpload(upload) }

    /// Stores the answer to an upload request, so that a repeated request gets the same answer.
    package func storeAnswer(_ answered: AnsweredRequest) async throws {
        try await store.database.write { db in try answered.store(in: db) }
    }

    private func discardUpload(_ upload: Upload) async {
        await runCleanup { upload.remove() }
        if upload.isResumable { try? await store.write { tx in try PartialUploads.remove(upload.id, tx) } }
        uploadsUnderway.releaseUpload(upload.id, nil)
    }
}
