internal import Agent
internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import ChatText
internal import Files
internal import JSON
internal import SimpleXCrypto
internal import SQLCipher

/// A file that is sent with a message.
struct OutgoingFile: Sendable {
    let source: CryptoFile
    let path: StoredPath
    /// Size in bytes of the contents that recipients receive.
    let size: Int64
    /// Name that recipients see.
    var name: String

    /// The offer of the file in the message. The offer contains no file description. A later message contains the
    /// description, when the file is on the servers.
    var invitation: JSONValue { Self.makeInvitation(name: name, size: size) }

    static func makeInvitation(name: String, size: Int64) -> JSONValue {
        [
            "fileName": .string(name), "fileSize": .integer(size),
            "fileDescr": ["fileDescrText": "", "fileDescrPartNo": 0, "fileDescrComplete": false],
        ]
    }

    /// Creates an outgoing file from a file on the disk, after checks of the file. Blocks the thread.
    /// - Throws: `fileNotFound`, or `fileSize` for an empty file, a file that is too large, or an invalid key.
    init(_ source: CryptoFile, _ folders: LocalFolders.Paths, limit: Int64 = FileLimits.maxFileBytes) throws {
        path = try folders.makeStoredPath(folders.storedPath(source.filePath))
        guard let stored = folders.makeStoreFile(path).size else {
            throw ChatFailure(ChatErrorType.fileNotFound(message: source.filePath))
        }
        if let arguments = source.cryptoArgs {
            guard (try? CryptoFileArguments(arguments)) != nil,
                let contents = try? FileCipher.contentsSize(storedSize: stored)
            else {
                throw ChatFailure(ChatErrorType.fileSize(filePath: source.filePath))
            }
            size = contents
        } else {
            size = stored
        }
        guard (1...limit).contains(size) else { throw ChatFailure(ChatErrorType.fileSize(filePath: source.filePath)) }
        name = FileName.lastComponent(of: path.text)
        self.source = CryptoFile(filePath: path.text, cryptoArgs: source.cryptoArgs)
    }
}

extension OutgoingFile {
    /// Returns the file with the name that recipients see, which can differ from the name on the disk. A received file
    /// that is sent again loses the random part of its name.
    func withShownName(_ db: StoreConnection) throws -> OutgoingFile {
        let rows = try db.query(
            """
            SELECT file_name, 1 AS is_own FROM uploads WHERE file_path = :file_path AND file_name IS NOT NULL
            UNION ALL SELECT file_name, is_sent AS is_own FROM files WHERE file_path = :file_path
            ORDER BY is_own DESC LIMIT 1
            """,
            ["file_path": path.text]
        )
        guard let row = rows.first else { return self }
        let stored = try row.string("file_name")
        guard stored != name, try row.bool("is_own") || FileName.isRandomized(name, of: stored) else { return self }
        var file = self
        file.name = FileName.safeName(stored)
        return file
    }
}

/// Files that the user sends.
enum SentFiles {
    /// Returns whether a relay still has to accept the description of the last file that was sent over a connection.
    static func isLastDescriptionPending(over connection: ConnectionRecord, _ db: StoreConnection) throws -> Bool {
        let last = try db.queryFirst(
            "SELECT file_status FROM snd_files WHERE connection_id = ? ORDER BY snd_file_id DESC LIMIT 1",
            [connection.connectionId]
        )
        return try last.map { try ["new", "connected"].contains($0.string("file_status")) } ?? false
    }

    /// Writes the record of the file of a new message. The file is passed to the agent after the commit.
    static func create(
        _ file: OutgoingFile,
        in chat: some Conversation,
        to recipients: Recipients,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws -> FileRecord {
        try assignToMessage(file.source.filePath, user, tx)
        let count =
            recipients.connections.count + recipients.waitingMembers.count
            + (recipients.membershipAwaitingRelay == nil ? 0 : 1)
        var record = try FileRecord.insert(
            user: user.userId,
            isSent: true,
            chat.hasPeers ? .xftp : .local,
            name: file.name,
            size: file.size,
            status: .sndStored,
            recipients: descriptionCount(for: count),
            tx
        )
        record.path = file.path
        record.cryptoArgs = file.source.cryptoArgs
        if chat.hasPeers { record.setAgentTask(.send) }
        try record.store(tx)
        guard chat.hasPeers else { return record }
        for connection in recipients.connections {
            try addRecipient(connection.connectionId, connection.owner.memberId, to: record, tx)
        }
        for member in recipients.waitingMembers + [recipients.membershipAwaitingRelay].compactMap(\.self) {
            try addRecipient(nil, member.memberId, to: record, tx)
        }
        return record
    }

    private static func addRecipient(
        _ connectionId: Int64?,
        _ memberId: Int64?,
        to file: FileRecord,
        _ tx: Transaction
    ) throws {
        let description = try FileDescriptionRecord.create("", partNo: 0, isComplete: false, of: file.fileId, tx)
        try tx.db.insert(
            into: "snd_files",
            [
                "file_id": file.fileId, "connection_id": connectionId, "group_member_id": memberId,
                "descr_id": description.descriptionId,
            ]
        )
    }

    /// Assigns the file description of a waiting message to `member`, because the message is now sent over
    /// `connection`. The description will follow over this connection.
    /// - Parameter waiting: the id of the member for whom the message has waited.
    static func prepareDescription(
        _ member: MemberRecord,
        over connection: ConnectionRecord,
        insteadOf waiting: Int64,
        item itemId: Int64,
        _ tx: Transaction
    ) throws {
        let place = """
            group_member_id = :waiting_member_id AND connection_id IS NULL AND file_status = 'new'
            AND file_id IN (SELECT file_id FROM files WHERE chat_item_id = :chat_item_id)
            """
        // The file may have a row for this relay already, because the message waited both for this relay and for the
        // first relay.
        try tx.db.execute(
            """
            DELETE FROM snd_files WHERE \(place)
            AND file_id IN (SELECT file_id FROM snd_files WHERE connection_id = :connection_id)
            """,
            ["waiting_member_id": waiting, "chat_item_id": itemId, "connection_id": connection.connectionId]
        )
        try tx.db.execute(
            "UPDATE snd_files SET connection_id = :connection_id, group_member_id = :group_member_id WHERE \(place)",
            [
                "connection_id": connection.connectionId, "group_member_id": member.memberId,
                "waiting_member_id": waiting, "chat_item_id": itemId,
            ]
        )
    }

    /// Returns the number of file descriptions to create for a number of recipients. The number is rounded up, so it
    /// does not reveal the number of recipients.
    static func descriptionCount(for recipients: Int) -> Int {
        var count = 4
        while count < recipients { count *= 2 }
        return count
    }

    /// Assigns a file on the disk to a message of the user. A file outside of the folder for files has no owner. Any
    /// client that may use the path of the file may send it.
    /// - Throws: `fileNotFound` for a file of another user.
    static func assignToMessage(_ path: String, _ user: UserRecord, _ tx: Transaction) throws {
        let owners = try tx.db.query(
            """
            SELECT user_id FROM files WHERE file_path = :file_path
            UNION SELECT user_id FROM uploads WHERE file_path = :file_path
            """,
            ["file_path": path]
        ).map { try $0.int64("user_id") }
        guard path.hasPrefix("/") || owners.isEmpty || owners.contains(user.userId) else {
            throw ChatFailure(ChatErrorType.fileNotFound(message: path))
        }
        // A planned message keeps its uploads until its last receiver has got the message.
        try tx.db.execute("DELETE FROM uploads WHERE file_path = ? AND planned_id IS NULL", [path])
        // The message uses this path, so the worker must not delete the file there. The file may be new, or the file of
        // a message that was deleted a moment ago.
        try tx.db.execute("DELETE FROM retired_files WHERE file_path = ? AND agent_file_id IS NULL", [path])
        try tx.db.execute("UPDATE retired_files SET file_path = NULL WHERE file_path = ?", [path])
    }
}

extension FileRecord {
    /// Sets a task for the agent, and gives the file a new id in the agent.
    mutating func setAgentTask(_ task: FileTask) {
        self.task = task
        agentFileId = FileID().text
        hasAgentFinished = false
    }

    /// Cancels the transfer of the file if it has not ended, because the message was deleted or marked as deleted, or
    /// because the file has no recipient left.
    func cancelIfUnderway(_ tx: Transaction) throws {
        guard !status.isEnded, !isCancelled, transport != .local else { return }
        var file = self
        try file.endTransfer(tx)
        file.isCancelled = true
        file.status = isSent ? .sndCancelled : .rcvCancelled
        if !isSent { file.receivingStatus = .cancelled }
        try file.store(tx)
        if isSent { try SentFiles.cancelRecipients(of: file, tx) }
    }
}

extension SentFiles {
    /// Removes a member from the recipients of a file, because the message with the file has waited too long for this
    /// member. If no recipient is left, the file is cancelled.
    static func giveUpRecipient(_ itemId: Int64, for member: Recipients.MemberRef, _ tx: Transaction) throws {
        try tx.db.execute(
            """
            DELETE FROM snd_files
            WHERE group_member_id = :group_member_id AND connection_id IS NULL
            AND file_id IN (SELECT file_id FROM files WHERE chat_item_id = :chat_item_id AND user_id = :user_id)
            """,
            ["group_member_id": member.memberId, "chat_item_id": itemId, "user_id": member.userId]
        )
        guard tx.db.changeCount > 0,
            let row = try tx.db.firstRow(
                "SELECT file_id FROM files WHERE chat_item_id = :chat_item_id AND user_id = :user_id",
                ["chat_item_id": itemId, "user_id": member.userId]
            ),
            let file = try FileRecord.find(row.int64("file_id"), in: tx.db),
            try tx.db.queryFirst("SELECT 1 AS n FROM snd_files WHERE file_id = ?", [file.fileId]) == nil
        else { return }
        try file.cancelIfUnderway(tx)
    }

    static func cancelRecipients(of file: FileRecord, _ tx: Transaction) throws {
        try tx.db.execute(
            "UPDATE snd_files SET file_status = 'cancelled' WHERE file_id = ? AND file_status NOT IN ('cancelled', 'complete')",
            [file.fileId]
        )
    }
}
