package import ChatAPI
internal import ChatText
internal import Concurrency
internal import Files
internal import SimpleXCrypto

/// Access to files of a connected host.
extension ConnectedHost {
    /// Finds a file in a message that was read or received in this session; nil for other files.
    package func findFile(_ fileId: Int64, user userId: Int64) -> RemoteFile? {
        client.files.findFile(fileId, user: userId)?.file
    }

    /// Opens the contents of a file that was fetched from the host.
    /// - Throws: `ChatFiles.Refusal`: `notFound` if the file was not fetched.
    package func openContents(of file: RemoteFile) async throws -> ChatFiles.Contents {
        let name =
            client.files.findFile(file.fileId, user: file.userId)?.name ?? FileName.safeName(file.fileSource.filePath)
        let arguments = try file.fileSource.cryptoArgs.map { try CryptoFileArguments($0) }
        let (stored, verified) = (client.localFile(of: file.fileSource.filePath), self.verifiedFiles)
        return try await runBlocking {
            try ChatFiles.openContents(of: file.fileId, name: name, in: stored, arguments, verified)
        }
    }

    /// Sends the file of a terminal command to the host before the command, if the command contains an absolute path.
    /// An absolute path refers to a file on this device, and a name without a path refers to a file on the host.
    func sendCommandFile(
        _ command: ChatCommand,
        _ rights: CommandRights,
        _ folders: LocalFolders,
        _ objects: FileObjects
    ) async throws -> ChatCommand {
        guard case .console(.chat(let chat, .sendFile(let file, let isImage))) = command, file.filePath.hasPrefix("/")
        else { return command }
        let paths = folders.paths
        let path = try await runBlocking {
            guard rights.paths == .ownFolders else { return file.filePath }
            let confinement = PathConfinement(paths, isBound: rights.isLimited)
            return paths.fileRoots.absolutePath(try confinement.resolvePath(file.filePath, .messageFile))
        }
        let use: FileObjects.FileHold?
        do { use = try await objects.fetchAndHold(path) } catch let away as FileFetchError {
            throw ChatFailure(away.chatError)
        }
        defer { withExtendedLifetime(use) {} }
        // A file that is already encrypted is sent unchanged.
        let stored = try await client.sendFile(path, encrypted: file.cryptoArgs == nil ? nil : false)
        let placed = CryptoFile(filePath: stored.filePath, cryptoArgs: file.cryptoArgs ?? stored.cryptoArgs)
        return .console(.chat(name: chat, action: .sendFile(placed, isImage: isImage)))
    }
}

extension ChatFiles {
    /// Begins an upload of a file for a connected host. The caller owns the upload until the caller ends the upload
    /// with ``finishUpload(_:digest:on:encrypts:)`` or ``cancelUpload(_:)``.
    package func beginUpload(forHost name: String, length: Int64?) async throws -> Upload {
        let folder = folders.paths.uploadsFolder
        let upload = Upload(
            id: Base64URL.encode(RandomBytes.make(count: 18)),
            user: 0,
            name: FileName.safeName(name),
            nil,
            in: folder,
            length: length,
            isResumable: false
        )
        try await runBlocking {
            try DiskFiles.makeFolder(folder)
            try upload.createFile()
        }
        return upload
    }

    /// Completes the upload, and sends the file to the host.
    /// - Parameter encrypts: whether the file is encrypted; nil to follow the setting of the host.
    /// - Returns: the reference to the file for messages on the host.
    package func finishUpload(
        _ upload: Upload,
        digest: [UInt8]?,
        on host: ConnectedHost,
        encrypts: Bool?
    ) async throws -> APIResult<CryptoFile> {
        defer { upload.remove() }
        guard upload.offset > 0 else { throw Refusal(reason: .emptyUpload) }
        guard upload.announcedLength == nil || upload.announcedLength == upload.offset else {
            throw Refusal(reason: .contentsDiffer)
        }
        try await runBlocking {
            if let digest, try upload.finishDigest() != digest { throw Refusal(reason: .contentsDiffer) }
            try upload.appendAuthenticationTagAndSync()
        }
        do {
            return .result(try await host.client.sendFile(upload.path, named: upload.name, encrypted: encrypts))
        } catch {
            return .error(ChatFailure.convertSessionError(error).error)
        }
    }
}
