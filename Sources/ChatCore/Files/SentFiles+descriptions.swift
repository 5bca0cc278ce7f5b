internal import Agent
internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import SQLCipher
internal import XFTP

extension SentFiles {
    static func recordFailure(_ file: FileRecord, _ error: AgentError, _ user: UserRecord, _ tx: Transaction) throws {
        try recordFailure(file, error.fileError, "\(error)", user, tx)
    }

    static func recordFailure(
        _ file: FileRecord,
        _ error: FileError,
        _ message: String,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws {
        guard var file = try FileRecord.find(file.fileId, in: tx.db), !file.isCancelled else { return }
        let meta = file.apiMeta
        (file.status, file.isCancelled, file.hasAgentFinished, file.task) = (
            .sndError(sndFileError: error), true, true, .none
        )
        try file.store(tx)
        try tx.emit(
            .sndFileError(
                user: user.api,
                chatItem_: file.apiItem(user, tx),
                fileTransferMeta: meta,
                errorMessage: message
            ),
            user: user.userId
        )
    }

    /// Sends the description of an uploaded file to the recipients of the file.
    static func sendDescription(
        _ file: FileRecord,
        _ sender: FileDescription,
        _ recipients: [FileDescription],
        _ user: UserRecord,
        _ tx: Transaction
    ) throws {
        var file = file
        file.senderDescription = sender.text
        file.hasAgentFinished = true
        file.task = .none
        guard let (item, chat) = try file.findItem(user, tx.db) else {
            return try emitLinks(file, recipients, user, tx)
        }
        guard let id = item.sharedID, !item.isHidden else { return try file.store(tx) }
        let transfers = try tx.db.query(
            "SELECT snd_file_id, connection_id, group_member_id, descr_id FROM snd_files WHERE file_id = ? AND file_status = 'new' ORDER BY snd_file_id",
            [file.fileId]
        )
        guard recipients.count >= transfers.count else {
            return try recordFailure(
                file,
                .other(fileError: "not enough descriptions"),
                "there are fewer file descriptions than recipients",
                user,
                tx
            )
        }
        try tx.emit(
            .sndFileProgressXFTP(
                user: user.api,
                chatItem_: item.api(in: chat.chatInfo(user), at: tx.now),
                fileTransferMeta: file.apiMeta,
                sentSize: 1,
                totalSize: 1
            ),
            user: user.userId
        )
        file.status = chat.chatKey.isOfGroup ? .sndComplete : .sndTransfer(sndProgress: 1, sndTotal: 1)
        try file.store(tx)
        let isSent = try sendDescriptions(recipients, over: transfers, of: id, signer: chat.group?.signer, tx)
        // If a direct chat has no recipient left, its contact was deleted during the upload, so the file has failed.
        guard isSent || chat.chatKey.isOfGroup else {
            return try recordFailure(file, .other(fileError: "no recipients"), "no recipients", user, tx)
        }
        guard chat.chatKey.isOfGroup, let item = try file.apiItem(user, tx) else { return }
        try tx.emit(
            .sndFileCompleteXFTP(user: user.api, chatItem: item, fileTransferMeta: file.apiMeta),
            user: user.userId
        )
    }

    /// Sends one file description to each recipient.
    /// - Parameter transfers: rows of the recipients, each with its connection.
    /// - Returns: whether a description was sent, or is kept for a recipient.
    private static func sendDescriptions(
        _ recipients: [FileDescription],
        over transfers: [Row],
        of id: SharedMessageID,
        signer: ChannelSigner?,
        _ tx: Transaction
    ) throws -> Bool {
        var isSent = false
        // In a channel, all relays get the same description, because they forward it to all members. A member accepts
        // each part of the description once, from any relay.
        let common = try signer.flatMap { signer in
            try recipients.first.map { ($0, try makeDescriptionMessages(of: $0, of: id, signer)) }
        }
        for (row, description) in zip(transfers, recipients) {
            let (described, messages) = try common ?? (description, makeDescriptionMessages(of: description, of: id))
            if try sendDescriptionParts(described.text, messages, over: row, tx) { isSent = true }
        }
        return isSent
    }

    private static func makeDescriptionMessages(
        of description: FileDescription,
        of id: SharedMessageID,
        _ signer: ChannelSigner? = nil
    ) throws -> [OutgoingChatMessage] {
        try DescriptionParts.split(description.text).map {
            try OutgoingChatMessage(
                ChatMessage(event: .fileDescription(messageID: id, description: $0)),
                over: [],
                signer: signer
            )
        }
    }

    /// Sends a file description in parts to one recipient.
    /// - Returns: whether the parts were sent, or are kept for the recipient.
    private static func sendDescriptionParts(
        _ text: String,
        _ messages: [OutgoingChatMessage],
        over row: Row,
        _ tx: Transaction
    ) throws -> Bool {
        try tx.db.execute(
            """
            UPDATE OR FAIL file_descriptions SET descr_text = :descr_text, part_no = 1, is_complete = 1
            WHERE descr_id = :descr_id
            """,
            ["descr_text": text, "descr_id": row.int64OrNil("descr_id")]
        )
        let (isSent, deliveryId) = try enqueueDescriptionParts(messages, over: row, tx)
        try tx.db.execute(
            """
            UPDATE OR FAIL snd_files SET file_status = 'connected', delivery_id = :delivery_id
            WHERE snd_file_id = :snd_file_id
            """,
            ["delivery_id": deliveryId, "snd_file_id": row.int64("snd_file_id")]
        )
        return isSent
    }

    /// Writes the parts of a file description into the outbox, or keeps them for a member who is not connected yet.
    /// - Returns: whether the parts were written or kept; and the id of the last part in the outbox, or nil for kept
    ///   parts.
    private static func enqueueDescriptionParts(
        _ messages: [OutgoingChatMessage],
        over row: Row,
        _ tx: Transaction
    ) throws -> (isSent: Bool, deliveryId: Int64?) {
        if let connectionId = try row.int64OrNil("connection_id") {
            guard let connection = try ConnectionRecord.find(connectionId, in: tx.db), connection.canSend else {
                return (false, nil)
            }
            guard messages.allSatisfy({ MessageBatches.canSend($0.body, connection) }) else {
                throw ChatFailure(ChatErrorType.exception(message: "the message is too large, even compressed"))
            }
            try tx.enqueue(messages, to: [connection])
            return (true, tx.deliveries.last?.deliveryId)
        }
        if let memberId = try row.int64OrNil("group_member_id"),
            let userId = try tx.db.queryFirst(
                "SELECT user_id FROM files f JOIN snd_files s ON s.file_id = f.file_id WHERE s.snd_file_id = ?",
                [row.int64("snd_file_id")]
            )?.int64("user_id")
        {
            let member = Recipients.MemberRef(userId: userId, memberId: memberId)
            for message in messages { try WaitingMessages.add(message, for: [member], tx) }
            return (true, nil)
        }
        return (false, nil)
    }

    /// Records that a relay has accepted the file description for a recipient. In a direct chat, the contact can then
    /// receive the file, so the sending of the file is complete.
    static func recordDescriptionDelivery(_ deliveryId: Int64, _ tx: Transaction) throws {
        guard
            let row = try tx.db.queryFirst(
                "SELECT snd_file_id, file_id FROM snd_files WHERE delivery_id = ? AND file_status = 'connected'",
                [deliveryId]
            ),
            var file = try FileRecord.find(row.int64("file_id"), in: tx.db)
        else { return }
        try tx.db.execute(
            "UPDATE OR FAIL snd_files SET file_status = 'complete' WHERE snd_file_id = ?",
            [row.int64("snd_file_id")]
        )
        guard !file.isCancelled, case .sndTransfer = file.status, let user = try UserRecord.find(file.userId, in: tx.db)
        else { return }
        try file.setStatus(.sndComplete, tx)
        guard let item = try file.apiItem(user, tx) else { return }
        try tx.emit(
            .sndFileCompleteXFTP(user: user.api, chatItem: item, fileTransferMeta: file.apiMeta),
            user: user.userId
        )
    }

    /// Emits an event with the links to an uploaded file that has no message. If the file description is too long for a
    /// link, the description itself is uploaded as a file.
    private static func emitLinks(
        _ file: FileRecord,
        _ recipients: [FileDescription],
        _ user: UserRecord,
        _ tx: Transaction
    ) throws {
        try file.store(tx)
        guard let first = recipients.first else {
            return try recordFailure(
                file,
                .other(fileError: "the file has no description for recipients"),
                "the file has no description for recipients",
                user,
                tx
            )
        }
        let short = recipients.filter { $0.chunks.count == 1 }
        guard short.isEmpty else {
            let original = try file.redirectedFileId.flatMap { try FileRecord.find($0, in: tx.db) } ?? file
            var done = file
            try done.setStatus(.sndComplete, tx)
            return try tx.emit(
                .sndStandaloneFileComplete(
                    user: user.api,
                    fileTransferMeta: original.apiMeta,
                    rcvURIs: short.map { FileDescriptionURI(fileDescription: $0).text }
                ),
                user: user.userId
            )
        }
        guard file.redirectedFileId == nil else {
            return try recordFailure(
                file,
                .other(fileError: "chaining redirects"),
                "the description of a description is too large",
                user,
                tx
            )
        }
        let redirect = try createRedirect(to: first, of: file, user, tx)
        try tx.emit(
            .sndFileRedirectStartXFTP(user: user.api, fileTransferMeta: file.apiMeta, redirectMeta: redirect.apiMeta),
            user: user.userId
        )
    }

    /// Creates the upload of a file description that is too long for a link. The link will lead to the uploaded
    /// description.
    private static func createRedirect(
        to description: FileDescription,
        of file: FileRecord,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws -> FileRecord {
        var redirect = try FileRecord.insert(
            user: user.userId,
            isSent: true,
            .xftp,
            name: "redirect.yaml",
            size: Int64(description.text.utf8.count),
            status: .sndStored,
            recipients: descriptionCount(for: 1),
            redirectFor: file.fileId,
            tx
        )
        redirect.descriptionId = try FileDescriptionRecord.create(
            description.text,
            partNo: 1,
            isComplete: true,
            of: redirect.fileId,
            tx
        ).descriptionId
        redirect.setAgentTask(.uploadDescription)
        try redirect.store(tx)
        return redirect
    }
}
