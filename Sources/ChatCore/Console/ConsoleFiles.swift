internal import ChatAPI
internal import Concurrency
internal import Files
internal import SQLCipher

/// Files by the terminal.
extension Console {
    /// In bytes: so large a picture may be that is sent without a smaller one of it.
    private static let imageLimit: Int64 = 522_240
    private static let imageEndings = [".jpg", ".jpeg", ".png", ".gif"]
    /// One grey point: the terminal draws nothing.
    private static let preview =
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNoAAAAggCB2kUIOwAAAABJRU5ErkJggg=="

    func send(_ file: CryptoFile, isImage: Bool, to chat: ChatRef, user: UserRecord) async throws -> ChatResponse {
        if isImage {
            let (folders, rights) = (terminal.folders.paths, rights)
            guard Self.imageEndings.contains(where: { file.filePath.lowercased().hasSuffix($0) }) else {
                throw ChatFailure(ChatErrorType.fileImageType(filePath: file.filePath))
            }
            let use = try await terminal.objects.use(file.filePath)
            defer { withExtendedLifetime(use) {} }
            let size = try await blocking {
                // Not even how large other files are is to be seen.
                if rights.paths == .ownFolders { _ = try PathConfinement(folders, isBound: rights.isBound).resolve(file.filePath, .stored) }
                return DiskFiles.size(folders.roots.absolute(file.filePath)) ?? 0
            }
            guard size <= Self.imageLimit else {
                throw ChatFailure(ChatErrorType.fileImageSize(filePath: file.filePath))
            }
        }
        let content: MsgContent = isImage ? .image(text: "", image: Self.preview) : .file(text: "")
        return try await send(ComposedMessage(fileSource: file, msgContent: content, mentions: [:]), to: chat, user: user)
    }

    /// `/fstatus`: the item of a file, which shows how far it is. Without one, or for a file inside messages, the transfer itself.
    /// - Throws: `fileNotFound`; `commandError` for a file of notes.
    func status(of fileId: Int64, user: UserRecord) async throws -> ChatResponse {
        try await terminal.store.read { db in
            guard let file = try FileRecord.find(fileId, user: user.userId, in: db) else { throw ChatFailure(StoreError.fileNotFound(fileId: fileId)) }
            let found = try file.item(user, db)
            switch file.transport {
            case .xftp: if let found { return .fileTransferStatusXFTP(user: user.api, chatItem: found.item.api(in: found.chat.info(user), at: .now)) }
            case .local: throw found == nil ? ChatFailure(StoreError.localFileNoTransfer(fileId: fileId)) : .command("not supported for local files")
            default: break
            }
            guard file.isSent else {
                return .fileTransferStatus(user: user.api, transfer: .rcv(rcvFileTransfer: try file.apiReceived(db)), parts: [try InlineFiles.count(of: file, db)])
            }
            let transfer = FileTransfer.snd(fileTransferMeta: file.apiMeta, sndFileTransfers: try file.apiRecipients(db))
            return .fileTransferStatus(user: user.api, transfer: transfer, parts: [0])
        }
    }

    /// - Throws: `fileNotFound`, also for a path that the store itself must not open; `fileNotReceived` for a file that is not here.
    func sentBefore(_ fileId: Int64, user: UserRecord) async throws -> CryptoFile {
        let folders = terminal.folders.paths
        return try await terminal.store.read { db in
            guard let file = try FileRecord.find(fileId, user: user.userId, in: db) else { throw ChatFailure(StoreError.fileNotFound(fileId: fileId)) }
            guard let path = file.path, file.status.isLoaded else { throw ChatFailure(ChatErrorType.fileNotReceived(fileId: fileId)) }
            // As the path of a command it is opened with the rights of the sender.
            guard try folders.file(path).isFile || StoredObject.exists(path.text, in: db) else {
                throw ChatFailure(ChatErrorType.fileNotFound(message: path.text))
            }
            return CryptoFile(filePath: path.text, cryptoArgs: file.cryptoArgs)
        }
    }
}
