internal import Agent
internal import ChatStore
internal import SQLCipher
internal import XFTP

/// Handling of the agent's events about files. Each event is handled in one transaction. The agent repeats the last
/// event of a file until this program confirms the event.
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
            // The last progress of a message's file is not reported. The event about the end of the upload follows
            // immediately, and reports this progress too.
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
        // A file that was sent stays on its servers, and the agent only forgets it. A file that no recipient needs is
        // also deleted from its servers.
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
            // The last progress of a message's file is not reported, because the event about the complete file follows
            // immediately.
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
            (file.receivingStatus, file.status, file.hasAgentFinished, file.task) = (
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
                    agentError: error.apiError,
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

    /// Runs `body` with the file that has this id in the agent. Does nothing for a deleted, completed or cancelled
    /// file.
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
        if error.hasUnapprovedServers {
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
                agentError: error.apiError,
                rcvFileTransfer: before
            ),
            user: user.userId
        )
    }
}
