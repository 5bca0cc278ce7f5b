internal import ChatAPI
internal import ChatConsole
internal import Concurrency
internal import Files
internal import SQLCipher

/// Access to files for terminal commands.
extension TerminalEngine {
    func readSize(ofFile path: String) async throws -> Int64 {
        let (folders, rights) = (terminalCommand.services.folders.paths, rights)
        let use = try await terminalCommand.services.fileObjects.fetchAndHold(path)
        defer { withExtendedLifetime(use) {} }
        return try await runBlocking {
            // A sender whose rights cover only the store's folders must not learn the size of a file outside of these
            // folders.
            if rights.paths == .ownFolders {
                _ = try PathConfinement(folders, isBound: rights.isLimited).resolvePath(path, .messageFile)
            }
            return DiskFiles.fileSize(folders.fileRoots.absolutePath(path)) ?? 0
        }
    }

    func readStatus(ofFile fileId: Int64, _ user: UserRecord) async throws -> ChatResponse {
        try await terminalCommand.store.read { db in
            guard let file = try FileRecord.find(fileId, user: user.userId, in: db) else {
                throw ChatFailure(StoreError.fileNotFound(fileId: fileId))
            }
            let found = try file.findItem(user, db)
            switch file.transport {
            case .xftp:
                if let found {
                    return .fileTransferStatusXFTP(
                        user: user.api,
                        chatItem: found.item.api(in: found.chat.chatInfo(user), at: .now)
                    )
                }
            case .local:
                throw found == nil
                    ? ChatFailure(StoreError.localFileNoTransfer(fileId: fileId))
                    : .commandError("files of notes have no such operation")
            default: break
            }
            guard file.isSent else {
                return .fileTransferStatus(
                    user: user.api,
                    transfer: .rcv(rcvFileTransfer: try file.apiReceivedTransfer(db)),
                    parts: [try InlineFiles.countChunks(of: file, db)]
                )
            }
            let transfer = FileTransfer.snd(
                fileTransferMeta: file.apiMeta,
                sndFileTransfers: try file.apiRecipients(db)
            )
            return .fileTransferStatus(user: user.api, transfer: transfer, parts: [0])
        }
    }

    func findSentFile(_ fileId: Int64, _ user: UserRecord) async throws -> CryptoFile {
        let folders = terminalCommand.services.folders.paths
        return try await terminalCommand.store.read { db in
            guard let file = try FileRecord.find(fileId, user: user.userId, in: db) else {
                throw ChatFailure(StoreError.fileNotFound(fileId: fileId))
            }
            guard let path = file.path, file.status.hasLocalContents else {
                throw ChatFailure(ChatErrorType.fileNotReceived(fileId: fileId))
            }
            // A stored path may lie outside of the folders that the sender of the command may use. The sender's rights
            // apply to this path, as to a path in a command.
            guard try folders.makeStoreFile(path).isFile || StoredObject.exists(path.text, in: db) else {
                throw ChatFailure(ChatErrorType.fileNotFound(message: path.text))
            }
            return CryptoFile(filePath: path.text, cryptoArgs: file.cryptoArgs)
        }
    }
}
