internal import Agent
internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import SQLCipher
internal import XFTP

/// Handling of the agent's events about files. Each event is handled in one transaction. The agent repeats the last
/// event of a file until this program confirms that the event was handled.
extension AgentEventHandler {
    func handleFileEvent(_ event: FileEvent, of id: FileID) async throws {
        switch event {
        case .sendProgress(let sent, let total): try await handleSendProgress(id, sent: sent, total: total)
        case .sent(let sender, let recipients): try await handleSentFile(id, sender, recipients)
        case .sendWarning(let error): try await handleSendWarning(id, error)
        case .sendError(let error): try await handleSendError(id, error)
        case .receiveProgress(let received, let total):
            try await handleReceiveProgress(id, received: received, total: total)
        case .received: try await handleReceivedFile(id)
        case .receiveWarning(let error): try await handleReceiveWarning(id, error)
        case .receiveError(let error): try await handleReceiveError(id, error)
        }
    }

    private func handleSendProgress(_ id: FileID, sent: Int64, total: Int64) async throws {
        try await withFile(id, isSent: true) { file, user, tx in
            // The end of the upload follows immediately, and reports the progress of a message's file too.
            guard sent < total || file.itemId == nil else { return }
            try file.setStatus(.sndTransfer(sndProgress: sent, sndTotal: total), tx)
            try tx.emit(
                .sndFileProgressXFTP(
                    user: user.api,
                    chatItem_: file.apiItem(user, tx),
                    fileTransferMeta: file.apiMeta,
                    sentSize: sent,
                    totalSize: total
                ),
                user: user.userId
            )
        }
    }

    private func handleSentFile(_ id: FileID, _ sender: FileDescription, _ recipients: [FileDescription]) async throws {
        let isSent = try await store.write { tx in
            try Self.changeFile(id, isSent: true, tx) { file, user, tx in
                try SentFiles.sendDescription(file, sender, recipients, user, tx)
            }
            // The agent may repeat an event. The repetition must not delete the file, since recipients may be fetching
            // it.
            return try FileRecord.find(agent: id.text, in: tx.db).map {
                $0.isSent && $0.hasAgentFinished && !$0.isCancelled
            } ?? false
        }
        // The agent forgets a file that was sent. A file that no recipient needs is also deleted from its servers.
        if isSent { try await services.agent.forgetSentFile(id) } else { try await services.agent.cancelSentFile(id) }
    }

    private func handleSendWarning(_ id: FileID, _ error: AgentError) async throws {
        try await withFile(id, isSent: true) { file, user, tx in
            try file.setStatus(.sndWarning(sndFileError: error.fileError), tx)
            try tx.emit(
                .sndFileWarning(
                    user: user.api,
                    chatItem_: file.apiItem(user, tx),
                    fileTransferMeta: file.apiMeta,
                    errorMessage: "\(error)"
                ),
                user: user.userId
            )
        }
    }

    private func handleSendError(_ id: FileID, _ error: AgentError) async throws {
        try await withFile(id, isSent: true) { file, user, tx in try SentFiles.recordFailure(file, error, user, tx) }
        try await services.agent.forgetSentFile(id)
    }

    private func handleReceiveProgress(_ id: FileID, received: Int64, total: Int64) async throws {
        try await withFile(id, isSent: false) { file, user, tx in
            // The event about the complete file of a message follows immediately.
            guard received < total || file.itemId == nil else { return }
            try file.setStatus(.rcvTransfer(rcvProgress: received, rcvTotal: total), tx)
            try tx.emit(
                .rcvFileProgressXFTP(
                    user: user.api,
                    chatItem_: file.apiItem(user, tx),
                    receivedSize: received,
                    totalSize: total,
                    rcvFileTransfer: file.apiReceivedTransfer(tx.db)
                ),
                user: user.userId
            )
        }
    }

    private func handleReceivedFile(_ id: FileID) async throws {
        let paths = services.folders.paths
        try await withFile(id, isSent: false) { file, user, tx in
            let before = try file.apiReceivedTransfer(tx.db)
            (file.transferStatus, file.status, file.hasAgentFinished, file.task) = (
                .complete, .rcvComplete, true, .none
            )
            try file.store(tx)
            if let item = try file.apiItem(user, tx) {
                try tx.emit(.rcvFileComplete(user: user.api, chatItem: item), user: user.userId)
            } else {
                try tx.emit(
                    .rcvStandaloneFileComplete(
                        user: user.api,
                        targetPath: paths.fileRoots.absolutePath(file.path?.text ?? ""),
                        rcvFileTransfer: before
                    ),
                    user: user.userId
                )
            }
        }
        try await services.agent.forgetFile(id)
    }

    private func handleReceiveWarning(_ id: FileID, _ error: AgentError) async throws {
        try await withFile(id, isSent: false) { file, user, tx in
            try file.setStatus(.rcvWarning(rcvFileError: error.fileError), tx)
            try tx.emit(
                .rcvFileWarning(
                    user: user.api,
                    chatItem_: file.apiItem(user, tx),
                    agentError: error.api,
                    rcvFileTransfer: file.apiReceivedTransfer(tx.db)
                ),
                user: user.userId
            )
        }
    }

    private func handleReceiveError(_ id: FileID, _ error: AgentError) async throws {
        try await withFile(id, isSent: false) { file, user, tx in try ReceivedFiles.recordFailure(file, error, user, tx)
        }
        try await services.agent.forgetFile(id)
    }

    /// Runs `body` with the file that has this id of the agent. A deleted, completed or cancelled file is ignored.
    private func withFile(
        _ id: FileID,
        isSent: Bool,
        _ body: @escaping @Sendable (inout FileRecord, UserRecord, Transaction) throws -> Void
    ) async throws {
        try await store.write { tx in try Self.changeFile(id, isSent: isSent, tx, body) }
    }

    private static func changeFile(
        _ id: FileID,
        isSent: Bool,
        _ tx: Transaction,
        _ body: (inout FileRecord, UserRecord, Transaction) throws -> Void
    ) throws {
        guard var file = try FileRecord.find(agent: id.text, in: tx.db), file.isSent == isSent,
            !file.hasAgentFinished,
            !file.isReceivedOrCancelled,
            let user = try UserRecord.find(file.userId, in: tx.db)
        else { return }
        try body(&file, user, tx)
    }
}

extension ReceivedFiles {
    /// Records that a file cannot be received. If the only reason is a server that the user has not approved, the user
    /// can request the file again.
    static func recordFailure(_ file: FileRecord, _ error: AgentError, _ user: UserRecord, _ tx: Transaction) throws {
        guard var file = try FileRecord.find(file.fileId, in: tx.db), !file.isReceivedOrCancelled,
            file.agentFileId != nil
        else { return }
        if error.isNotApproved {
            try file.resetTransfer(to: .rcvAborted, tx)
            guard let item = try file.apiItem(user, tx) else { return }
            return try tx.emit(.chatItemUpdated(user: user.api, chatItem: item), user: user.userId)
        }
        let before = try file.apiReceivedTransfer(tx.db)
        (file.status, file.isCancelled, file.hasAgentFinished, file.task) = (
            .rcvError(rcvFileError: error.fileError), true, true, .none
        )
        try file.store(tx)
        try tx.emit(
            .rcvFileError(
                user: user.api,
                chatItem_: file.apiItem(user, tx),
                agentError: error.api,
                rcvFileTransfer: before
            ),
            user: user.userId
        )
    }
}

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
        guard let id = item.sharedID, !item.isDeleted else { return try file.store(tx) }
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

    /// Sends one description over each connection.
    /// - Parameter transfers: rows of the recipients, each with its connection.
    /// - Returns: whether a description was sent.
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

    /// Sends a description in parts to one recipient.
    /// - Returns: whether the recipient has a connection.
    private static func sendDescriptionParts(
        _ text: String,
        _ messages: [OutgoingChatMessage],
        over row: Row,
        _ tx: Transaction
    ) throws -> Bool {
        try tx.db.execute(
            "UPDATE OR FAIL file_descriptions SET descr_text = ?, part_no = 1, is_complete = 1 WHERE descr_id = ?",
            [text, row.int64OrNil("descr_id")]
        )
        let (isSent, deliveryId) = try enqueueDescriptionParts(messages, over: row, tx)
        try tx.db.execute(
            "UPDATE OR FAIL snd_files SET file_status = 'connected', delivery_id = ? WHERE snd_file_id = ?",
            [deliveryId, row.int64("snd_file_id")]
        )
        return isSent
    }

    /// Writes the parts of a description into the outbox, or keeps them for a member who is not connected yet.
    /// - Returns: whether the recipient has a connection, and the delivery of the last part.
    private static func enqueueDescriptionParts(
        _ messages: [OutgoingChatMessage],
        over row: Row,
        _ tx: Transaction
    ) throws -> (isSent: Bool, deliveryId: Int64?) {
        if let connectionId = try row.int64OrNil("connection_id") {
            guard let connection = try ConnectionRecord.find(connectionId, in: tx.db), connection.canSend else {
                return (false, nil)
            }
            guard messages.allSatisfy({ MessageBatches.fits($0.body, connection) }) else {
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

    /// Records that the relay of a contact has accepted the description, so that the contact can receive the file.
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

    /// Emits the links of an uploaded file that has no message. If the description is too long for a link, the
    /// description itself is uploaded as a file.
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
                    rcvURIs: short.map { FileDescriptionURI(description: $0).text }
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

    /// Creates the upload of a description, for a link that leads to the description.
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
        redirect.setAgentTask(.sendDescription)
        try redirect.store(tx)
        return redirect
    }
}
