internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import SimpleXCrypto
internal import SQLCipher

extension RunningCommand {
    func run(_ command: FileCommand, as userId: Int64?) async throws -> ChatResponse {
        switch command {
        case .receiveFile(let fileId, let approved, let encrypted, let inline, let path):
            return try await receiveFile(
                fileId,
                approvedRelays: approved,
                encrypted: encrypted,
                inline: inline,
                at: path,
                user: findUser(userId)
            )
        case .setFileToReceive(let fileId, let approved, let encrypted):
            return try await setFileToReceive(
                fileId,
                approvedRelays: approved,
                encrypted: encrypted,
                user: findUser(userId)
            )
        case .cancelFile(let fileId): return try await cancelFile(fileId, user: findUser(userId))
        case .uploadStandaloneFile(let named, let file):
            return try await uploadStandaloneFile(file, user: findUser(userId, named: named))
        case .downloadStandaloneFile(let named, let url, let file):
            return try await downloadStandaloneFile(url, to: file, user: findUser(userId, named: named))
        case .standaloneFileInfo(let url):
            return .standaloneFileInfo(fileMeta: try Self.parseClientData(of: Self.parseFileLink(url)))
        }
    }

    /// `/freceive`: accepts an offered file. The file is received as soon as its description is complete.
    /// - Parameter path: the path for the received file; nil for a new file in the folder for files.
    private func receiveFile(
        _ fileId: Int64,
        approvedRelays: Bool,
        encrypted: Bool?,
        inline: Bool?,
        at path: String?,
        user: UserRecord
    ) async throws -> ChatResponse {
        let paths = services.folders.paths
        let (offered, described) = try await store.read { db in
            let file = try Self.getOfferedFile(fileId, user, db)
            return (file, try file.findDescription(db))
        }
        // A bad description is found before the transaction, so the command fails and changes nothing.
        let isChecked = described?.isComplete == true
        if let described, isChecked, offered.receivingStatus == .new {
            try await checkFileDescription(
                described,
                of: offered,
                approvedRelays: approvedRelays || offered.approvesRelays,
                user
            )
        }
        return try await store.writeAndAnswer { tx in
            var file = try Self.getOfferedFile(fileId, user, tx.db)
            guard file.receivingStatus == .new else {
                throw ChatFailure(
                    file.receivingStatus == .cancelled
                        ? ChatErrorType.fileCancelled(message: file.name) : .fileAlreadyReceiving(message: file.name)
                )
            }
            let description = try file.findDescription(tx.db)
            // If the store was full when the chunks of the file arrived, the chunks were kept, and the user can receive
            // the file now.
            let isKept =
                try file.inlineMode == .sent
                && file.findItem(user, tx.db)?.item.messageContent.map { file.isSentInline(with: $0) } == true
            if description == nil, file.inlineMode == .sent, !isKept {
                throw ChatFailure(ChatErrorType.fileAlreadyReceiving(message: file.name))
            }
            guard description != nil || isKept || file.isReceivedInline(requested: inline) else {
                throw ChatFailure(
                    ChatErrorType.exception(message: "files over a connection of their own are no longer received")
                )
            }
            if encrypted ?? paths.encryptsFiles { file.cryptoArgs = CryptoFileArguments().apiArguments }
            file.approvesRelays = file.approvesRelays || approvedRelays
            try file.assignPath(at: path, paths, tx)
            try tx.quota.checkFile(of: file.size, tx.db)
            if description?.isComplete == true, !isChecked { file.task = .checkAndReceive }
            if description == nil { try file.continueInlineTransfer(user, tx) } else { try file.store(tx) }
            guard let item = try file.apiItem(user, tx) else {
                throw ChatFailure(StoreError.chatItemNotFoundByFileId(fileId: fileId))
            }
            if isChecked { try file.startReceiving(user, tx) }
            return .rcvFileAccepted(user: user.api, chatItem: item)
        }
    }

    private func checkFileDescription(
        _ description: FileDescriptionRecord,
        of file: FileRecord,
        approvedRelays: Bool,
        _ user: UserRecord
    ) async throws {
        let parsed = try FileChecks.parseDescription(description.text, expected: file.size)
        guard !approvedRelays else { return }
        try await FileChecks.requireApprovedServers(parsed, of: file.fileId, user, services.agent)
    }

    /// Returns a file that a peer has offered.
    /// - Throws: `userNotFoundByFileId`, or `rcvFileNotFound` for a file that the user sends.
    private static func getOfferedFile(_ fileId: Int64, _ user: UserRecord, _ db: StoreConnection) throws -> FileRecord
    {
        guard let file = try FileRecord.find(fileId, user: user.userId, in: db) else {
            throw ChatFailure(StoreError.userNotFoundByFileId(fileId: fileId))
        }
        guard !file.isSent else { throw ChatFailure(StoreError.rcvFileNotFound(fileId: fileId)) }
        return file
    }

    /// `/_set_file_to_receive`: marks an offered file. The next start of the chat accepts the file.
    private func setFileToReceive(
        _ fileId: Int64,
        approvedRelays: Bool,
        encrypted: Bool?,
        user: UserRecord
    ) async throws -> ChatResponse {
        let encrypts = encrypted ?? services.folders.paths.encryptsFiles
        return try await store.writeAndAnswer { tx in
            guard var file = try FileRecord.find(fileId, user: user.userId, in: tx.db), !file.isSent else {
                throw ChatFailure(StoreError.rcvFileNotFound(fileId: fileId))
            }
            guard file.receivingStatus == .new else { return .cmdOk(user_: user.api) }
            file.isToBeReceived = true
            file.approvesRelays = approvedRelays
            if encrypts { file.cryptoArgs = CryptoFileArguments().apiArguments }
            try file.store(tx)
            return .cmdOk(user_: nil)
        }
    }

    /// `/fcancel`: cancels a file. The recipients of a sent file are notified. The user can later receive a cancelled
    /// file of a peer again. The exception is a file whose chunks the sender has sent without a request, because such
    /// chunks are sent only once.
    private func cancelFile(_ fileId: Int64, user: UserRecord) async throws -> ChatResponse {
        try await store.writeAndAnswer { tx in
            guard let file = try FileRecord.find(fileId, user: user.userId, in: tx.db) else {
                throw ChatFailure(StoreError.fileNotFound(fileId: fileId))
            }
            guard file.transport != .local else { throw ChatFailure(StoreError.localFileNoTransfer(fileId: fileId)) }
            func refuse(_ message: String) -> ChatFailure {
                ChatFailure(ChatErrorType.fileCancel(fileId: fileId, message: message))
            }
            guard !file.isCancelled else { throw refuse("file already cancelled") }
            guard file.isSent else {
                guard file.receivingStatus != .complete else { throw refuse("file transfer is complete") }
                return try Self.cancelReceiving(file, user, tx)
            }
            return try Self.cancelSending(file, user, tx)
        }
    }

    private static func cancelReceiving(
        _ file: FileRecord,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws -> ChatResponse {
        var file = file
        let before = try file.apiReceivedTransfer(tx.db)
        if file.inlineMode == .sent {
            // The chunks cannot be received again: the sender has sent them without a request, and sends them only
            // once.
            try file.endTransfer(tx)
            (file.isCancelled, file.status, file.receivingStatus) = (true, .rcvCancelled, .cancelled)
            try file.store(tx)
        } else {
            try file.resetTransfer(to: .rcvInvitation, tx)
        }
        return .rcvFileCancelled(user: user.api, chatItem_: try file.apiItem(user, tx), rcvFileTransfer: before)
    }

    private static func cancelSending(_ file: FileRecord, _ user: UserRecord, _ tx: Transaction) throws -> ChatResponse
    {
        var file = file
        let (meta, recipients) = (file.apiMeta, try file.apiRecipients(tx.db))
        try file.endTransfer(tx)
        (file.isCancelled, file.status) = (true, .sndCancelled)
        try file.store(tx)
        try SentFiles.cancelRecipients(of: file, tx)
        let found = try file.findItem(user, tx.db)
        if let (item, chat) = found, let id = item.sharedID {
            // The file is cancelled even if the cancellation cannot be sent to any recipient.
            let reached: Recipients?
            do { reached = try chat.findRecipients(user, in: tx.db) } catch is ChatFailure { reached = nil }
            if let reached {
                try tx.enqueue(ChatMessage(sharedID: chat.newChangeID, event: .fileCancel(messageID: id)), to: reached)
            }
        }
        return .sndFileCancelled(
            user: user.api,
            chatItem_: found.map { $0.item.api(in: $0.chat.chatInfo(user), at: tx.now) },
            fileTransferMeta: meta,
            sndFileTransfers: recipients
        )
    }
}
