internal import ChatAPI
internal import Concurrency
internal import Files
internal import SQLCipher

/// Terminal commands for files.
extension Console {
    /// The maximum size in bytes of a picture that is sent as an image.
    private static let imageLimit: Int64 = 522_240
    private static let imageEndings = [".jpg", ".jpeg", ".png", ".gif"]
    /// A preview of one grey pixel, since the terminal creates no previews.
    private static let preview =
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNoAAAAggCB2kUIOwAAAABJRU5ErkJggg=="

    func send(_ file: CryptoFile, isImage: Bool, to chat: ChatRef, user: UserRecord) async throws -> ChatResponse {
        if isImage {
            let (folders, rights) = (terminal.services.folders.paths, rights)
            guard Self.imageEndings.contains(where: { file.filePath.lowercased().hasSuffix($0) }) else {
                throw ChatFailure(ChatErrorType.fileImageType(filePath: file.filePath))
            }
            let use = try await terminal.services.objects.use(file.filePath)
            defer { withExtendedLifetime(use) {} }
            let size = try await blocking {
                // A sender with access to the store's folders only must not learn the size of a file outside of these
                // folders.
                if rights.paths == .ownFolders {
                    _ = try PathConfinement(folders, isBound: rights.isBound).resolve(file.filePath, .stored)
                }
                return DiskFiles.size(folders.roots.absolute(file.filePath)) ?? 0
            }
            guard size <= Self.imageLimit else {
                throw ChatFailure(ChatErrorType.fileImageSize(filePath: file.filePath))
            }
        }
        let content: MsgContent = isImage ? .image(text: "", image: Self.preview) : .file(text: "")
        return try await send(
            ComposedMessage(fileSource: file, msgContent: content, mentions: [:]),
            to: chat,
            user: user
        )
    }

    /// `/fstatus`: returns the item of a file, which shows the progress of the file. For a file without an item, and
    /// for a file that was sent inside messages, returns the transfer.
    /// - Throws: `fileNotFound`; `commandError` for a file of notes.
    func status(of fileId: Int64, user: UserRecord) async throws -> ChatResponse {
        try await terminal.store.read { db in
            guard let file = try FileRecord.find(fileId, user: user.userId, in: db) else {
                throw ChatFailure(StoreError.fileNotFound(fileId: fileId))
            }
            let found = try file.item(user, db)
            switch file.transport {
            case .xftp:
                if let found {
                    return .fileTransferStatusXFTP(
                        user: user.api,
                        chatItem: found.item.api(in: found.chat.info(user), at: .now)
                    )
                }
            case .local:
                throw found == nil
                    ? ChatFailure(StoreError.localFileNoTransfer(fileId: fileId))
                    : .command("files of notes have no such operation")
            default: break
            }
            guard file.isSent else {
                return .fileTransferStatus(
                    user: user.api,
                    transfer: .rcv(rcvFileTransfer: try file.apiReceived(db)),
                    parts: [try InlineFiles.count(of: file, db)]
                )
            }
            let transfer = FileTransfer.snd(
                fileTransferMeta: file.apiMeta,
                sndFileTransfers: try file.apiRecipients(db)
            )
            return .fileTransferStatus(user: user.api, transfer: transfer, parts: [0])
        }
    }

    /// Finds a file of an earlier message, to send it again.
    /// - Throws: `fileNotFound`, also for a path that the store must not open. `fileNotReceived` for a file that is not
    ///   on this machine.
    func sentBefore(_ fileId: Int64, user: UserRecord) async throws -> CryptoFile {
        let folders = terminal.services.folders.paths
        return try await terminal.store.read { db in
            guard let file = try FileRecord.find(fileId, user: user.userId, in: db) else {
                throw ChatFailure(StoreError.fileNotFound(fileId: fileId))
            }
            guard let path = file.path, file.status.isLoaded else {
                throw ChatFailure(ChatErrorType.fileNotReceived(fileId: fileId))
            }
            // A stored path may lie outside of the folders that the sender of the command may use. The sender's rights
            // apply to this path, as to a path in a command.
            guard try folders.file(path).isFile || StoredObject.exists(path.text, in: db) else {
                throw ChatFailure(ChatErrorType.fileNotFound(message: path.text))
            }
            return CryptoFile(filePath: path.text, cryptoArgs: file.cryptoArgs)
        }
    }
}
