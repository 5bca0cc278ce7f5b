internal import ChatAPI
internal import ChatStore
internal import Files
internal import SQLCipher

/// The next task of the worker for a file. A transaction sets the task, and the work begins after the commit.
enum FileTask: Int64, Sendable {
    case none = 0
    /// Makes the agent send the file.
    case send = 1
    /// Makes the agent upload the description of another file.
    case uploadDescription = 2
    /// Checks the description, and then receives the file.
    case checkAndReceive = 3
    /// Makes the agent receive the file.
    case receive = 4
    /// Accepts the file without a request of the user.
    case accept = 5
    /// Writes a file whose chunks have all arrived in messages.
    case assemble = 6
}

/// A stored file, which belongs to a message or is standalone.
struct FileRecord: Sendable {
    /// The default chunk size in the API, in bytes. The original program (`simplex-chat`) uses this size for small
    /// files.
    static let chunkSize: Int64 = 15780
    /// Maximum size of any file, in bytes.
    static let maxSize = FileTotals.maximumFileSize

    let fileId: Int64
    let userId: Int64
    var itemId: Int64?
    let isSent: Bool
    let transport: FileProtocol
    let name: String
    let size: Int64
    let chunkSize: Int64
    var path: StoredPath?
    var cryptoArgs: CryptoFileArgs?
    var status: CIFileStatus
    var isCancelled: Bool
    let redirectedFileId: Int64?
    var agentFileId: String?
    var hasAgentFinished: Bool
    var task: FileTask
    let recipientCount: Int64
    var senderDescription: String?
    /// The progress of receiving the file.
    var receivingStatus: FileStatus
    /// The id of the group member who sends a received file; nil for a contact, and for a post in the name of the
    /// group.
    let memberId: Int64?
    var isToBeReceived: Bool
    var approvesRelays: Bool
    var descriptionId: Int64?
    /// The mode of a received file whose chunks come in messages; nil for a file that comes from file servers.
    var inlineMode: InlineFileMode?

    static let columns = """
        f.file_id, f.user_id, f.chat_item_id, f.is_sent, f.protocol, f.file_name, f.file_size, f.chunk_size, f.file_path, f.path_seal, f.file_key, f.file_nonce,
        f.item_status, f.cancelled, f.redirect_for, f.agent_file_id, f.agent_done, f.task, f.recipients, f.sender_descr, f.transfer_status,
        f.group_member_id, f.to_receive, f.approved_relays, f.descr_id, f.file_inline
        """

    init(_ row: Row) throws {
        fileId = try row.int64("file_id")
        userId = try row.int64("user_id")
        itemId = try row.int64OrNil("chat_item_id")
        isSent = try row.bool("is_sent")
        transport = FileProtocol(rawValue: try row.string("protocol"))
        name = try row.string("file_name")
        size = try row.readClampedCount("file_size", upTo: Row.maxCount)
        chunkSize = try row.readClampedCount("chunk_size")
        path = try row.stringOrNil("file_path").map { StoredPath($0, seal: try row.blobOrNil("path_seal")) }
        if let key = try row.stringOrNil("file_key"), let nonce = try row.stringOrNil("file_nonce") {
            cryptoArgs = CryptoFileArgs(fileKey: key, fileNonce: nonce)
        }
        let stored = try row.string("item_status")
        status = (try? StoredJSON.decode(CIFileStatus.self, stored)) ?? .invalid(text: stored)
        isCancelled = try row.bool("cancelled")
        redirectedFileId = try row.int64OrNil("redirect_for")
        agentFileId = try row.stringOrNil("agent_file_id")
        hasAgentFinished = try row.bool("agent_done")
        task = FileTask(rawValue: try row.int64("task")) ?? .none
        recipientCount = try row.readClampedCount("recipients")
        senderDescription = try row.stringOrNil("sender_descr")
        receivingStatus = FileStatus(rawValue: try row.string("transfer_status"))
        memberId = try row.int64OrNil("group_member_id")
        isToBeReceived = try row.bool("to_receive")
        approvesRelays = try row.bool("approved_relays")
        descriptionId = try row.int64OrNil("descr_id")
        inlineMode = try row.stringOrNil("file_inline").map { InlineFileMode(rawValue: $0) }
    }

    /// The file in the form of the API, as its chat item shows it.
    var api: CIFile {
        CIFile(
            fileId: fileId,
            fileName: name,
            fileSize: size,
            fileSource: path.map { CryptoFile(filePath: $0.text, cryptoArgs: cryptoArgs) },
            fileStatus: status,
            fileProtocol: transport
        )
    }

    /// Whether the file was received completely, or was cancelled.
    var isReceivedOrCancelled: Bool { receivingStatus == .complete || isCancelled }
}

// MARK: Reading

extension FileRecord {
    static func find(_ fileId: Int64, in db: StoreConnection) throws -> FileRecord? {
        try db.queryFirst("SELECT \(columns) FROM files f WHERE f.file_id = ?", [fileId]).map(FileRecord.init)
    }

    static func find(_ fileId: Int64, user userId: Int64, in db: StoreConnection) throws -> FileRecord? {
        try find(fileId, in: db).flatMap { $0.userId == userId ? $0 : nil }
    }

    static func find(agent id: String, in db: StoreConnection) throws -> FileRecord? {
        try db.queryFirst("SELECT \(columns) FROM files f WHERE f.agent_file_id = ?", [id]).map(FileRecord.init)
    }

    static func findAll(_ fileIds: [Int64], in db: StoreConnection) throws -> [Int64: FileRecord] {
        var files: [Int64: FileRecord] = [:]
        for chunk in fileIds.chunks(of: 500) {
            let rows = try db.query(
                "SELECT \(columns) FROM files f WHERE f.file_id IN (\(placeholders(chunk.count)))",
                chunk.arguments
            )
            for row in rows {
                let file = try FileRecord(row)
                files[file.fileId] = file
            }
        }
        return files
    }

    /// Returns the item to which the file belongs, and the chat of the item.
    func findItem(_ user: UserRecord, _ db: StoreConnection) throws -> (item: ItemRecord, chat: any Conversation)? {
        guard let itemId,
            let row = try db.queryFirst("SELECT chat_type, chat_id FROM chat_items WHERE chat_item_id = ?", [itemId]),
            let chat = try ChatKey(row).findConversation(user, db),
            let item = try ItemQueries.findItems([itemId], in: chat, db).first
        else { return nil }
        return (item, chat)
    }

    /// Returns the item of the file in the form in which events contain it; nil for a file without an item.
    func apiItem(_ user: UserRecord, _ tx: Transaction) throws -> AChatItem? {
        try findItem(user, tx.db).map { found in found.item.api(in: found.chat.chatInfo(user), at: tx.now) }
    }

    /// Returns the description of a received file, with the parts received so far.
    func findDescription(_ db: StoreConnection) throws -> FileDescriptionRecord? {
        try descriptionId.flatMap { try FileDescriptionRecord.find($0, in: db) }
    }
}

// MARK: Writing

extension FileRecord {
    /// Inserts the record of a file into the database, without a path and without a task.
    static func insert(
        user userId: Int64,
        isSent: Bool,
        _ transport: FileProtocol,
        name: String,
        size: Int64,
        chunkSize: Int64 = chunkSize,
        status: CIFileStatus,
        recipients: Int = 0,
        redirectFor: Int64? = nil,
        member memberId: Int64? = nil,
        _ tx: Transaction
    ) throws -> FileRecord {
        try tx.db.insert(
            into: "files",
            [
                "user_id": userId, "is_sent": isSent, "protocol": transport.rawValue, "file_name": name,
                "file_size": size, "chunk_size": chunkSize, "item_status": try StoredJSON.encode(status),
                "recipients": Int64(recipients), "redirect_for": redirectFor, "group_member_id": memberId,
                "created_at": tx.now.nanoseconds, "updated_at": tx.now.nanoseconds,
            ]
        )
        guard let file = try find(tx.db.lastInsertRowID, in: tx.db) else {
            throw ChatFailure(StoreError.internalError(message: "no file"))
        }
        return file
    }

    /// Writes the columns that can change, except the reference to the item. ``ItemWriter`` writes this reference
    /// together with the item. If the SQL statement of this function also wrote the reference, SQLite would first copy
    /// each database page that the statement changes.
    func store(_ tx: Transaction) throws {
        if task != .none { tx.followUpWork.insert(.files) }
        try tx.db.update(
            "files",
            or: .fail,
            set: [
                "file_path": path?.text, "path_seal": path?.seal,
                "file_key": cryptoArgs?.fileKey, "file_nonce": cryptoArgs?.fileNonce,
                "item_status": try StoredJSON.encode(status), "cancelled": isCancelled, "agent_file_id": agentFileId,
                "agent_done": hasAgentFinished, "task": task.rawValue, "sender_descr": senderDescription,
                "transfer_status": receivingStatus.rawValue, "to_receive": isToBeReceived,
                "approved_relays": approvesRelays,
                "descr_id": descriptionId, "file_inline": inlineMode?.rawValue, "updated_at": tx.now.nanoseconds,
            ],
            where: ["file_id": fileId]
        )
    }

    mutating func setStatus(_ status: CIFileStatus, _ tx: Transaction) throws {
        self.status = status
        try tx.db.update(
            "files",
            or: .fail,
            set: ["item_status": try StoredJSON.encode(status), "updated_at": tx.now.nanoseconds],
            where: ["file_id": fileId]
        )
    }

    /// Ends the transfer of the file. The agent stops its work on the file after the commit. A sent file is deleted
    /// from the servers.
    mutating func endTransfer(_ tx: Transaction) throws {
        task = .none
        if let agentFileId, !hasAgentFinished || senderDescription != nil {
            try tx.db.execute(
                """
                INSERT INTO retired_files (agent_file_id, is_sent, sender_descr, agent_user_id)
                SELECT :agent_file_id, :is_sent, :sender_descr, agent_user_id FROM users WHERE user_id = :user_id
                """,
                [
                    "agent_file_id": hasAgentFinished ? nil : agentFileId, "is_sent": isSent,
                    "sender_descr": senderDescription, "user_id": userId,
                ]
            )
            tx.followUpWork.insert(.files)
        }
        hasAgentFinished = true
        if !isSent { try InlineFiles.deleteChunks(self, tx) }
    }
}

extension CIFileStatus {
    /// Whether the transfer of the file has ended, with or without success.
    var isEnded: Bool {
        switch self {
        case .sndStored, .sndTransfer, .sndWarning, .rcvInvitation, .rcvAccepted, .rcvTransfer, .rcvWarning: false
        case .sndCancelled, .sndComplete, .sndError, .rcvAborted, .rcvComplete, .rcvCancelled, .rcvError, .invalid,
            .unrecognized:
            true
        }
    }

    /// Whether this store has the contents of the file, so that the file can be forwarded.
    var hasLocalContents: Bool {
        switch self {
        case .sndStored, .sndTransfer, .sndCancelled, .sndComplete, .sndError, .sndWarning, .rcvComplete: true
        case .rcvInvitation, .rcvAccepted, .rcvTransfer, .rcvAborted, .rcvCancelled, .rcvError, .rcvWarning, .invalid,
            .unrecognized:
            false
        }
    }
}
