internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import ChatText
internal import Files
internal import JSON
internal import SimpleXCrypto
internal import SQLCipher

/// Files that peers offer.
enum ReceivedFiles {
    /// The maximum number of parts of a file description, and its maximum size in bytes. The original program
    /// (`simplex-chat`) has the same limits.
    static let maxDescriptionParts: Int64 = 1024
    static let maxDescriptionBytes = 1 << 20

    /// Records the file that a message offers.
    /// - Parameter author: the group member who has sent the message; nil for a contact, and for a post in the name of
    ///   the group.
    /// - Throws: `fileSize` for an empty file, or `rcvFileInvalidDescrPart`.
    static func storeOffer(
        _ json: JSONValue,
        by author: MemberRecord?,
        user userId: Int64,
        _ tx: Transaction
    ) throws -> FileRecord {
        let invitation = try JSONDecoder().decode(FileInvitation.self, from: json)
        let name = FileName.safeName(invitation.fileName)
        guard invitation.fileSize > 0 else { throw ChatFailure(ChatErrorType.fileSize(filePath: name)) }
        var file = try FileRecord.insert(
            user: userId,
            isSent: false,
            invitation.fileDescr == nil ? .smp : .xftp,
            name: name,
            size: invitation.fileSize,
            status: .rcvInvitation,
            member: author?.memberId,
            tx
        )
        guard let first = invitation.fileDescr else {
            file.inlineMode = invitation.fileInline
            try file.store(tx)
            return file
        }
        guard first.fileDescrPartNo == 0, first.fileDescrText.utf8.count <= maxDescriptionBytes else {
            throw ChatFailure(StoreError.rcvFileInvalidDescrPart)
        }
        file.descriptionId = try FileDescriptionRecord.create(
            first.fileDescrText,
            partNo: 0,
            isComplete: first.fileDescrComplete,
            of: file.fileId,
            tx
        ).descriptionId
        try file.store(tx)
        return file
    }

    /// Adds the next part of a file description. Parts must arrive in order, and nothing may follow the last part.
    /// - Throws: `rcvFileInvalidDescrPart`
    static func addPart(_ part: FileDescr, to file: FileRecord, _ tx: Transaction) throws -> FileDescriptionRecord {
        guard var description = try file.findDescription(tx.db), !description.isComplete,
            Int64(part.fileDescrPartNo) == description.partNo + 1,
            description.partNo < maxDescriptionParts,
            description.text.utf8.count + part.fileDescrText.utf8.count <= maxDescriptionBytes
        else { throw ChatFailure(StoreError.rcvFileInvalidDescrPart) }
        description.text += part.fileDescrText
        description.partNo += 1
        description.isComplete = part.fileDescrComplete
        try description.store(tx)
        return description
    }

    /// Maximum age in seconds of a marked file that the chat accepts when it starts. Older files are not accepted.
    private static let maxMarkedFileAgeSeconds: Int64 = 2 * 86_400

    private static let filesMarkedToReceiveClause = """
        FROM files f WHERE f.to_receive = 1 AND f.transfer_status = 'new' AND f.cancelled = 0 AND f.created_at > ?
        """

    /// Whether files are marked to be accepted when the chat starts.
    static func haveFilesMarkedToReceive(in db: StoreConnection) throws -> Bool {
        try db.hasRow(
            "SELECT 1 \(filesMarkedToReceiveClause)",
            Timestamp.now.adding(seconds: -maxMarkedFileAgeSeconds).nanoseconds
        )
    }

    /// Accepts the marked files at a start of the chat. The command `/_set_file_to_receive` marks a file.
    static func acceptFilesMarkedToReceive(_ folders: LocalFolders.Paths, _ tx: Transaction) throws {
        let rows = try tx.db.query(
            "SELECT \(FileRecord.columns) \(filesMarkedToReceiveClause) ORDER BY f.file_id",
            [tx.now.adding(seconds: -maxMarkedFileAgeSeconds).nanoseconds]
        )
        for row in rows { try acceptFile(FileRecord(row), folders, tx) }
    }

    private static func acceptFile(_ file: FileRecord, _ folders: LocalFolders.Paths, _ tx: Transaction) throws {
        var file = file
        let description = try file.findDescription(tx.db)
        guard let user = try UserRecord.find(file.userId, in: tx.db),
            description != nil || file.inlineMode == .sent || file.isReceivedInline()
        else { return }
        guard file.size <= FileRecord.maxSize else { return try file.store(tx) }
        // At the limit of the store, the file is only offered, and the user can receive it later.
        do { try tx.quota.checkFile(of: file.size, tx.db) } catch is QuotaExceeded { return try file.store(tx) }
        try file.assignPath(at: nil, folders, tx)
        file.task = description?.isComplete == true ? .checkAndReceive : .none
        if description == nil { try file.continueInlineTransfer(user, tx) } else { try file.store(tx) }
        if let item = try file.apiItem(user, tx) {
            try tx.emit(.rcvFileAccepted(user: user.api, chatItem: item), user: user.userId)
        }
    }

    // MARK: Automatic receiving

    /// Maximum sizes in bytes of media that are received without a request, as in the apps.
    private static let (maxImageBytes, maxVoiceBytes, maxVideoBytes): (Int64, Int64, Int64) = (
        522_240, 522_240, 1_047_552
    )

    /// Sets the task to receive the media of a new message without a request of the user. Small voice messages in
    /// chunks are always received. Other media are received only if the saved settings of the app allow this.
    static func scheduleAutomaticReceiving(_ file: FileRecord, with content: MsgContent, _ tx: Transaction) throws {
        if file.isSentInline(with: content) {
            var file = file
            file.task = .accept
            return try file.store(tx)
        }
        let limit: Int64
        switch content {
        case .image: limit = maxImageBytes
        case .voice: limit = maxVoiceBytes
        case .video: limit = maxVideoBytes
        default: return
        }
        guard file.transport == .xftp || file.isReceivedInline(), file.size <= limit else { return }
        guard let settings = try AppSettings.findSaved(in: tx.db), settings.privacyAcceptImages == true else { return }
        var file = file
        file.task = .accept
        file.approvesRelays = settings.privacyAskToApproveRelays == false
        try file.store(tx)
    }

    static func acceptWithoutRequest(_ file: FileRecord, _ folders: LocalFolders.Paths, _ tx: Transaction) throws {
        guard var file = try FileRecord.find(file.fileId, in: tx.db), file.task == .accept else { return }
        file.task = .none
        guard file.receivingStatus == .new, !file.isCancelled else { return try file.store(tx) }
        if folders.encryptsFiles { file.cryptoArgs = CryptoFileArguments().apiArguments }
        try acceptFile(file, folders, tx)
    }
}

extension FileRecord {
    /// Sets the path of an accepted file on the disk. The caller must store the record.
    /// - Parameter path: a name, an absolute path, or a folder; nil for the folder for files.
    /// - Throws: `fileSize` for a file larger than ``maxSize``, `fileAlreadyExists`, or `fileWrite`.
    mutating func assignPath(at path: String?, _ folders: LocalFolders.Paths, _ tx: Transaction) throws {
        guard size <= Self.maxSize else { throw ChatFailure(ChatErrorType.fileSize(filePath: name)) }
        self.path = try Self.choosePath(for: name, at: path, of: fileId, folders, tx)
        receivingStatus = .accepted
        status = .rcvAccepted
    }

    static func choosePath(
        for name: String,
        at path: String?,
        of fileId: Int64?,
        _ folders: LocalFolders.Paths,
        _ tx: Transaction
    ) throws -> StoredPath {
        try LocalFolders.makeFolder(folders.filesFolder)
        // The name in the database comes from a peer, so it is made safe again.
        let name = FileName.safeName(name)
        guard let path else {
            return StoredPath(try FileName.chooseName(name, in: folders.filesFolder, for: fileId, folders, tx.db))
        }
        let absolute = folders.fileRoots.absolutePath(path)
        if DiskFiles.isFolder(absolute) {
            return try folders.makeStoredPath(
                absolute + "/" + FileName.chooseName(name, in: absolute, for: fileId, folders, tx.db)
            )
        }
        let named = try folders.makeStoredPath(path)
        let taken = try tx.db.firstRow(
            "SELECT 1 FROM files WHERE file_path = :file_path AND file_id IS NOT :file_id",
            ["file_path": path, "file_id": fileId]
        )
        guard taken == nil, !folders.makeStoreFile(named).exists else {
            throw ChatFailure(ChatErrorType.fileAlreadyExists(filePath: path))
        }
        guard DiskFiles.isFolder(FilePaths.parentFolder(of: absolute)) else {
            throw ChatFailure(
                ChatErrorType.fileWrite(
                    filePath: path,
                    message: "\(absolute): withBinaryFile: does not exist (No such file or directory)"
                )
            )
        }
        return named
    }

    /// Resets the file to the state before it was accepted, but keeps the description.
    mutating func resetTransfer(to status: CIFileStatus, _ tx: Transaction) throws {
        try endTransfer(tx)
        (self.status, receivingStatus, agentFileId) = (status, .new, nil)
        try store(tx)
    }

    /// Sets the task that makes the agent receive the file.
    mutating func startReceiving(_ user: UserRecord, _ tx: Transaction) throws {
        receivingStatus = .connected
        status = .rcvTransfer(rcvProgress: 0, rcvTotal: 1)
        setAgentTask(.receive)
        try store(tx)
        if let item = try apiItem(user, tx) {
            try tx.emit(.rcvFileStart(user: user.api, chatItem: item), user: user.userId)
        }
    }
}

/// Messages of peers about the files that they have offered.
extension MessageReceiver {
    /// Adds a part of the description of a file. A complete description is needed to receive the file.
    func receiveFileDescription(_ json: JSONValue, of id: SharedMessageID, _ chat: some Conversation) throws {
        guard let item = try findOfferingItem(id, "x.msg.file.descr", chat), var file = item.file,
            !file.isReceivedOrCancelled
        else { return }
        let part = try JSONDecoder().decode(FileDescr.self, from: json)
        let description: FileDescriptionRecord
        if let relay = forwardedByMemberId, chat.group?.isChannel == true {
            guard let whole = try ForwardedFileDescriptions.addPart(part, to: file, from: relay, tx) else { return }
            description = whole
        } else {
            description = try ReceivedFiles.addPart(part, to: file, tx)
        }
        guard description.isComplete else { return }
        try tx.emit(
            .rcvFileDescrReady(
                user: user.api,
                chatItem: item.api(in: chat.chatInfo(user), at: tx.now),
                rcvFileTransfer: file.apiReceivedTransfer(tx.db),
                rcvFileDescr: description.api
            ),
            user: user.userId
        )
        guard file.receivingStatus == .accepted else { return }
        file.task = .checkAndReceive
        try file.store(tx)
    }

    /// Cancels a file that its sender has cancelled.
    func receiveFileCancel(_ id: SharedMessageID, _ chat: some Conversation) throws {
        guard let file = try findOfferingItem(id, "x.file.cancel", chat)?.file, !file.isReceivedOrCancelled else {
            return
        }
        try cancelFile(file)
    }

    func cancelFile(_ file: FileRecord) throws {
        var file = file
        let before = try file.apiReceivedTransfer(tx.db)
        try file.endTransfer(tx)
        (file.isCancelled, file.status, file.receivingStatus) = (true, .rcvCancelled, .cancelled)
        try file.store(tx)
        guard let item = try file.apiItem(user, tx) else { return }
        try tx.emit(.rcvFileSndCancelled(user: user.api, chatItem: item, rcvFileTransfer: before), user: user.userId)
    }

    /// Returns the item of the message with which the sender has offered a file. Returns nil and reports an error if
    /// the message is not of this sender, or has no file.
    /// - Throws: `fileIdNotFoundBySharedMsgId`
    private func findOfferingItem(
        _ id: SharedMessageID,
        _ event: String,
        _ chat: some Conversation
    ) throws -> ItemRecord? {
        let ofGroup = try author?.role == .owner ? ItemQueries.find(shared: id, byGroup: true, in: chat, tx.db) : nil
        guard let item = try ItemQueries.find(shared: id, by: author, in: chat, tx.db) ?? ofGroup else {
            if author != nil, try ItemQueries.find(shared: id, in: chat, tx.db) != nil {
                unhandledElements.recordError("\(event): the file is not of this sender", isMessageError: true)
                return nil
            }
            throw ChatFailure(StoreError.fileIdNotFoundBySharedMsgId(sharedMsgId: id.text))
        }
        guard !item.isSent, item.file != nil else {
            unhandledElements.recordError("\(event): no file of the sender", isMessageError: true)
            return nil
        }
        return item
    }
}
